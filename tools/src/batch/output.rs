//! Where a batch writes: standard output, or a file that appears only when it is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::output::CANNOT_WRITE;
use crate::temporary::WholeFile;
use crate::wording;

/// The output of a batch.
pub enum Output {
    /// Standard output, and other things that are written as it goes: pipes and devices.
    Stream(Box<dyn Write>),
    /// A file, which has this name at the end.
    File(WholeFile, PathBuf),
}

impl Output {
    /// Begins the output: in a file, or on standard output.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn begin(file: Option<&Path>) -> anyhow::Result<Output> {
        let Some(file) = file else { return Ok(Output::Stream(Box::new(io::stdout().lock()))) };
        Output::to_file(file).with_context(|| cannot_write(file))
    }

    fn to_file(file: &Path) -> anyhow::Result<Output> {
        match fs::metadata(file) {
            Ok(of) if of.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
            // Such as /dev/stdout, whose name leads to no file.
            Ok(of) if !of.is_file() => Ok(Output::Stream(Box::new(File::options().write(true).open(file)?))),
            // A link stays: the file that it leads to is replaced.
            Ok(_) => Output::to_whole(fs::canonicalize(file)?),
            Err(error) if fs::symlink_metadata(file).is_ok_and(|found| found.is_symlink()) => Err(error.into()),
            Err(_) => Output::to_whole(file.to_path_buf()),
        }
    }

    fn to_whole(file: PathBuf) -> anyhow::Result<Output> {
        Ok(Output::File(WholeFile::begin(&file)?, file))
    }

    /// Writes some answers, and lets a reader have them.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub fn write(&mut self, text: &[u8]) -> anyhow::Result<()> {
        match self {
            Output::Stream(stream) => stream.write_all(text).and_then(|()| stream.flush()).context(CANNOT_WRITE),
            Output::File(whole, file) => whole.write(text).with_context(|| cannot_write(file)),
        }
    }

    /// Ends the output: a file takes its name.
    ///
    /// # Errors
    ///
    /// The file cannot be written to the disk or renamed.
    pub fn end(self) -> anyhow::Result<()> {
        let Output::File(whole, file) = self else { return Ok(()) };
        whole.end().with_context(|| cannot_write(&file))
    }
}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", wording::path(file))
}
