//! Where a data set goes: standard output, a device, or a file that appears only when it is whole, with a text beside it that
//! explains it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Error, bail};
use fourbase_tiers::dataset::DatasetError;

use crate::failure::BadInput;
use crate::output::{CANNOT_WRITE, wording};
use crate::temporary::WholeFile;

/// The output of an export. Counts its bytes.
pub struct Destination {
    to: To,
    /// `None` for standard output.
    name: Option<PathBuf>,
    bytes: u64,
}

enum To {
    /// Standard output, a pipe or a device.
    Stream(Box<dyn Write + Send>),
    File(Box<Files>),
}

/// A file, and the text beside it with its name.
struct Files {
    file: WholeFile,
    readme: WholeFile,
    readme_name: PathBuf,
}

impl Destination {
    /// Begins the file, and the one beside it; both get their names at the end.
    ///
    /// # Errors
    ///
    /// A file that exists, unless `is_replaced`; a file that cannot be made.
    pub fn begin(file: Option<&Path>, is_replaced: bool) -> anyhow::Result<Destination> {
        let Some(name) = file else {
            return Ok(Destination { to: To::Stream(Box::new(io::stdout())), name: None, bytes: 0 });
        };
        let (to, name) = match fs::metadata(name) {
            Ok(of) if of.is_dir() => return Err(failed(name, ErrorKind::IsADirectory.into())),
            Ok(of) if !of.is_file() => {
                let device = File::options().write(true).open(name).map_err(|error| failed(name, error))?;
                (To::Stream(Box::new(device)), name.to_path_buf())
            }
            found => {
                // A link stays: the file that it leads to is replaced.
                let name = found.and_then(|_| fs::canonicalize(name)).unwrap_or_else(|_| name.to_path_buf());
                (To::File(Box::new(Files::begin(&name, is_replaced)?)), name)
            }
        };
        Ok(Destination { to, name: Some(name), bytes: 0 })
    }

    /// Returns the number of bytes that were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds to an error where the rows could not be written.
    pub fn explain(&self, error: DatasetError) -> Error {
        match (&error, &self.name) {
            (DatasetError::Write(_), None) => Error::new(unwrapped(error)).context(CANNOT_WRITE),
            (DatasetError::Write(_), Some(name)) => Error::new(error).context(cannot_write(name)),
            _ => error.into(),
        }
    }

    /// Ends the output. Returns the name of the file with the explanation, if there is one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written or renamed.
    pub fn end(mut self, readme: &str) -> anyhow::Result<Option<PathBuf>> {
        let flushed = self.flush().map_err(|error| self.explain(DatasetError::Write(error)));
        let (To::File(files), Some(name)) = (self.to, self.name) else { return flushed.map(|()| None) };
        let Files { file, readme: mut beside, readme_name } = *files;
        beside.write(readme.as_bytes()).map_err(|error| failed(&readme_name, error))?;
        file.end().map_err(|error| failed(&name, error))?;
        beside.end().map_err(|error| failed(&readme_name, error))?;
        Ok(Some(readme_name))
    }
}

impl Files {
    fn begin(name: &Path, is_replaced: bool) -> anyhow::Result<Files> {
        let mut readme_name = name.as_os_str().to_owned();
        readme_name.push(".md");
        let readme_name = PathBuf::from(readme_name);
        for name in [name, &readme_name] {
            if !is_replaced && fs::symlink_metadata(name).is_ok() {
                let name = wording::path(name);
                bail!(BadInput(format!(
                    "{name} exists; add --replace to replace it, or give another name with --output"
                )));
            }
        }
        let file = WholeFile::begin(name).map_err(|error| failed(name, error))?;
        let readme = WholeFile::begin(&readme_name).map_err(|error| failed(&readme_name, error))?;
        Ok(Files { file, readme, readme_name })
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Stream(stream) => stream.write_all(bytes)?,
            To::File(files) => files.file.write(bytes)?,
        }
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stream(stream) => stream.flush(),
            To::File(_) => Ok(()),
        }
    }
}

fn failed(name: &Path, error: io::Error) -> Error {
    Error::new(DatasetError::Write(error)).context(cannot_write(name))
}

/// Takes the error of the system out, by which a closed pipe is recognised.
fn unwrapped(error: DatasetError) -> io::Error {
    match error {
        DatasetError::Write(error) => error,
        error => io::Error::other(error),
    }
}

fn cannot_write(name: &Path) -> String {
    format!("cannot write {}", wording::path(name))
}
