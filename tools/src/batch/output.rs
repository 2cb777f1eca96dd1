//! Where a batch writes: standard output, or a file that appears only when it is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use crate::output::CANNOT_WRITE;
use crate::wording;

/// The output of a batch.
pub enum Output {
    /// Standard output, and other things that are written as it goes: pipes and devices.
    Stream(Box<dyn Write>),
    /// A file beside the wanted one, which takes its name at the end.
    File(NamedTempFile, PathBuf),
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

    fn to_file(file: &Path) -> io::Result<Output> {
        // A link stays: the file that it leads to is replaced.
        let file = match fs::canonicalize(file) {
            Err(error) if fs::symlink_metadata(file).is_ok_and(|found| found.is_symlink()) => return Err(error),
            found => found.unwrap_or_else(|_| file.to_path_buf()),
        };
        match fs::metadata(&file) {
            Ok(of) if of.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(of) if !of.is_file() => Ok(Output::Stream(Box::new(File::options().write(true).open(&file)?))),
            found => {
                file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                let mut builder = tempfile::Builder::new();
                builder.prefix(".fourbase-").suffix(".new");
                permit(&mut builder, found.ok().as_ref());
                Ok(Output::File(builder.tempfile_in(folder.unwrap_or(Path::new(".")))?, file))
            }
        }
    }

    /// Writes some answers, and lets a reader have them.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub fn write(&mut self, text: &[u8]) -> anyhow::Result<()> {
        match self {
            Output::Stream(stream) => stream.write_all(text).and_then(|()| stream.flush()).context(CANNOT_WRITE),
            Output::File(new, file) => new.write_all(text).with_context(|| cannot_write(file)),
        }
    }

    /// Ends the output: a file takes its name.
    ///
    /// # Errors
    ///
    /// The file cannot be written to the disk or renamed.
    pub fn end(self) -> anyhow::Result<()> {
        let Output::File(new, file) = self else { return Ok(()) };
        let done = new.as_file().sync_all().and_then(|()| new.persist(&file).map_err(|error| error.error));
        done.map(drop).with_context(|| cannot_write(&file))
    }
}

/// Gives the new file the permissions of the one that it replaces, or those that any new file gets.
#[cfg(unix)]
fn permit(builder: &mut tempfile::Builder, replaced: Option<&fs::Metadata>) {
    use std::os::unix::fs::PermissionsExt;
    let usual = || fs::Permissions::from_mode(0o666);
    builder.permissions(replaced.map_or_else(usual, fs::Metadata::permissions));
}

#[cfg(not(unix))]
fn permit(_: &mut tempfile::Builder, _: Option<&fs::Metadata>) {}

fn cannot_write(file: &Path) -> String {
    format!("cannot write {}", wording::path(file))
}
