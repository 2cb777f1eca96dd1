//! What people look at: the page, whose files of `tools/page` are part of the program, and pictures of positions.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use fourbase::notation::draw_svg;
use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::failure::Failure;
use super::http::{self, CHANGING, Fields, has};
use super::state::Server;

/// The document of the page.
const INDEX: &str = "index.html";

/// The document, and what it refers to, at `page/NAME`.
static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/page");

/// The addresses of the files.
pub fn routes() -> Router<Arc<Server>> {
    let named = |Path(name): Path<String>, headers: HeaderMap| async move {
        // The document has one address, that of the page.
        if name == INDEX { Err(Failure::nowhere()) } else { file(&name, &headers) }
    };
    Router::new().route("/page/{name}", get(named))
}

/// Answers the address of the page.
pub async fn index(headers: HeaderMap) -> Result<Response, Failure> {
    file(INDEX, &headers)
}

fn file(name: &str, headers: &HeaderMap) -> Result<Response, Failure> {
    let file = FILES.get_file(name).ok_or_else(|| Failure::missing("the page has no such file"))?;
    // Another program has another file, and names it otherwise. Weak: it may be compressed.
    let mut hasher = DefaultHasher::new();
    file.contents().hash(&mut hasher);
    let tag =
        HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish())).map_err(|error| Failure::broken(&error))?;
    let media = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    let is_known = has(headers, &tag);
    let with = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media)),
        (header::CACHE_CONTROL, CHANGING),
        (header::ETAG, tag),
    ];
    Ok(if is_known {
        (StatusCode::NOT_MODIFIED, with).into_response()
    } else {
        (with, file.contents()).into_response()
    })
}

/// Which position.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PictureQuery {
    /// Columns x rows, then cN for lines of N instead of 4, then m for misère.
    board: String,
    /// Any notation: moves in any spelling, bit strings, GamesmanUni's string, a drawn board, a link.
    #[serde(default = "http::empty_board")]
    position: String,
}

/// Answers `GET api/v1/position.svg`: a position as a picture, for pages that embed it.
pub async fn picture(Fields(query): Fields<PictureQuery>) -> Result<Response, Failure> {
    let position = http::position(query.board.parse()?, &query.position)?;
    let media = HeaderValue::from_static("image/svg+xml");
    Ok(([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, CHANGING)], draw_svg(&position)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_less_than_100_kilobytes_and_imports_only_its_files() {
        let bytes: usize = FILES.files().map(|file| file.contents().len()).sum();
        assert!(bytes > 10_000 && bytes < 100_000, "{bytes}");
        for file in FILES.files() {
            for rest in file.contents_utf8().unwrap().split(" from \"").skip(1) {
                let module = rest.split('"').next().unwrap();
                let is_there = |name| FILES.get_file(name).is_some();
                assert!(module.strip_prefix("./").is_some_and(is_there), "{:?} imports {module}", file.path());
            }
        }
    }
}
