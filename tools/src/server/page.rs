//! Serves the web page, whose files in `tools/page` are compiled into the program.

use std::hash::Hash;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use include_dir::{Dir, include_dir};

use super::failure::Failure;
use super::request::Client;
use super::response::NO_STORE;
use super::{picture, script};

/// The document of the page.
const INDEX: &str = "index.html";

/// The name of the joined modules.
const SCRIPT: &str = "script.js";

/// The files of the page: the document, what it loads from `page/NAME`, and the modules that [`SCRIPT`] joins.
pub static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/page");

/// Makes the router of the files other than the document.
pub fn routes() -> Router {
    Router::new().route("/page/{name}", get(named))
}

/// Answers the address of the page with its document, and with the address of the picture that a link to a game is shown with.
pub async fn index(Extension(client): Extension<Client>, uri: Uri, headers: HeaderMap) -> Result<Response, Failure> {
    let document = FILES.get_file(INDEX).and_then(|file| file.contents_utf8()).unwrap_or_default();
    let preview = picture::preview(&client.server.arguments, &uri, &headers).unwrap_or_default();
    file(&client, INDEX, document.replacen("</head>", &format!("{preview}</head>"), 1))
}

/// Answers `GET page/NAME`. There is no such address for other names, and for the document, which [`index`] serves.
async fn named(Extension(client): Extension<Client>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    static JOINED: LazyLock<String> = LazyLock::new(|| script::join(&FILES));
    let contents = match &*name {
        SCRIPT => Some(JOINED.as_bytes()),
        INDEX => None,
        _ => FILES.get_file(&name).map(|file| file.contents()),
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
        let lines: usize = FILES.files().map(|file| file.contents_utf8().unwrap().lines().count()).sum();
        assert!(lines > 1000 && lines <= 3000, "{lines}");
        for file in FILES.files() {
            for rest in file.contents_utf8().unwrap().split(" from \"").skip(1) {
                let module = rest.split('"').next().unwrap();
                let is_there = |name| FILES.get_file(name).is_some();
                assert!(module.strip_prefix("./").is_some_and(is_there), "{:?} imports {module}", file.path());
            }
        }
    }
}
