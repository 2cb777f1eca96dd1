//! The files of a database as JavaScript holds them: bytes in memory, or files of the user.

use std::io::{self, ErrorKind};
use std::path::Path;

use fourbase_tiers::files::{ReadFile, ReadStorage};

use crate::host;

/// The name that errors give to the folder of such files.
pub const FOLDER: &str = "database";

/// Files of one folder, each with its name, its number at the host, and its length.
#[derive(Debug)]
pub struct HostFiles(Vec<(String, HostFile)>);

impl HostFiles {
    /// Lists files, which the host numbers from `first` on.
    pub fn new(names: Vec<String>, sizes: &[f64], first: u32) -> HostFiles {
        let files = names.into_iter().zip(sizes).zip(first..);
        HostFiles(files.map(|((name, size), number)| (name, HostFile { number, size: *size as u64 })).collect())
    }
}

impl ReadStorage for HostFiles {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let name = path.strip_prefix(FOLDER).ok().and_then(Path::to_str);
        let file = self.0.iter().find(|(file, _)| Some(&**file) == name).ok_or(ErrorKind::NotFound)?;
        Ok(Box::new(file.1))
    }
}

/// A file at the host.
#[derive(Clone, Copy, Debug)]
struct HostFile {
    number: u32,
    size: u64,
}

impl ReadFile for HostFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        host::read(self.number, offset, buffer).map_err(io::Error::other)
    }
}
