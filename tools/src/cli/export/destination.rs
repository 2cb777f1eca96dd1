//! The destination of a data set: standard output, a device, or a file. A file appears only when it is complete, together with a
//! text file that explains the data.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Error, bail};
use fourbase_tiers::positions::PositionError;

use crate::failure::BadInput;
use crate::output::{CANNOT_WRITE, wording};
use crate::temporary::Output;

/// The output of an export. Counts its bytes.
pub struct Destination {
    to: Output,
    /// `None` for standard output.
    name: Option<PathBuf>,
    /// The text beside a file, and its name.
    readme: Option<(Output, PathBuf)>,
    pub bytes: u64,
}

impl Destination {
    /// Begins the data file and the text file beside it. Both are temporary files until [`Destination::end`] gives them their
    /// names.
    ///
    /// # Errors
    ///
    /// A file that exists, unless `is_replaced`; a file that cannot be made.
    pub fn begin(file: Option<&Path>, is_replaced: bool) -> anyhow::Result<Destination> {
        // Only a regular file gets a text file beside it; devices get none, and folders are refused below. If the name is a link,
        // the link stays, and the file that it leads to is replaced.
        let is_file = |name: &&Path| fs::metadata(name).map_or(true, |of| of.is_file());
        let found = |name: &Path| fs::canonicalize(name).unwrap_or_else(|_| name.to_path_buf());
        let named = file.filter(is_file).map(found);
        let readme_name = named.as_ref().map(|name| {
            let mut readme_name = name.clone().into_os_string();
            readme_name.push(".md");
            PathBuf::from(readme_name)
        });
        for name in [&named, &readme_name].into_iter().flatten() {
            if !is_replaced && fs::symlink_metadata(name).is_ok() {
                let name = wording::path(name);
                bail!(BadInput(format!(
                    "{name} exists; add --replace to replace it, or give another name with --output"
                )));
            }
        }
        let name = named.or_else(|| file.map(Path::to_path_buf));
        let to = Output::begin(name.as_deref()).map_err(|error| failed(name.as_deref(), error))?;
        let readme = match readme_name {
            Some(name) => Some((Output::file(&name).map_err(|error| failed(Some(&name), error))?, name)),
            None => None,
        };
        Ok(Destination { to, name, readme, bytes: 0 })
    }

    /// Adds to a write error the name of the destination.
    pub fn explain(&self, error: PositionError) -> Error {
        match error {
            PositionError::Write(error) => failed(self.name.as_deref(), error),
            error => error.into(),
        }
    }

    /// Ends the output and writes the explanation `text`. Returns the name of the text file, if there is one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written or renamed.
    pub fn end(self, text: &str) -> anyhow::Result<Option<PathBuf>> {
        let Destination { to, name, mut readme, .. } = self;
        if let Some((file, name)) = &mut readme {
            file.write(text.as_bytes()).map_err(|error| failed(Some(name), error))?;
        }
        to.end().map_err(|error| failed(name.as_deref(), error))?;
        let Some((file, name)) = readme else { return Ok(None) };
        file.end().map_err(|error| failed(Some(&name), error))?;
        Ok(Some(name))
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds to a write error the name of the file, or that it was standard output. There a closed pipe is no failure.
fn failed(name: Option<&Path>, error: io::Error) -> Error {
    match name {
        Some(name) => Error::new(PositionError::Write(error)).context(wording::cannot_write(name)),
        None => Error::new(error).context(CANNOT_WRITE),
    }
}
