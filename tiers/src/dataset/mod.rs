//! Data sets: positions with exact values in a file, for programs that learn.
//!
//! A [`Dataset`] is a [`Choice`] of positions and some [`Column`]s. It is written as a [`Format`], or handed on portion by
//! portion. From the top down:
//!
//! - `run`: positions are listed or drawn, looked up and written in portions; a portion is made while the one before is
//!   written;
//! - `whole`, `sample`, `unforced`: the sources of positions; [`Sampler`] draws without a file;
//! - `label`: looking a portion up, all at once;
//! - `cells`: the fields of a portion, column by column;
//! - `csv`, `uci`, `parquet_file`: the formats;
//! - `notes`: what a file says of itself.
//!
//! The bytes depend on the choice, the columns, the format and the version of fourbase, and on nothing else.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod cells;
mod choice;
mod column;
mod csv;
mod error;
mod format;
mod kind;
mod label;
mod notes;
#[cfg(feature = "parquet")]
mod parquet_file;
mod progress;
mod run;
mod sample;
mod source;
mod summary;
#[cfg(test)]
mod tests;
mod uci;
mod unforced;
mod whole;
mod writer;

pub use cells::{Cells, Portion, number};
pub use choice::{Choice, Rows};
pub use column::{Column, Field, FieldKind};
pub use error::DatasetError;
pub use format::Format;
pub use kind::Kind;
pub use progress::Progress;
pub use run::Dataset;
pub use sample::Sampler;
pub use summary::Summary;
