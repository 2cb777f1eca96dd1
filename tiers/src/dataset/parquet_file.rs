//! Apache Parquet. Columns of small numbers are 32-bit integers annotated with 8 bits, in dictionaries, as the format
//! wants it; all is compressed with zstd. Every portion is a row group.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type};

use super::cells::{Cells, Portion};
use super::column::{Field, FieldKind};
use super::error::DatasetError;
use super::writer::Writer;

/// Writes a Parquet file.
pub(super) struct Parquet<'o> {
    file: SerializedFileWriter<&'o mut (dyn Write + Send)>,
}

impl<'o> Parquet<'o> {
    /// Begins a file with `facts` as its metadata.
    pub fn begin(
        output: &'o mut (dyn Write + Send),
        fields: &[Field],
        facts: &[(&'static str, String)],
    ) -> Result<Parquet<'o>, DatasetError> {
        let columns =
            fields.iter().map(|field| Ok(Arc::new(column(*field)?))).collect::<Result<Vec<_>, ParquetError>>();
        let schema = Type::group_type_builder("positions").with_fields(columns.map_err(of_parquet)?);
        let schema = Arc::new(schema.build().map_err(of_parquet)?);
        let facts = facts.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone())).collect();
        let mut properties = WriterProperties::builder()
            .set_created_by(concat!("fourbase ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(facts));
        for field in fields.iter().filter(|field| matches!(field.kind(), FieldKind::Text | FieldKind::Bitboard)) {
            // Most of these are different.
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(field.name()), false);
        }
        let file = SerializedFileWriter::new(output, schema, Arc::new(properties.build())).map_err(of_parquet)?;
        Ok(Parquet { file })
    }

    fn write_group(&mut self, portion: &Portion) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for (_, cells) in &portion.fields {
            if let Some(mut column) = group.next_column()? {
                write_cells(&mut column, cells)?;
                column.close()?;
            }
        }
        group.close()?;
        Ok(())
    }
}

impl Writer for Parquet<'_> {
    fn write(&mut self, portion: &Portion) -> Result<(), DatasetError> {
        self.write_group(portion).map_err(of_parquet)
    }

    fn end(self: Box<Self>) -> Result<(), DatasetError> {
        self.file.close().map(drop).map_err(of_parquet)
    }
}

/// Describes a column.
fn column(field: Field) -> Result<Type, ParquetError> {
    let (physical, logical) = match field.kind() {
        FieldKind::Text => (Physical::BYTE_ARRAY, LogicalType::String),
        FieldKind::Bitboard => (Physical::INT64, LogicalType::integer(64, false)),
        FieldKind::Signed { .. } => (Physical::INT32, LogicalType::integer(8, true)),
        FieldKind::Unsigned { .. } => (Physical::INT32, LogicalType::integer(8, false)),
    };
    let repetition = if field.kind().is_nullable() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
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
        Cells::Bitboards(cells) => {
            // The format stores them as signed, bit by bit the same.
            let values: Vec<i64> = cells.iter().map(|cell| cell.cast_signed()).collect();
            column.typed::<Int64Type>().write_batch(&values, None, None)?;
        }
        Cells::Numbers(cells) => {
            let values: Vec<i32> = cells.iter().map(|cell| i32::from(*cell)).collect();
            column.typed::<Int32Type>().write_batch(&values, None, None)?;
        }
        Cells::Maybe(cells) => {
            let values: Vec<i32> = cells.iter().flatten().map(|cell| i32::from(*cell)).collect();
            let is_there: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
            column.typed::<Int32Type>().write_batch(&values, Some(&is_there), None)?;
        }
    }
    Ok(())
}

/// Takes the error of the output out of that of the format.
fn of_parquet(error: ParquetError) -> DatasetError {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(inner) => DatasetError::Write(*inner),
            Err(inner) => DatasetError::Write(io::Error::other(inner)),
        },
        error => DatasetError::Write(io::Error::other(error)),
    }
}
