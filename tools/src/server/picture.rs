//! `GET api/v1/position.svg` and `GET api/v1/position.png` draw a position, for pages that embed it. The second is what other sites
//! show beside a link to a game.

use axum::Extension;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use fourbase::notation::{self, Shape, draw_svg, shapes};
use fourbase::{Board, Position};
use serde::Deserialize;
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Transform};

use super::Arguments;
use super::failure::Failure;
use super::request::{self, Client, Fields};
use super::service::ThreadKind;
use crate::arguments::USUAL_BOARD;

/// The size of a PNG in pixels, which sites show without cutting it: <https://developers.facebook.com/docs/sharing/webmasters/images/>.
const SIZE: (u32, u32) = (1200, 630);

/// The least distance in pixels between the board and the edge of a PNG.
const MARGIN: f32 = 30.0;

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

impl PictureQuery {
    fn position(&self) -> Result<Position, Failure> {
        request::position(self.board.parse()?, &self.position)
    }
}

/// Answers `GET api/v1/position.svg`.
pub async fn svg(
    Extension(client): Extension<Client>,
    Fields(query): Fields<PictureQuery>,
) -> Result<Response, Failure> {
    let picture = draw_svg(&query.position()?);
    Ok((client.revalidated(&picture)?, [(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response())
}

/// Answers `GET api/v1/position.png`: the same picture in the middle of a white one.
pub async fn png(
    Extension(client): Extension<Client>,
    Fields(query): Fields<PictureQuery>,
) -> Result<Response, Failure> {
    let position = query.position()?;
    let head = (client.revalidated(&draw_svg(&position))?, [(header::CONTENT_TYPE, "image/png")]);
    if client.is_head {
        return Ok(head.into_response());
    }
    let permit = client.thread(ThreadKind::LookUp).await?;
    Ok((head, client.run(permit, move |_| to_png(&position)).await?).into_response())
}

/// Makes a PNG of a position, which takes some milliseconds.
fn to_png(position: &Position) -> Result<Vec<u8>, Failure> {
    let shapes = shapes(position);
    let no_pixels = || Failure::broken(&std::io::Error::other("a picture without pixels"));
    let frame = shapes.first().ok_or_else(no_pixels)?;
    let ((across, down), (width, height)) = ((SIZE.0 as f32, SIZE.1 as f32), (frame.width as f32, frame.height as f32));
    let scale = ((across - 2.0 * MARGIN) / width).min((down - 2.0 * MARGIN) / height);
    let middle = Transform::from_translate((across - scale * width) / 2.0, (down - scale * height) / 2.0);
    let mut picture = Pixmap::new(SIZE.0, SIZE.1).ok_or_else(no_pixels)?;
    picture.fill(Color::WHITE);
    for shape in &shapes {
        let fill = u32::from_str_radix(&shape.fill[1..], 16).map_err(|error| Failure::broken(&error))?;
        let [_, red, green, blue] = fill.to_be_bytes();
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, u8::MAX);
        let path = outline(shape).ok_or_else(no_pixels)?;
        picture.fill_path(&path, &paint, FillRule::Winding, middle.pre_scale(scale, scale), None);
    }
    picture.encode_png().map_err(|error| Failure::broken(&error))
}

/// Returns the outline of a shape, with a cubic curve for each corner. `None` if it has no area.
fn outline(shape: &Shape) -> Option<Path> {
    let [x, y, width, height, radius] =
        [shape.x, shape.y, shape.width, shape.height, shape.radius].map(|length| length as f32);
    let (right, bottom) = (x + width, y + height);
    // How far the control points of a quarter of a circle are from its corner.
    let bend = radius * 0.4477;
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.cubic_to(right - bend, y, right, y + bend, right, y + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - bend, right - bend, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.cubic_to(x + bend, bottom, x, bottom - bend, x, bottom - radius);
    path.line_to(x, y + radius);
    path.cubic_to(x, y + bend, x + bend, y, x + radius, y);
    path.close();
    path.finish()
}

/// Returns the elements that name the PNG of the position that a link to the page shows. `None` if the link cannot be read, or if the
/// request does not name a host. Behind a trusted proxy its `X-Forwarded-Proto` gives the scheme.
pub fn preview(arguments: &Arguments, uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host: Authority = text("host")?.parse().ok()?;
    // An authority has no quotes and no angle brackets.
    if host.as_str().contains(['@', '&']) {
        return None;
    }
    let forwarded = text("x-forwarded-proto").and_then(|all| all.rsplit(',').next()).unwrap_or_default();
    let is_secure = arguments.trust_proxy && forwarded.trim().eq_ignore_ascii_case("https");
    let scheme = if is_secure { "https" } else { "http" };
    let query = uri.query().unwrap_or_default();
    let board: Board = notation::board_of_link(&format!("?{query}")).or_else(|| USUAL_BOARD.parse().ok())?;
    let position =
        if query.is_empty() { Position::start(board) } else { notation::parse(board, &format!("?{query}")).ok()? };
    let (base, position, (width, height)) = (&arguments.base_path, notation::to_uni(&position), SIZE);
    Some(format!(
        "<meta property=\"og:image\" content=\"{scheme}://{host}{base}/api/v1/position.png?board={board}&amp;position={position}\">\n\
         <meta property=\"og:image:width\" content=\"{width}\">\n<meta property=\"og:image:height\" content=\"{height}\">\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::routes::tests::server;

    #[test]
    fn a_png_shows_the_board_in_its_middle_whatever_its_shape() {
        let colours = |board: &str, moves: &str, places: &[(u32, u32)]| -> Vec<String> {
            let position = notation::parse(board.parse().unwrap(), moves).unwrap();
            let picture = Pixmap::decode_png(&to_png(&position).ok().unwrap()).unwrap();
            assert_eq!((picture.width(), picture.height()), SIZE);
            let colour =
                |(x, y)| picture.pixel(x, y).map(|of| format!("{:02x}{:02x}{:02x}", of.red(), of.green(), of.blue()));
            places.iter().map(|&place| colour(place).unwrap()).collect()
        };
        // A piece of each player, a cell that is empty, the frame, and what is around it.
        let (first, second, empty, frame, around) = ("e0333a", "ffc919", "dfe8fb", "2460d6", "ffffff");
        let places = [(600, 552), (600, 430), (600, 77), (600, 504), (267, 30), (100, 300)];
        assert_eq!(colours("7x6", "44", &places), [first, second, empty, frame, around, around]);
        assert_eq!(colours("1x64", "11", &[(600, 595), (597, 586), (590, 300)]), [first, second, around]);
        assert_eq!(colours("32x1", "12", &[(47, 315), (73, 315), (600, 200)]), [first, second, around]);
    }

    #[test]
    fn the_scheme_of_a_preview_is_that_of_a_trusted_proxy() {
        for (options, scheme) in [(&[][..], "http"), (&["--trust-proxy"], "https")] {
            let mut headers = HeaderMap::new();
            headers.insert("host", "x".parse().unwrap());
            headers.insert("x-forwarded-proto", "http, HTTPS".parse().unwrap());
            let found = preview(&server(options).arguments, &"/?board=2x1&moves=1".parse().unwrap(), &headers).unwrap();
            let address = format!("content=\"{scheme}://x/api/v1/position.png?board=2x1&amp;position=2_X-\"");
            assert!(found.contains(&address), "{found}");
        }
    }
}
