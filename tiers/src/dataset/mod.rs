//! Data sets: positions with exact values in a file, for machine learning.
//!
//! A [`Dataset`] is a [`Selection`] of positions and some [`Column`]s. It is written as a [`Format`], or passed to a
//! function in portions. From the top down:
//!
//! - `run`: lists or draws positions, looks them up and writes them in portions; each portion is looked up while the
//!   previous one is written;
//! - `portion`: looks the positions of a portion up, all at once, and makes the cells of each column;
//! - `format`, `parquet`: the formats;
//! - `estimate`: how long all of that takes, by a trial;
//! - `notes`: the facts and the text that explain a file.
//!
//! The bytes depend only on the choice, the columns, the format and the version of fourbase.

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
