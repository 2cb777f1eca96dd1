//! Checks which web sites may send requests from their pages. Others are refused because each request takes this server's time.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, Uri, header};

use crate::arguments::refused;

/// Headers that a browser adds to a request: `SITE` compares the page's site with the server's, `PURPOSE` is what the answer is
/// for.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const PURPOSE: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The values of `--allow-origin`. The server's own page and pages of this machine may always ask.
pub struct Origins(pub Vec<String>);

impl Origins {
    /// Tells whether all sites may ask.
    pub fn has_all(&self) -> bool {
        self.0.iter().any(|origin| origin == "*")
    }

    /// Tells whether a site may ask.
    pub fn have(&self, origin: &str, headers: &HeaderMap) -> bool {
        let uri: Option<Uri> = origin.parse().ok();
        let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let authority = uri.as_ref().and_then(Uri::authority).map(|authority| authority.as_str());
        // Behind a proxy, Host may differ from the public name that the browser sees, so the browser's own header counts too.
        let is_own = text(headers, &header::HOST) == authority || text(headers, &SITE) == Some("same-origin");
        let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        self.has_all() || is_own && authority.is_some() || is_here || self.0.iter().any(|of| of == origin)
    }

    /// Returns the site of a request if that site may not ask, else `None`. Allows links that a user follows from any site, and
    /// programs other than browsers, which name no site.
    pub fn refused(&self, headers: &HeaderMap) -> Option<String> {
        if let Some(origin) = text(headers, &header::ORIGIN) {
            return (!self.have(origin, headers)).then(|| origin.to_owned());
        }
        // Requests for pictures, scripts and frames have no Origin header, so the other headers decide.
        let is_foreign = text(headers, &SITE) == Some("cross-site") && text(headers, &PURPOSE) != Some("document");
        let referrer: Option<Uri> = text(headers, &header::REFERER).and_then(|referrer| referrer.parse().ok());
        let origin = referrer.and_then(|of| Some(format!("{}://{}", of.scheme()?, of.authority()?)));
        let origin = origin.unwrap_or_else(|| "null".to_owned());
        (is_foreign && !self.have(&origin, headers)).then_some(origin)
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("null"))
}

/// Reads a value of `--allow-origin`.
pub fn origin(text: &str) -> anyhow::Result<String> {
    let uri = text.parse::<Uri>().ok().filter(|uri| uri.scheme().is_some());
    let origin = uri.and_then(|uri| Some(format!("{}://{}", uri.scheme()?, uri.authority()?)));
    let is_origin = origin.is_some_and(|origin| origin == text.trim_end_matches('/').to_lowercase());
    let reason = "is no web site; write one such as https://example.org, or * for all";
    anyhow::ensure!(is_origin || text == "*", refused(text, reason));
    Ok(text.trim_end_matches('/').to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sites_may_not_ask_unless_they_are_allowed() {
        let request = |fields: &[(HeaderName, &str)]| -> HeaderMap {
            let own = [(header::HOST, "own.org:8080")];
            own.iter().chain(fields).map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
        };
        let origin = |origin| request(&[(header::ORIGIN, origin)]);
        let of_site =
            |site, purpose, referrer| request(&[(SITE, site), (PURPOSE, purpose), (header::REFERER, referrer)]);
        let all = [
            (request(&[]), [true; 3]),
            (origin("http://own.org:8080"), [true; 3]),
            (origin("http://own.org"), [false, false, true]),
            (origin("http://localhost:3000"), [true; 3]),
            (origin("http://127.0.0.2"), [true; 3]),
            (origin("http://[::1]:80"), [true; 3]),
            (origin("http://localhost.example.org"), [false, false, true]),
            (origin("https://example.org"), [false, true, true]),
            (origin("https://example.org:444"), [false, false, true]),
            (origin("null"), [false, false, true]),
            (request(&[(header::ORIGIN, "https://proxy.org"), (SITE, "same-origin")]), [true; 3]),
            (of_site("same-origin", "empty", "https://proxy.org/a"), [true; 3]),
            (of_site("cross-site", "document", "https://other.org/"), [true; 3]),
            (of_site("cross-site", "iframe", "https://other.org/"), [false, false, true]),
            (of_site("cross-site", "image", "https://example.org/x?y"), [false, true, true]),
            (request(&[(SITE, "cross-site"), (PURPOSE, "image")]), [false, false, true]),
        ];
        let origins = [&[][..], &["https://example.org"], &["*"]];
        let origins = origins.map(|of| Origins(of.iter().map(|of| super::origin(of).unwrap()).collect()));
        for (headers, expected) in all {
            assert_eq!(origins.each_ref().map(|of| of.refused(&headers).is_none()), expected, "{headers:?}");
        }
        for text in ["", "example.org", "https://", "https://example.org/x", "**", "null"] {
            assert!(super::origin(text).is_err(), "{text}");
        }
    }
}
