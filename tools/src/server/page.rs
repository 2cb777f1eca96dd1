//! Serves the web page, whose files in `tools/page` are compiled into the program.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::io::Read;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use flate2::read::GzDecoder;

use super::failure::Failure;
use super::request::Client;
use super::response::NO_STORE;
use super::{picture, script};

/// The document of the page.
const INDEX: &str = "index.html";

/// The name of the joined modules.
const SCRIPT: &str = "script.js";

/// The files of the page: the document, what it loads from `page/NAME`, and the modules that [`SCRIPT`] joins.
pub static FILES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let mut files = BTreeMap::new();
    let mut texts = TEXTS.split('\0');
    while let (Some(name), Some(text)) = (texts.next(), texts.next()) {
        files.insert(name, text);
    }
    files
});

/// What `build.rs` has packed: each file's name and its text, with a NUL after both.
static TEXTS: LazyLock<String> = LazyLock::new(|| {
    let mut texts = String::new();
    // It is part of the program; a test reads all files.
    let _ = GzDecoder::new(include_bytes!(concat!(env!("OUT_DIR"), "/texts.gz")).as_slice()).read_to_string(&mut texts);
    texts
});

/// The description of all addresses, which is no file of the page.
pub const OPENAPI: &str = "openapi.json";

/// Makes the router of the files other than the document.
pub fn routes() -> Router {
    Router::new().route("/page/{name}", get(named))
}

/// Answers the address of the page with its document, and with the address of the picture that a link to a game is shown with.
pub async fn index(Extension(client): Extension<Client>, uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    let document = FILES.get(INDEX).copied().unwrap_or_default();
    let preview = picture::preview(&client.server.arguments, &uri, &headers).unwrap_or_default();
    file(&client, INDEX, document.replacen("</head>", &format!("{preview}</head>"), 1))
}

/// Answers `GET page/NAME`. There is no such address for other names, and for the document, which [`index`] serves.
async fn named(Extension(client): Extension<Client>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    static JOINED: LazyLock<String> = LazyLock::new(|| script::join(&FILES));
    let contents = match &*name {
        SCRIPT => Some(JOINED.as_str()),
        INDEX | OPENAPI => None,
        _ => FILES.get(&*name).copied(),
    };
    match contents {
        Some(contents) => file(&client, &name, contents).into_response(),
        None => lost(&client.server.arguments.base_path, &headers),
    }
}

/// Answers an address that the server does not have: a page with a link home for a browser, JSON for a program.
pub fn lost(home: &str, headers: &HeaderMap) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if !accepts.is_some_and(|accept| accept.contains("text/html")) {
        return Failure::nowhere().into_response();
    }
    let text = format!(
        "<!DOCTYPE html><html lang=\"en\"><meta name=\"viewport\" content=\"width=device-width\"><title>Not found</title>\
         <p>There is nothing at this address. <a href=\"{home}/\">Play Connect Four</a></p></html>\n"
    );
    (StatusCode::NOT_FOUND, NO_STORE, Html(text)).into_response()
}

fn file(client: &Client, name: &str, contents: impl IntoResponse + Hash) -> Result<Response, Failure> {
    let headers = client.revalidated(&contents)?;
    let media = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    Ok((headers, [(header::CONTENT_TYPE, media)], contents).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_at_most_3000_lines_and_imports_only_its_files() {
        let page = || FILES.iter().filter(|(name, _)| **name != OPENAPI);
        let lines: usize = page().map(|(_, text)| text.lines().count()).sum();
        assert!(lines > 1000 && lines <= 3000, "{lines}");
        for (name, text) in page() {
            for rest in text.split(" from \"").skip(1) {
                let module = rest.split('"').next().unwrap();
                let is_there = |name| FILES.contains_key(name);
                assert!(module.strip_prefix("./").is_some_and(is_there), "{name} imports {module}");
            }
        }
    }
}
