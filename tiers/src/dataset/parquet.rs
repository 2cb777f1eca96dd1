//! Writes Apache Parquet. The format has no integers below 32 bits, so columns of small numbers are 32-bit integers
//! annotated as 8-bit integers. These columns use dictionaries. Everything is compressed with zstd. Every portion of
//! rows becomes a row group.
//!
//! This file calls the low-level writer of the crate `parquet`. The crate's writer for Arrow data was measured too. It
//! would save 23 lines, but it needs 13 more packages (18 CPU seconds to build), and an export of 5x4 takes 10.7 CPU
//! seconds with it instead of 6.1.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type};

use super::column::{Field, FieldKind};
use super::format::RowWriter;
use super::portion::{Cells, Portion};
use crate::positions::PositionError;

pub(super) struct Parquet<'o>(SerializedFileWriter<&'o mut (dyn Write + Send)>);

impl<'o> Parquet<'o> {
    /// Begins a file with `facts` as its metadata.
    pub fn begin(
        output: &'o mut (dyn Write + Send),
        fields: &[Field],
        facts: &[(&'static str, String)],
    ) -> Result<Parquet<'o>, PositionError> {
        let columns = fields.iter().map(|field| Ok(Arc::new(column(*field)?)));
        let columns = columns.collect::<Result<Vec<_>, ParquetError>>()?;
        let schema = Type::group_type_builder("positions").with_fields(columns).build()?;
        let facts = facts.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone())).collect();
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("fourbase ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(facts));
        for field in fields.iter().filter(|field| matches!(field.kind(), FieldKind::Text | FieldKind::UInt64)) {
            // Most values of these fields differ from each other, so a dictionary would save nothing.
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(field.name()), false);
        }
        Ok(Parquet(SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties.build()))?))
    }
}

impl RowWriter for Parquet<'_> {
    fn write(&mut self, portion: &Portion) -> Result<(), PositionError> {
        let mut group = self.0.next_row_group()?;
        for (_, cells) in &portion.fields {
            let Some(mut column) = group.next_column()? else { break };
            write_cells(&mut column, cells)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }

    fn end(self: Box<Self>) -> Result<(), PositionError> {
        self.0.close()?;
        Ok(())
    }
}

/// Converts an error of Parquet. If an I/O error of the output caused it, returns that I/O error.
impl From<ParquetError> for PositionError {
    fn from(error: ParquetError) -> PositionError {
        PositionError::Write(match error {
            ParquetError::External(inner) => {
                inner.downcast::<io::Error>().map_or_else(io::Error::other, |inner| *inner)
            }
            error => io::Error::other(error),
        })
    }
}

/// Describes a field as a column of Parquet.
fn column(field: Field) -> Result<Type, ParquetError> {
    let (physical, logical) = match field.kind() {
        FieldKind::Text => (Physical::BYTE_ARRAY, LogicalType::String),
        FieldKind::UInt64 => (Physical::INT64, LogicalType::integer(64, false)),
        FieldKind::Int8 => (Physical::INT32, LogicalType::integer(8, true)),
        FieldKind::UInt8 => (Physical::INT32, LogicalType::integer(8, false)),
    };
    let repetition = if field.column.is_of_moves() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let name = field.name();
    let column = Type::primitive_type_builder(&name, physical);
    column.with_logical_type(Some(logical)).with_repetition(repetition).build()
}

fn write_cells(column: &mut SerializedColumnWriter, cells: &Cells) -> Result<(), ParquetError> {
    match cells {
        Cells::Text(cells) => {
            let values: Vec<ByteArray> = cells.iter().map(|cell| ByteArray::from(cell.as_str())).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
        }
        Cells::UInt64(cells) => {
            // Parquet stores unsigned integers as signed integers with the same bits.
            let values: Vec<i64> = cells.iter().map(|cell| cell.cast_signed()).collect();
            column.typed::<Int64Type>().write_batch(&values, None, None)?;
        }
        Cells::Int8(cells) => write_numbers(column, cells)?,
        Cells::UInt8(cells) => write_numbers(column, cells)?,
    }
    Ok(())
}

/// Writes small numbers. `is_there` tells Parquet which cells of an optional column have a value. For a required
/// column, Parquet ignores it.
fn write_numbers<T: Copy + Into<i32>>(
    column: &mut SerializedColumnWriter,
    cells: &[Option<T>],
) -> Result<(), ParquetError> {
    let values: Vec<i32> = cells.iter().flatten().map(|cell| (*cell).into()).collect();
    let is_there: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    column.typed::<Int32Type>().write_batch(&values, Some(&is_there), None)?;
    Ok(())
}
