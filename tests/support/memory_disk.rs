//! Files in memory that fail on demand and lose what was not synced when the power goes.
//!
//! Every operation has a number. From the operation on that a [`Fault`] names, operations fail, one of them or all; a
//! write that fails has written half of its bytes. A [`MemoryDisk::cut_power`] then forgets a random part of what no
//! sync made durable: the ends of files, and names that came, went or changed, in any combination.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use fourbase_tiers::database::{ReadFile, Storage, WriteFile};

use super::random::Random;

/// Which operations fail, counted from 0.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// None.
    Never,
    /// One, and those after it go well: a disk that is full for a moment.
    Once(u64),
    /// One and all after it: the process is dead.
    From(u64),
}

/// Files in memory; clones share them.
#[derive(Clone, Debug)]
pub struct MemoryDisk(Arc<Mutex<Files>>);

/// A name and what it became, the content of this number or nothing.
type Change = (PathBuf, Option<usize>);

#[derive(Debug)]
struct Files {
    fault: Fault,
    operations: u64,
    /// What a process sees.
    names: BTreeMap<PathBuf, usize>,
    /// What a power cut leaves at least.
    durable_names: BTreeMap<PathBuf, usize>,
    /// Changes of names since: what each path became.
    pending: Vec<(PathBuf, Vec<Change>)>,
    contents: Vec<Content>,
}

#[derive(Clone, Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    durable_bytes: usize,
}

impl MemoryDisk {
    /// Makes an empty disk.
    pub fn new() -> MemoryDisk {
        MemoryDisk(Arc::new(Mutex::new(Files {
            fault: Fault::Never,
            operations: 0,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending: Vec::new(),
            contents: Vec::new(),
        })))
    }

    /// Sets what fails from now on, and counts operations from 0 again.
    pub fn set_fault(&self, fault: Fault) {
        let mut files = self.lock();
        files.fault = fault;
        files.operations = 0;
    }

    /// The number of operations since the fault was set.
    pub fn operations(&self) -> u64 {
        self.lock().operations
    }

    /// Forgets a part of what was not synced, chosen by `random`.
    pub fn cut_power(&self, random: &mut Random) {
        let mut files = self.lock();
        let pending = std::mem::take(&mut files.pending);
        let mut names = files.durable_names.clone();
        for (_, changes) in pending {
            if random.below(2) == 0 {
                apply(&mut names, changes);
            }
        }
        for content in &mut files.contents {
            let lost = content.bytes.len() - content.durable_bytes;
            let kept = content.durable_bytes + random.below(lost + 1);
            content.bytes.truncate(kept);
            content.durable_bytes = kept;
        }
        files.durable_names = names.clone();
        files.names = names;
    }

    /// Puts a file there, durably.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut files = self.lock();
        files.contents.push(Content { bytes: bytes.to_vec(), durable_bytes: bytes.len() });
        let content = files.contents.len() - 1;
        files.names.insert(path.to_path_buf(), content);
        files.durable_names.insert(path.to_path_buf(), content);
    }

    /// All files as a process sees them.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = self.lock();
        files.names.iter().map(|(path, &content)| (path.clone(), files.contents[content].bytes.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock().expect("no operation panics")
    }
}

impl Files {
    /// Counts an operation, which may have to fail.
    fn operate(&mut self) -> io::Result<()> {
        let number = self.operations;
        self.operations += 1;
        match self.fault {
            Fault::Once(failing) if number == failing => Err(io::Error::other("a fault on purpose")),
            Fault::From(failing) if number >= failing => Err(io::Error::other("dead on purpose")),
            _ => Ok(()),
        }
    }

    fn content(&self, path: &Path) -> io::Result<usize> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn change(&mut self, folder: Option<&Path>, changes: Vec<Change>) {
        apply(&mut self.names, changes.clone());
        self.pending.push((folder.map(Path::to_path_buf).unwrap_or_default(), changes));
    }
}

fn apply(names: &mut BTreeMap<PathBuf, usize>, changes: Vec<Change>) {
    for (path, content) in changes {
        match content {
            Some(content) => names.insert(path, content),
            None => names.remove(&path),
        };
    }
}

impl Storage for MemoryDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut files = self.lock();
        files.operate()?;
        files.contents.push(Content::default());
        let content = files.contents.len() - 1;
        files.change(path.parent(), vec![(path.to_path_buf(), Some(content))]);
        Ok(Box::new(MemoryFile { disk: self.clone(), content }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let mut files = self.lock();
        files.operate()?;
        let content = files.content(path)?;
        Ok(Box::new(MemoryFile { disk: self.clone(), content }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.lock();
        files.operate()?;
        let content = files.content(from)?;
        files.change(to.parent(), vec![(from.to_path_buf(), None), (to.to_path_buf(), Some(content))]);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut files = self.lock();
        files.operate()?;
        files.change(path.parent(), vec![(path.to_path_buf(), None)]);
        Ok(())
    }

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        self.lock().operate()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut files = self.lock();
        files.operate()?;
        let (synced, pending) = std::mem::take(&mut files.pending).into_iter().partition(|(folder, _)| folder == path);
        files.pending = pending;
        let synced: Vec<(PathBuf, _)> = synced;
        for (_, changes) in synced {
            apply(&mut files.durable_names, changes);
        }
        Ok(())
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut files = self.lock();
        files.operate()?;
        let inside = files.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    content: usize,
}

impl Write for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.disk.lock();
        let done = files.operate();
        let written = if done.is_ok() { bytes.len() } else { bytes.len() / 2 };
        files.contents[self.content].bytes.extend_from_slice(&bytes[..written]);
        done.map(|()| written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteFile for MemoryFile {
    fn sync(&mut self) -> io::Result<()> {
        let mut files = self.disk.lock();
        files.operate()?;
        let content = &mut files.contents[self.content];
        content.durable_bytes = content.bytes.len();
        Ok(())
    }
}

impl ReadFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.lock().contents[self.content].bytes.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let mut files = self.disk.lock();
        files.operate()?;
        let bytes = &files.contents[self.content].bytes;
        let end = offset.checked_add(buffer.len() as u64).filter(|&end| end <= bytes.len() as u64);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(&bytes[offset as usize..end as usize]);
        Ok(())
    }
}
