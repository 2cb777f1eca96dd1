//! Data sets: positions with exact values in a file, for machine learning.
//!
//! A [`Dataset`] is a [`Selection`] of positions and some [`Column`]s. It is written to a file in a [`Format`], or its
//! rows are passed to a function in portions. The modules, from the top down:
//!
//! - `run`: lists or draws positions, looks them up and writes them in portions; each portion is looked up while the
//!   previous one is written;
//! - `portion`: looks up the positions of a portion together, and makes the cells of each column;
//! - `format`, `parquet`: write the rows in the formats;
//! - `estimate`: estimates by a trial how long a data set takes;
//! - `notes`: makes the facts and the text that explain a file.
//!
//! The bytes of a file depend only on the selection, the columns, the format and the version of fourbase.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod column;
mod estimate;
mod format;
mod notes;
#[cfg(feature = "parquet")]
mod parquet;
mod portion;
mod run;

pub use column::{Column, Field, FieldKind};
pub use format::Format;
pub use notes::ply_ranges;
pub use portion::{Cells, Portion};
pub use run::{Dataset, RowChoice, Selection};
