//! Serves the web page, whose files in `tools/page` are compiled into the program, and pictures of positions.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use fourbase::notation::draw_svg;
use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::response::{NO_STORE, REVALIDATE};
use super::script;

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

/// Answers the address of the page with its document.
pub async fn index(Extension(client): Extension<Client>) -> Result<Response, Failure> {
    file(&client, INDEX)
}

/// Answers `GET page/NAME`. Refuses the name of the document, which [`index`] serves at the page's address only.
async fn named(Extension(client): Extension<Client>, Path(name): Path<String>) -> Result<Response, Failure> {
    if name == INDEX { Err(Failure::nowhere()) } else { file(&client, &name) }
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

fn file(client: &Client, name: &str) -> Result<Response, Failure> {
    static JOINED: LazyLock<String> = LazyLock::new(|| script::join(&FILES));
    let contents = match name {
        SCRIPT => JOINED.as_bytes(),
        _ => FILES.get_file(name).ok_or_else(|| Failure::missing("the page has no such file"))?.contents(),
    };
    let mut hasher = DefaultHasher::new();
    contents.hash(&mut hasher);
    // The tag is weak because the file may be sent compressed.
    let tag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish())).map(|tag| (header::ETAG, tag));
    let headers: HeaderMap = REVALIDATE.into_iter().chain(tag).collect();
    client.check_is_new(headers.clone())?;
    let media = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    Ok((headers, [(header::CONTENT_TYPE, media)], contents).into_response())
}

/// Which position.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PictureQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Any notation: moves in any spelling, bit strings, GamesmanUni's string, a drawn board, a link.
    #[serde(default = "request::empty_board")]
    position: String,
}

/// Answers `GET api/v1/position.svg`: a position as a picture, for pages that embed it.
pub async fn picture(Fields(query): Fields<PictureQuery>) -> Result<Response, Failure> {
    let position = request::position(query.board.parse()?, &query.position)?;
    Ok((REVALIDATE, [(header::CONTENT_TYPE, "image/svg+xml")], draw_svg(&position)).into_response())
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
