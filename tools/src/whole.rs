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
    /// Begins a file. One that exists under the name stays as it is until the end, and gives the new one its permissions.
    ///
    /// # Errors
    ///
    /// The file cannot be made, or the one that exists is read-only.
    pub fn begin(name: &Path) -> io::Result<WholeFile> {
        name.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".fourbase-").suffix(".new");
        let replaced = fs::metadata(name).ok();
        if replaced.as_ref().is_some_and(|replaced| replaced.permissions().readonly()) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let make = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (file, temporary) = Temporary::made(&builder, folder, make)?;
        if let Some(replaced) = replaced {
            file.set_permissions(replaced.permissions())?;
        }
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
