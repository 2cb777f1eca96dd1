//! Several parts in one answer: the body `multipart/byteranges` of RFC 9110, section 14.6.
//!
//! ```text
//! --BOUNDARY
//! Content-Type: application/octet-stream
//! Content-Range: bytes 10-19/100
//!
//! ten bytes
//! --BOUNDARY
//! ...
//! --BOUNDARY--
//! ```
//!
//! `Content-Range` determines the length of a part, so its bytes may contain the boundary.

use super::answer::content_range;

/// Returns the boundary of a `Content-Type`; `None` if it is not `multipart/byteranges`.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    let boundary = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("boundary="))?;
    kind.trim().eq_ignore_ascii_case("multipart/byteranges").then_some(boundary.trim_matches('"'))
}

/// Splits a body into its parts, each with its `Content-Range`; `None` if it has another form.
pub(super) fn split(body: &[u8], boundary: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let (mut rest, mut parts) = (body, Vec::new());
    loop {
        rest = rest.strip_prefix(b"\r\n").unwrap_or(rest).strip_prefix(b"--")?.strip_prefix(boundary.as_bytes())?;
        if rest.starts_with(b"--") {
            return (!parts.is_empty()).then_some(parts);
        }
        rest = rest.strip_prefix(b"\r\n")?;
        let mut range = None;
        loop {
            let end = rest.windows(2).position(|window| window == b"\r\n")?;
            let (line, after) = rest.split_at_checked(end)?;
            rest = after.get(2..)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
            if name.eq_ignore_ascii_case("content-range") {
                range = Some(value.trim().to_owned());
            }
        }
        let range = range?;
        let (bytes, _) = content_range(&range)?;
        let (bytes, after) = rest.split_at_checked(usize::try_from(bytes.end - bytes.start).ok()?)?;
        parts.push((range, bytes.to_vec()));
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 2-8/20\r\n\r\n\r\n--x\r\n\r\n--x\r\n\
        content-range: bytes 12-12/20\r\n\r\n1\r\n--x--\r\n";

    #[test]
    fn parts_may_hold_the_boundary() {
        assert_eq!(boundary("multipart/byteranges; boundary=x"), Some("x"));
        assert_eq!(boundary("Multipart/Byteranges; charset=a; boundary=\"a b\""), Some("a b"));
        assert_eq!(boundary("text/html; boundary=x"), None);
        let parts = split(BODY, "x").unwrap();
        let expected = [("bytes 2-8/20", &b"\r\n--x\r\n"[..]), ("bytes 12-12/20", b"1")];
        assert_eq!(parts, expected.map(|(range, bytes)| (range.to_owned(), bytes.to_vec())));
    }

    #[test]
    fn whatever_is_cut_or_changed_is_split_into_parts_of_their_lengths_or_not_at_all() {
        for length in 0..BODY.len() - 4 {
            assert_eq!(split(&BODY[..length], "x"), None, "{length}");
        }
        for (place, byte) in (0..BODY.len()).flat_map(|place| [0, b'-', b'9', b'\n', 0xff].map(|byte| (place, byte))) {
            let mut body = BODY.to_vec();
            body[place] = byte;
            for (range, bytes) in split(&body, "x").unwrap_or_default() {
                let (range, _) = content_range(&range).unwrap();
                assert_eq!(bytes.len() as u64, range.end - range.start);
            }
        }
    }
}
