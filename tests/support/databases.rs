//! Databases: solved once for all tests, in memory or in a folder, perhaps damaged; and their verification.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fs, io};

use fourbase::Board;
pub use fourbase_tiers::communicator::Communicator;
pub use fourbase_tiers::testing::Threads;
use fourbase_tiers::verify;
pub use fourbase_tiers::verify::{Fault, FaultKind, Options, Report};
use tempfile::TempDir;

use super::solves::Solve;
use super::tiers::{Database, ReadFile, Storage, Values};

/// The bytes of every file of a database, by name.
pub type Files = Arc<BTreeMap<String, Vec<u8>>>;

/// The databases by board and values. A test that asks for one while another test solves it waits.
static ALL: Mutex<BTreeMap<String, Arc<OnceLock<Files>>>> = Mutex::new(BTreeMap::new());

/// Opens the database of a board, which is in memory; nothing of it is in the cache yet.
pub fn shared(board: Board, values: Values) -> Database {
    let sound = files(board, values);
    Solve::new(board, values).open_on(Snapshot { sound, damaged: None }).expect("a database")
}

/// Returns the files of the database of a board.
pub fn files(board: Board, values: Values) -> Files {
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let once = all().entry(format!("{board} {values}")).or_default().clone();
    once.get_or_init(|| Arc::new(Solve::new(board, values).whole())).clone()
}

/// Writes the files of the database of a board into a folder.
pub fn write(board: Board, values: Values, folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for (name, bytes) in files(board, values).iter() {
        fs::write(folder.join(name), bytes).expect("a file");
    }
}

/// The files of one folder by name, whatever the folder's path, with another content of one of them.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub sound: Files,
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

/// A board and its database.
#[derive(Debug)]
pub struct Solved {
    solve: Solve,
    // Keeps the folder.
    _root: TempDir,
}

impl Solved {
    /// Writes the database of a board, which is solved once for all tests.
    pub fn new(board: Board, values: Values) -> Solved {
        let root = TempDir::new().expect("a temporary folder");
        let solve = Solve::new(board, values).with_root(root.path());
        write(board, values, &solve.folder());
        Solved { solve, _root: root }
    }

    /// The database's folder.
    pub fn folder(&self) -> PathBuf {
        self.solve.folder()
    }

    /// Opens the database; nothing of it is in memory yet.
    pub fn open(&self) -> Database {
        Database::open(&self.folder()).expect("a database")
    }
}

/// Verifies a database; `set` changes the options of a whole verification.
pub fn verify<'a>(database: &Database, set: impl FnOnce(&mut Options<'a>)) -> Report {
    let mut options = Options::default();
    set(&mut options);
    verify::verify(database, &options, &()).expect("a verification")
}
