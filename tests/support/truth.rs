//! The files of known answers, which may lie beside the checkout.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// Reads a file of known answers without its head line, unpacked where its name ends in `.gz`; `None`, with a message,
/// where it is absent.
pub fn rows(name: &str) -> Option<Vec<String>> {
    lines(name).map(|mut lines| lines.split_off(lines.len().min(1)))
}

/// Reads a file of known answers that has no head line, as [`rows`] does.
pub fn lines(name: &str) -> Option<Vec<String>> {
    let path = folder().join(name);
    let text = if name.ends_with(".gz") { unpacked(&path) } else { fs::read_to_string(&path) };
    match text {
        Ok(text) => Some(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("skipped: the known answers {} are not here", path.display());
            None
        }
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/truth")
}

fn unpacked(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}
