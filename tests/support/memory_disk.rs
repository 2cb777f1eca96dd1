//! Files in memory that fail on demand and lose what was not synced when the power goes.
//!
//! Every operation has a number. From the operation on that a [`Fault`] names, operations fail, one of them or all; a
//! write that fails has written half of its bytes. A [`MemoryDisk::cut_power`] then forgets a random part of what no
//! sync made durable: the ends of files, and names that came, went or changed, in any combination; what is in a folder
//! whose own name is lost is lost too.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::positions::Random;
use super::tiers::{Lock, ReadFile, ReadStorage, Storage, WriteFile};

/// Which operations fail, counted from 0.
#[derive(Clone, Copy, Default, Debug)]
pub enum Fault {
    /// None.
    #[default]
    Never,
    /// One, and those after it go well: a disk that is full for a moment.
    Once(u64),
    /// One and all after it: the process is dead.
    From(u64),
    /// Writes, once so many bytes are written: the disk is full. The last write before is short.
    Full(u64),
    /// None, but a read or a write does one byte, and every other one is interrupted.
    Drip,
}

/// Files in memory; clones share them.
#[derive(Clone, Default, Debug)]
pub struct MemoryDisk(Arc<Mutex<Files>>);

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Folder,
    /// The content of this number.
    File(usize),
}

/// A name and what it became.
type Change = (PathBuf, Option<Node>);

#[derive(Default, Debug)]
struct Files {
    fault: Fault,
    /// What the disk reports as free; nothing makes it less.
    free_bytes: Option<u64>,
    operations: u64,
    written_bytes: u64,
    /// What a process sees.
    names: BTreeMap<PathBuf, Node>,
    /// What a power cut leaves at least.
    durable_names: BTreeMap<PathBuf, Node>,
    /// Changes of names since: what each path became.
    pending: Vec<(PathBuf, Vec<Change>)>,
    contents: Vec<Content>,
    /// Locks that are held, or were.
    locks: BTreeMap<PathBuf, Weak<()>>,
    /// What was ever put under a name by a rename.
    published: BTreeSet<(PathBuf, Vec<u8>)>,
}

#[derive(Clone, Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    durable_bytes: usize,
}

impl MemoryDisk {
    /// Makes an empty disk that reports so many bytes as free.
    pub fn with_free_bytes(free_bytes: u64) -> MemoryDisk {
        MemoryDisk(Arc::new(Mutex::new(Files { free_bytes: Some(free_bytes), ..Files::default() })))
    }

    /// Sets what fails from now on, and counts operations and bytes from 0 again.
    pub fn set_fault(&self, fault: Fault) {
        let mut files = self.lock_files();
        (files.fault, files.operations, files.written_bytes) = (fault, 0, 0);
    }

    /// The numbers of operations and of bytes written since the fault was set.
    pub fn done(&self) -> [u64; 2] {
        let files = self.lock_files();
        [files.operations, files.written_bytes]
    }

    /// Everything that was ever put under a name by a rename.
    pub fn published(&self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        self.lock_files().published.clone()
    }

    /// Forgets a part of what was not synced, chosen by `random`.
    pub fn cut_power(&self, random: &mut Random) {
        let mut files = self.lock_files();
        let pending = std::mem::take(&mut files.pending);
        let mut names = files.durable_names.clone();
        for (_, changes) in pending {
            if random.below(2) == 0 {
                apply(&mut names, changes);
            }
        }
        // Paths come after the folders that they are in.
        let mut kept = BTreeMap::new();
        for (path, node) in names {
            if is_folder(&kept, path.parent()) {
                kept.insert(path, node);
            }
        }
        for content in &mut files.contents {
            let lost = content.bytes.len() - content.durable_bytes;
            let kept = content.durable_bytes + random.below(lost + 1);
            content.bytes.truncate(kept);
            content.durable_bytes = kept;
        }
        files.durable_names = kept.clone();
        files.names = kept;
    }

    /// Puts a file there, and the folders that it is in, durably.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut files = self.lock_files();
        files.contents.push(Content { bytes: bytes.to_vec(), durable_bytes: bytes.len() });
        let file = Node::File(files.contents.len() - 1);
        for (number, path) in path.ancestors().map(Path::to_path_buf).enumerate() {
            let node = if number == 0 { file } else { Node::Folder };
            files.names.insert(path.clone(), node);
            files.durable_names.insert(path, node);
        }
    }

    /// Takes a file away, durably.
    pub fn take(&self, path: &Path) {
        let mut files = self.lock_files();
        files.names.remove(path);
        files.durable_names.remove(path);
    }

    /// All files as a process sees them.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = self.lock_files();
        let bytes = |path: &PathBuf| Some((path.clone(), files.contents[files.content(path).ok()?].bytes.clone()));
        files.names.keys().filter_map(bytes).collect()
    }

    /// Whether there is anything at all, be it an empty folder.
    pub fn is_empty(&self) -> bool {
        self.lock_files().names.is_empty()
    }

    fn lock_files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().expect("no operation panics")
    }

    /// Locks the files for an operation, which may have to fail.
    fn operate(&self) -> io::Result<MutexGuard<'_, Files>> {
        let mut files = self.lock_files();
        files.operate()?;
        Ok(files)
    }
}

fn is_folder(names: &BTreeMap<PathBuf, Node>, path: Option<&Path>) -> bool {
    // Where there is nothing above, there is always something.
    path.is_none_or(|path| path.parent().is_none() || names.get(path) == Some(&Node::Folder))
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
        match self.names.get(path) {
            Some(Node::File(content)) => Ok(*content),
            Some(Node::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn check_folder(&self, path: Option<&Path>) -> io::Result<()> {
        if is_folder(&self.names, path) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// Tells how many of so many bytes a read or a write does.
    fn share(&mut self, bytes: usize) -> io::Result<usize> {
        match self.fault {
            Fault::Drip if self.operations.is_multiple_of(2) => Err(io::ErrorKind::Interrupted.into()),
            Fault::Drip => Ok(bytes.min(1)),
            _ => Ok(bytes),
        }
    }

    fn change(&mut self, folder: Option<&Path>, changes: Vec<Change>) {
        apply(&mut self.names, changes.clone());
        self.pending.push((folder.map(Path::to_path_buf).unwrap_or_default(), changes));
    }
}

fn apply(names: &mut BTreeMap<PathBuf, Node>, changes: Vec<Change>) {
    for (path, node) in changes {
        match node {
            Some(node) => names.insert(path, node),
            None => names.remove(&path),
        };
    }
}

impl ReadStorage for MemoryDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(MemoryFile { content: self.operate()?.content(path)?, disk: self.clone() }))
    }
}

impl Storage for MemoryDisk {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let files = self.operate()?;
        let inside = files.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut files = self.operate()?;
        files.check_folder(path.parent())?;
        files.contents.push(Content::default());
        let content = files.contents.len() - 1;
        files.change(path.parent(), vec![(path.to_path_buf(), Some(Node::File(content)))]);
        Ok(Box::new(MemoryFile { disk: self.clone(), content }))
    }

    fn open_to_write(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        Ok(Box::new(MemoryFile { content: self.operate()?.content(path)?, disk: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.operate()?;
        let content = files.content(from)?;
        let bytes = files.contents[content].bytes.clone();
        files.published.insert((to.to_path_buf(), bytes));
        files.change(to.parent(), vec![(from.to_path_buf(), None), (to.to_path_buf(), Some(Node::File(content)))]);
        Ok(())
    }

    fn exchange(&self, folder: &Path, other: &Path) -> io::Result<bool> {
        let mut files = self.operate()?;
        if !files.names.contains_key(folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let was_there = files.names.contains_key(other);
        let (mut changes, mut moved) = (Vec::new(), Vec::new());
        for (from, to) in [(folder, other), (other, folder)] {
            for (path, node) in files.names.iter().filter(|(path, _)| path.starts_with(from)) {
                changes.push((path.clone(), None));
                let rest = path.strip_prefix(from).expect("a path below");
                moved.push((to.components().chain(rest.components()).collect(), Some(*node)));
            }
        }
        changes.extend(moved);
        files.change(folder.parent(), changes);
        Ok(was_there)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut files = self.operate()?;
        files.change(path.parent(), vec![(path.to_path_buf(), None)]);
        Ok(())
    }

    fn create_folder(&self, path: &Path) -> io::Result<bool> {
        let mut files = self.operate()?;
        files.check_folder(path.parent())?;
        if is_folder(&files.names, Some(path)) {
            return Ok(false);
        }
        files.change(path.parent(), vec![(path.to_path_buf(), Some(Node::Folder))]);
        Ok(true)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut files = self.operate()?;
        files.check_folder(Some(path))?;
        if files.names.keys().any(|inside| inside.parent() == Some(path)) {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        files.change(path.parent(), vec![(path.to_path_buf(), None)]);
        Ok(())
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut files = self.operate()?;
        files.check_folder(Some(path))?;
        let synced: Vec<_> = files.pending.extract_if(.., |(folder, _)| folder == path).collect();
        for (_, changes) in synced {
            apply(&mut files.durable_names, changes);
        }
        Ok(())
    }

    fn free_bytes(&self, folder: &Path) -> Option<u64> {
        let files = self.lock_files();
        files.free_bytes.filter(|_| is_folder(&files.names, Some(folder)))
    }

    fn lock(&self, path: &Path) -> io::Result<Result<Lock, String>> {
        let mut files = self.operate()?;
        files.check_folder(path.parent())?;
        if files.locks.get(path).is_some_and(|held| held.strong_count() > 0) {
            return Ok(Err("somebody".to_owned()));
        }
        let lock = Arc::new(());
        files.locks.insert(path.to_path_buf(), Arc::downgrade(&lock));
        Ok(Ok(Box::new(lock)))
    }
}

#[derive(Debug)]
struct MemoryFile {
    disk: MemoryDisk,
    content: usize,
}

impl MemoryFile {
    /// Writes some of the bytes from `start` on.
    fn write_some(&self, bytes: &[u8], start: usize) -> io::Result<usize> {
        let mut files = self.disk.lock_files();
        let done = files.operate();
        let mut written = if done.is_ok() { files.share(bytes.len())? } else { bytes.len() / 2 };
        if let Fault::Full(limit) = files.fault {
            written = written.min((limit - files.written_bytes) as usize);
            if written == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        files.written_bytes += written as u64;
        let content = &mut files.contents[self.content].bytes;
        content.resize(content.len().max(start + written), 0);
        content[start..][..written].copy_from_slice(&bytes[..written]);
        done.map(|()| written)
    }
}

impl WriteFile for MemoryFile {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            match self.write_some(&bytes[done..], offset as usize + done) {
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut files = self.disk.operate()?;
        let content = &mut files.contents[self.content];
        content.durable_bytes = content.bytes.len();
        Ok(())
    }
}

impl ReadFile for MemoryFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.lock_files().contents[self.content].bytes.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut files = self.disk.operate()?;
        let left = files.contents[self.content].bytes.len().saturating_sub(offset as usize);
        let read = files.share(buffer.len().min(left))?;
        let bytes = &files.contents[self.content].bytes;
        buffer[..read].copy_from_slice(&bytes[bytes.len() - left..][..read]);
        Ok(read)
    }
}
