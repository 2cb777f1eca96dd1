//! The page: files of `tools/page`, which are part of the program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::failure::Failure;
use super::server::Server;
use super::written::{CHANGING, has};

/// The document.
const INDEX: (&str, &str) = ("index.html", include_str!("../../page/index.html"));

/// Lists files of the page with their texts.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../page/", $name)))),*]
    };
}

/// What the document refers to, at `page/NAME`.
const FILES: [(&str, &str); 25] = files![
    "address.js",
    "api.js",
    "app.js",
    "badge.js",
    "board.js",
    "boards.js",
    "channels.js",
    "dom.js",
    "exports.js",
    "facts.js",
    "follow.js",
    "game.js",
    "history.js",
    "icon.svg",
    "keys.js",
    "live.js",
    "notation.js",
    "notices.js",
    "opener.js",
    "players.js",
    "prefs.js",
    "questions.js",
    "style.css",
    "texts.js",
    "view.js",
];

/// The addresses of the files.
pub fn routes() -> Router<Arc<Server>> {
    Router::new().route("/page/{name}", get(file))
}

/// Answers the address of the page.
pub async fn index(headers: HeaderMap) -> Response {
    answer(INDEX, &headers)
}

/// Answers `GET /page/NAME`.
async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Failure> {
    let found = FILES.into_iter().find(|(of, _)| *of == name);
    Ok(answer(found.ok_or_else(|| Failure::missing("the page has no such file"))?, &headers))
}

fn answer((name, text): (&str, &'static str), headers: &HeaderMap) -> Response {
    let tag = tag(text);
    let with = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media(name))),
        (header::CACHE_CONTROL, CHANGING),
        (header::ETAG, tag.clone()),
    ];
    if has(headers, &tag) { (StatusCode::NOT_MODIFIED, with).into_response() } else { (with, text).into_response() }
}

/// Names the text of a file: another program has another one.
fn tag(text: &str) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = HeaderValue::from_str(&format!("\"{:016x}\"", hasher.finish()));
    // Hexadecimal digits between quotes are a header.
    tag.unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

fn media(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_part_of_the_page() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let mut names: Vec<String> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != INDEX.0);
        names.sort();
        assert_eq!(names, FILES.map(|(name, _)| name));
    }

    #[test]
    fn the_page_is_less_than_100_kilobytes() {
        let bytes = INDEX.1.len() + FILES.iter().map(|(_, text)| text.len()).sum::<usize>();
        assert!(bytes < 100_000, "{bytes}");
    }

    #[test]
    fn modules_import_only_files_of_the_page() {
        for (name, text) in FILES.into_iter().filter(|(name, _)| name.ends_with(".js")) {
            for rest in text.split(" from \"").skip(1) {
                let module = rest.split('"').next().unwrap();
                let is_there = |module: &str| FILES.iter().any(|(of, _)| *of == module);
                assert!(module.strip_prefix("./").is_some_and(is_there), "{name} imports {module}");
            }
        }
    }
}
