//! A file that appears only when it is whole: it is written beside the wanted one and takes its name at the end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::temporary::Temporary;

/// A file that is being written.
pub struct WholeFile {
    file: File,
    temporary: Temporary,
    name: PathBuf,
}

impl WholeFile {
    /// Begins a file. One that exists under the name stays as it is until the end.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn begin(name: &Path) -> anyhow::Result<WholeFile> {
        name.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".fourbase-").suffix(".new");
        permit(&mut builder, fs::metadata(name).ok().as_ref());
        let (file, temporary) = Temporary::made(|| Ok(builder.tempfile_in(folder)?.keep()?))?;
        Ok(WholeFile { file, temporary, name: name.to_path_buf() })
    }

    /// Writes some more.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Gives the file its name when every byte is on the disk.
    ///
    /// # Errors
    ///
    /// The file cannot be written to the disk or renamed.
    pub fn end(self) -> io::Result<()> {
        self.file.sync_all()?;
        self.temporary.rename(&self.name)
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
