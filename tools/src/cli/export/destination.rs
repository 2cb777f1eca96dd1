//! Where a data set goes: standard output, a device, or a file that appears only when it is whole, with a text beside it that
//! explains it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, bail};
use fourbase_tiers::dataset::DatasetError;

use crate::failure::BadInput;
use crate::output::CANNOT_WRITE;
use crate::temporary::WholeFile;
use crate::wording;

/// The output of an export. Counts its bytes.
pub struct Destination {
    to: To,
    bytes: u64,
}

enum To {
    Stdout,
    /// A pipe or a device.
    Device(File, PathBuf),
    File(Box<Files>),
}

/// A file and the text beside it, with their names.
struct Files {
    file: WholeFile,
    name: PathBuf,
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
        let to = match file {
            None => To::Stdout,
            Some(name) => To::begin(name, is_replaced)?,
        };
        Ok(Destination { to, bytes: 0 })
    }

    /// Returns the number of bytes that were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds to an error where the rows could not be written.
    pub fn explain(&self, error: DatasetError) -> Error {
        match (&error, &self.to) {
            (DatasetError::Write(_), To::Stdout) => Error::new(unwrapped(error)).context(CANNOT_WRITE),
            (DatasetError::Write(_), To::Device(_, name)) => Error::new(error).context(cannot_write(name)),
            (DatasetError::Write(_), To::File(files)) => Error::new(error).context(cannot_write(&files.name)),
            _ => error.into(),
        }
    }

    /// Ends the output. Returns the name of the file with the explanation, if there is one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written or renamed.
    pub fn end(self, readme: &str) -> anyhow::Result<Option<PathBuf>> {
        match self.to {
            To::Stdout => io::stdout().flush().context(CANNOT_WRITE)?,
            To::Device(mut file, name) => file.flush().with_context(|| cannot_write(&name))?,
            To::File(files) => {
                let Files { file, name, readme: mut beside, readme_name } = *files;
                let failed = |error, name: &Path| Error::new(DatasetError::Write(error)).context(cannot_write(name));
                beside.write(readme.as_bytes()).map_err(|error| failed(error, &readme_name))?;
                file.end().map_err(|error| failed(error, &name))?;
                beside.end().map_err(|error| failed(error, &readme_name))?;
                return Ok(Some(readme_name));
            }
        }
        Ok(None)
    }
}

impl To {
    fn begin(name: &Path, is_replaced: bool) -> anyhow::Result<To> {
        let failed = |name: &Path, error| Error::new(DatasetError::Write(error)).context(cannot_write(name));
        let name = match fs::metadata(name) {
            Ok(of) if of.is_dir() => return Err(failed(name, ErrorKind::IsADirectory.into())),
            Ok(of) if !of.is_file() => {
                let file = File::options().write(true).open(name).map_err(|error| failed(name, error))?;
                return Ok(To::Device(file, name.to_path_buf()));
            }
            // A link stays: the file that it leads to is replaced.
            Ok(_) => fs::canonicalize(name).map_err(|error| failed(name, error))?,
            Err(_) => name.to_path_buf(),
        };
        let mut readme_name = name.clone().into_os_string();
        readme_name.push(OsString::from(".md"));
        let readme_name = PathBuf::from(readme_name);
        for name in [&name, &readme_name] {
            if !is_replaced && fs::symlink_metadata(name).is_ok() {
                let name = wording::path(name);
                bail!(BadInput(format!(
                    "{name} exists; add --replace to replace it, or give another name with --output"
                )));
            }
        }
        let file = WholeFile::begin(&name).map_err(|error| failed(&name, error))?;
        let readme = WholeFile::begin(&readme_name).map_err(|error| failed(&readme_name, error))?;
        Ok(To::File(Box::new(Files { file, name, readme, readme_name })))
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Stdout => io::stdout().write_all(bytes)?,
            To::Device(file, _) => file.write_all(bytes)?,
            To::File(files) => files.file.write(bytes)?,
        }
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout => io::stdout().flush(),
            To::Device(file, _) => file.flush(),
            To::File(_) => Ok(()),
        }
    }
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
