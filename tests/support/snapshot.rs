//! The files of a database in memory, one of them perhaps damaged, to be read and nothing else.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::tiers::{ReadFile, Storage};

/// The files of one folder by name, whatever the folder's path, with another content of one of them.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub sound: Arc<BTreeMap<String, Vec<u8>>>,
    /// The damaged file, if there is one: its name and its bytes; `None` for bytes that are not there.
    pub damaged: Option<(String, Option<Arc<Vec<u8>>>)>,
}

#[derive(Debug)]
struct Bytes(Arc<Vec<u8>>);

impl Storage for Snapshot {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let bytes = match &self.damaged {
            Some((damaged, bytes)) if damaged == name => bytes.clone(),
            _ => self.sound.get(name).cloned().map(Arc::new),
        };
        Ok(Box::new(Bytes(bytes.ok_or(io::ErrorKind::NotFound)?)))
    }

    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        Ok(self.sound.keys().cloned().collect())
    }
}

impl ReadFile for Bytes {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let read = rest.len().min(buffer.len());
        buffer[..read].copy_from_slice(&rest[..read]);
        Ok(read)
    }
}
