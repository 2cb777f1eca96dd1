//! Which address is answered by what, and what holds for all of them: limits, headers, counts and the log.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::cors::{Any, CorsLayer};

use super::failure::Failure;
use super::metrics::MEDIA;
use super::server::Server;
use super::{batch, boards_api, games, openapi, position, stats, uwapi};

/// The most requests that are being answered.
const MOST_IN_FLIGHT: i64 = 512;

/// The longest address.
const MOST_CHARACTERS: usize = 2048;

/// What browsers may do with answers: nothing of other places, no frames, no guesses.
const SECURITY: [(HeaderName, HeaderValue); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors *; object-src 'none'",
        ),
    ),
];

/// Position pages are many, and each may take a search.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /uwapi/\nDisallow: /*?\n";

/// Makes the router of all addresses.
pub fn router(server: Arc<Server>) -> Router {
    let api = Router::new()
        .route("/boards", get(boards_api::get))
        .route("/position", get(position::get))
        .route("/position.svg", get(position::svg))
        .route("/positions", post(batch::post))
        .route("/analysis", get(games::analysis))
        .route("/move", get(games::next_move))
        .route("/random", get(games::random))
        .route("/stats", get(stats::get))
        .route("/openapi.json", get(openapi::get));
    let routes = Router::new()
        .nest("/api/v1", api)
        .route("/uwapi/", get(uwapi::games))
        .route("/uwapi/{game}/", get(uwapi::game))
        .route("/uwapi/{game}/{variant}/", get(uwapi::described))
        .route("/uwapi/{game}/{variant}/positions/", get(uwapi::positions))
        .route("/uwapi/{game}/{variant}/instructions/", get(uwapi::instructions))
        .route("/connect4/{variant}/start/", get(uwapi::classic_start))
        .route("/connect4/{variant}/positions/", get(uwapi::classic_positions))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/robots.txt", get(|| async { ROBOTS }))
        .route("/metrics", get(metrics));
    let base_path = server.settings.base_path.clone();
    let routes = if base_path.is_empty() { routes } else { Router::new().nest(&base_path, routes) };
    let cors = CorsLayer::new().allow_origin(Any).allow_methods([Method::GET, Method::POST]).allow_headers(Any);
    routes
        .fallback(|| async {
            Failure::missing("there is nothing at this address; docs/server.md lists those that are there")
        })
        .method_not_allowed_fallback(|| async { Failure::method() })
        .layer(cors)
        .layer(from_fn_with_state(Arc::clone(&server), around))
        .with_state(server)
}

/// Counts a request down when it is answered, or goes away before.
struct InFlight<'a>(&'a Server);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.metrics.in_flight.dec();
    }
}

/// What happens around every request.
async fn around(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let before = server.metrics.in_flight.inc();
    let in_flight = InFlight(&server);
    let mut response = if before >= MOST_IN_FLIGHT {
        Failure::busy().into_response()
    } else if uri.path_and_query().is_some_and(|address| address.as_str().len() > MOST_CHARACTERS) {
        Failure::address_too_long().into_response()
    } else {
        next.run(request).await
    };
    drop(in_flight);
    response.headers_mut().extend(SECURITY.map(|(name, value)| (Some(name), value)));
    let (status, time) = (response.status(), begin.elapsed());
    server.metrics.answered(status, time);
    tracing::info!(%method, %uri, status = status.as_u16(), milliseconds = time.as_secs_f64() * 1e3);
    response
}

/// Answers `GET metrics`.
async fn metrics(State(server): State<Arc<Server>>) -> Response {
    let media = HeaderValue::from_static(MEDIA);
    (
        [(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        server.metrics.to_text(),
    )
        .into_response()
}
