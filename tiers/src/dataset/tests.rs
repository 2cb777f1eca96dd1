//! Data sets of small boards.
