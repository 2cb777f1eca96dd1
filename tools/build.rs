//! Packs the texts of the server, which would take 190 KB of the program, and tells it its target and its commit.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use flate2::{Compression, write::GzEncoder};

/// The page, and the description of the server's addresses.
const TEXTS: [&str; 2] = ["page", "src/server/openapi.json"];

fn main() -> io::Result<()> {
    let mut files: Vec<PathBuf> = vec![TEXTS[1].into()];
    for file in fs::read_dir(TEXTS[0])? {
        files.push(file?.path());
    }
    // The same bytes on every machine.
    files.sort();
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    let mut packed = GzEncoder::new(fs::File::create(PathBuf::from(folder).join("texts.gz"))?, Compression::best());
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text =
            fs::read_to_string(&file).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        write!(packed, "{name}\0{text}\0")?;
    }
    packed.finish()?;
    for text in TEXTS {
        println!("cargo:rerun-if-changed={text}");
    }
    println!("cargo:rustc-env=FOURBASE_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo:rerun-if-env-changed=FOURBASE_COMMIT");
    if let Some(commit) = env::var("FOURBASE_COMMIT").ok().filter(|commit| !commit.is_empty()).or_else(commit) {
        println!("cargo:rustc-env=FOURBASE_COMMIT={commit}");
    }
    Ok(())
}

/// Finds the commit: git knows that of a checkout, and cargo has written it into a package.
fn commit() -> Option<String> {
    if let Ok(package) = fs::read_to_string(".cargo_vcs_info.json") {
        return package.split('"').find(|part| part.len() == 40)?.get(..12).map(str::to_owned);
    }
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let changes = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    // Another repository may contain a copy of the files without its own.
    if !Path::new("../.git").exists() || !Path::new(&changes).exists() {
        return None;
    }
    println!("cargo:rerun-if-changed={changes}");
    Some(git(&["rev-parse", "--short=12", "HEAD"])? + " or a change of it")
}
