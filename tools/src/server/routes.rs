//! The handler of each address, and what all addresses have in common: limits, headers, metrics and the log.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

use super::failure::Failure;
use super::metrics::{MEDIA, RequestLog, to_text};
use super::request::Client;
use super::response::{JSON, NO_STORE, NO_TRANSFORM, REVALIDATE};
use super::service::Server;
use super::{batch, boards, games, page, picture, position, uwapi};

/// The address of the picture of a position. Pages of all sites may show it, because it takes no search.
const PICTURE: &str = "/api/v1/position.svg";

/// The longest address.
const MAX_ADDRESS_CHARACTERS: usize = 2048;

/// Answers of at least this many bytes are compressed if the client accepts that. Answers about one position are shorter.
const LARGE_BYTES: u64 = 4096;

/// The address that monitors ask whether the server runs.
const HEALTH: &str = "/healthz";

/// Headers that limit what browsers do with answers: no guess at the media type, no referrer, no content from other sites. Any site
/// may show the page in a frame.
const SECURITY: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors *; object-src 'none'",
    ),
];

/// How long a browser may remember whether a page of another site may ask (CORS).
const A_DAY: Duration = Duration::from_secs(86_400);

/// Makes the router of all addresses.
pub fn router(server: Arc<Server>) -> Router {
    let api = Router::new()
        .route("/boards", get(boards::boards))
        .route("/position", get(position::get))
        .route("/position.svg", get(picture::svg))
        .route("/position.png", get(picture::png))
        .route("/positions", post(batch::post))
        .route("/analysis", get(games::analysis))
        .route("/players", get(games::players))
        .route("/move", get(games::next_move))
        .route("/puzzle", get(games::puzzle))
        .route("/random", get(position::random))
        .route("/stats", get(boards::stats))
        .route("/openapi.json", get(openapi));
    let routes = Router::new()
        .nest("/api/v1", api)
        .merge(uwapi::routes())
        .merge(page::routes())
        .route("/solve", get(position::solve))
        .route(HEALTH, get(|| async { "ok\n" }));
    let robots = robots(&server.arguments.base_path);
    let home = server.arguments.base_path.clone();
    let asked = Arc::clone(&server);
    let origins = match server.origins.has_all() {
        true => AllowOrigin::any(),
        false => AllowOrigin::predicate(move |origin, request| {
            origin.to_str().is_ok_and(|origin| asked.origins.have(origin, &request.headers))
        }),
    };
    let cors = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(Any)
        .expose_headers([header::ETAG, header::RETRY_AFTER])
        .max_age(A_DAY);
    let compression = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        // A compressor would hold back the lines of a stream.
        .compress_when(SizeAbove::new(LARGE_BYTES).and(|_: StatusCode, _, headers: &HeaderMap, _: &_| {
            headers.get(header::CACHE_CONTROL) != Some(&NO_TRANSFORM[0].1)
        }));
    beneath(&server.arguments.base_path, routes)
        // Crawlers look for robots.txt at the root, even if the base path is another.
        .route("/robots.txt", get(|| async { robots }))
        .fallback(move |headers: HeaderMap| async move { page::lost(&home, &headers) })
        .method_not_allowed_fallback(|| async {
            let reason = "this address does not take this method; see docs/reference/http.md";
            Failure::new(StatusCode::METHOD_NOT_ALLOWED, reason)
        })
        .layer(from_fn_with_state(Arc::clone(&server), around))
        .layer(map_response(|response: Response| async { (SECURITY, response) }))
        .layer(cors)
        .layer(compression)
}

/// Makes the router of `--metrics-address`.
pub fn metrics_router(server: Arc<Server>) -> Router {
    let metrics = move || std::future::ready(([(header::CONTENT_TYPE, MEDIA)], NO_STORE, to_text(&server)));
    Router::new().route("/metrics", get(metrics))
}

/// Puts all routes beneath `base_path`. The path without a slash redirects to the page with one, because the page's relative links
/// need it.
fn beneath(base_path: &str, routes: Router) -> Router {
    let page = format!("{base_path}/");
    if base_path.is_empty() {
        return routes.route(&page, get(page::index));
    }
    let routes = Router::new().nest(base_path, routes).route(&page, get(page::index));
    routes.route(base_path, get(|| async move { Redirect::permanent(&page) }))
}

/// Writes robots.txt. It keeps crawlers away from positions, which are many and may take a search each. Programs that make the preview
/// of a link run no scripts, and may read the page and draw the position.
fn robots(base_path: &str) -> String {
    let paths =
        ["/api/", "/solve", "/uwapi/", "/connect4/"].map(|path| format!("Disallow: {base_path}{path}\n")).concat();
    format!(
        "User-agent: Twitterbot\nUser-agent: facebookexternalhit\nUser-agent: LinkedInBot\n\
         Allow: {base_path}/api/v1/position.png\n{paths}\nUser-agent: *\n{paths}Disallow: {base_path}/*?\n"
    )
}

/// Wraps every request: logs it, limits it, and refuses pages of other sites. Answers [`HEALTH`] even at the limit of requests.
async fn around(State(server): State<Arc<Server>>, mut request: Request, next: Next) -> Response {
    let log = RequestLog::new(&server, &request);
    let client = Client::of(&server, &request);
    let path = request.uri().path();
    let is_monitor = path.strip_prefix(&*server.arguments.base_path) == Some(HEALTH);
    let permit = match server.requests.try_acquire(client.address) {
        Err(limit) if !is_monitor => {
            let failure = Failure::limited(limit, "your address has too many requests at a time");
            return log.until_sent(failure.into_response(), None);
        }
        permit => permit.ok(),
    };
    let is_long = request.uri().path_and_query().is_some_and(|address| address.as_str().len() > MAX_ADDRESS_CHARACTERS);
    let response = if is_long {
        let reason = "this address is too long; a batch takes positions in its body";
        Failure::new(StatusCode::URI_TOO_LONG, reason).into_response()
    } else if let Some(origin) = server.origins.refused(request.headers()).filter(|_| !path.ends_with(PICTURE)) {
        let origin = fourbase::excerpt(&origin, 100);
        let reason =
            format!("pages of {origin} may not ask this server; whoever runs it can allow them with --allow-origin");
        Failure::new(StatusCode::FORBIDDEN, reason).into_response()
    } else {
        request.extensions_mut().insert(client);
        next.run(request).await
    };
    log.until_sent(response, permit)
}

/// Answers `GET api/v1/openapi.json`, a description of all addresses. `schema_test.rs` generates the file.
async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, JSON)], REVALIDATE, page::FILES.get(page::OPENAPI).copied().unwrap_or_default())
}

#[cfg(test)]
pub mod tests {
    use axum::body::{Body, to_bytes};
    use clap::Parser;
    use fourbase::Game;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;
    use crate::server::Arguments;
    use crate::server::fair_semaphore::LimitReached;
    use crate::server::service::AnalysisRequest;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    pub async fn ask(server: &Arc<Server>, request: Request) -> Response {
        TowerToHyperService::new(router(Arc::clone(server))).call(request).await.unwrap()
    }

    async fn get(server: &Arc<Server>, address: &str) -> Response {
        ask(server, Request::get(address).body(Body::empty()).unwrap()).await
    }

    /// Makes a server whose folder of databases, `db`, need not exist.
    pub fn server(options: &[&str]) -> Arc<Server> {
        server_over("db", options)
    }

    pub fn server_over(root: &str, options: &[&str]) -> Arc<Server> {
        Server::new(&Line::parse_from([&["serve", "--db", root], options].concat()).arguments)
    }

    /// Tokio's paused clock moves only by what the test adds.
    #[tokio::test(start_paused = true)]
    async fn what_a_search_did_not_decide_is_remembered_for_five_minutes() {
        let server = server(&["--search-nodes", "1000"]);
        for (seconds, searches) in [(0, 1), (299, 1), (0, 1), (2, 2), (299, 2), (300, 3)] {
            tokio::time::advance(Duration::from_secs(seconds)).await;
            let answer = get(&server, "/api/v1/position?board=9x7&position=44").await;
            assert_eq!(answer.headers()["cache-control"], "no-store");
            assert_eq!(server.metrics.searches.get(), searches, "{seconds} s later");
        }
    }

    #[tokio::test]
    async fn what_was_not_decided_in_time_is_not_searched_again_for_games_and_players() {
        let server = server(&["--search-seconds", "1"]);
        let board = "9x7".parse().unwrap();
        let source = Client::of(&server, &Request::default()).find(board).await.ok().unwrap();
        let remembered = |moves| {
            let request = AnalysisRequest::of(*Game::parse(board, moves).unwrap().position());
            server.cached(&source, &request).is_some()
        };
        assert!(!remembered("44"));
        let answer = get(&server, "/api/v1/move?board=9x7&moves=44&player=perfect").await;
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert!(remembered("44"));
        // An analysis gives the last position all the time, so its undecided answer is kept. Earlier positions get only a quick
        // search, so theirs is not.
        assert_eq!(get(&server, "/api/v1/analysis?board=9x7&moves=5").await.status(), StatusCode::OK);
        assert_eq!((remembered("5"), remembered("")), (true, false));
    }

    #[tokio::test]
    async fn requests_beyond_the_limit_are_refused_until_others_are_over() {
        let server = server(&[]);
        // Four addresses take all 512 permits, each its share of 128.
        let of = |place: usize| [1, 1, 1, (place / 128) as u8].into();
        let mut places: Vec<_> = (0..512).map(|place| server.requests.try_acquire(of(place)).unwrap()).collect();
        assert_eq!(server.requests.try_acquire(of(0)).err(), Some(LimitReached::OfAddress));
        for address in ["/", "/page/app.js", "/api/v1/position?board=7x6", "/uwapi/", "/nowhere", "/robots.txt"] {
            let refused = get(&server, address).await;
            assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "{address}");
            for (name, value) in [("retry-after", "5"), ("cache-control", "no-store")] {
                assert_eq!(refused.headers()[name], value, "{address}");
            }
            let body = to_bytes(refused.into_body(), 1000).await.unwrap();
            assert_eq!(body, r#"{"error":"this server has too many requests; ask again in a few seconds"}"#);
        }
        // A monitor still gets an answer.
        assert_eq!(get(&server, "/healthz").await.status(), StatusCode::OK);
        let counts = to_text(&server);
        assert!(counts.contains("fourbase_requests_in_flight 512\n"), "{counts}");
        assert!(counts.contains("fourbase_requests_total{status=\"503\"} 6\n"), "{counts}");
        // An answer holds its permit until its body is dropped.
        places.pop();
        let answer = get(&server, "/").await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(get(&server, "/").await.status(), StatusCode::SERVICE_UNAVAILABLE);
        drop(answer);
        assert_eq!(get(&server, "/").await.status(), StatusCode::OK);
    }
}
