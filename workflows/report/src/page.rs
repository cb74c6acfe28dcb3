//! Elements of an HTML page: escaping, tables and figures. The page loads no other files.

use insonate_drawing::Picture;

use super::shown;

const STYLE: &str = include_str!("style.css");

/// Escapes text for use between tags and in attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in shown(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A whole page; `body` is HTML, `title` is text.
pub(super) fn document(title: &str, body: &str) -> String {
    page(title, body, "")
}

/// A whole page that contains [`picture`]s.
pub(super) fn document_with_pictures(title: &str, body: &str) -> String {
    page(title, body, " img-src data:;")
}

/// `sources` is added to what the page may show.
fn page(title: &str, body: &str, sources: &str) -> String {
    // The policy forbids loading of any resource, even if a link is in the text.
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';{sources} style-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// A cell of a table.
pub(super) enum Cell {
    /// Escaped text, aligned left.
    Text(String),
    /// Escaped text, aligned right.
    Number(String),
    /// HTML, aligned left.
    Html(String),
}

/// A table with a header; the last row is a total if `with_total`.
pub(super) fn table(header: &[Cell], rows: &[Vec<Cell>], with_total: bool) -> String {
    let cells = |tag: &str, cells: &[Cell]| -> String {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => format!("<{tag}>{}</{tag}>", escape(text)),
            Cell::Number(text) => format!("<{tag} class=\"number\">{}</{tag}>", escape(text)),
            Cell::Html(html) => format!("<{tag}>{html}</{tag}>"),
        };
        cells.iter().map(cell).collect()
    };
    let head = if header.is_empty() {
        String::new()
    } else {
        format!("<thead><tr>{}</tr></thead>\n", cells("th", header))
    };
    let body: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let is_total = with_total && index + 1 == rows.len();
            let class = if is_total { " class=\"total\"" } else { "" };
            format!("<tr{class}>{}</tr>\n", cells("td", row))
        })
        .collect();
    let body = body.concat();
    format!("<div class=\"wide\"><table>\n{head}<tbody>\n{body}</tbody></table></div>\n")
}

/// A picture with its caption, as wide as the page.
pub(super) fn figure(picture: &Picture) -> String {
    // Inside a page an SVG needs no namespace, and the style sets its size.
    let svg = picture
        .svg
        .replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    let (width, height) = (attribute(&svg, "width"), attribute(&svg, "height"));
    let svg = svg.replacen(
        &format!(" width=\"{width}\" height=\"{height}\""),
        " role=\"img\"",
        1,
    );
    let caption = escape(&picture.caption);
    format!("<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n")
}

/// A picture that is embedded in the page, with its caption.
pub(super) fn picture(kind: &str, file: &[u8], caption: &str) -> String {
    let (data, caption) = (base64(file), escape(caption));
    format!(
        "<figure>\n<img alt=\"{caption}\" src=\"data:{kind};base64,{data}\">\n<figcaption>{caption}</figcaption>\n</figure>\n"
    )
}

/// Bytes as text (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(4 * bytes.len().div_ceil(3));
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for digit in 0..4_usize {
            let is_filled = digit <= group.len();
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(if is_filled {
                char::from(DIGITS[value as usize])
            } else {
                '='
            });
        }
    }
    text
}

/// The first attribute with this name.
fn attribute<'a>(svg: &'a str, name: &str) -> &'a str {
    let start = svg
        .find(&format!(" {name}=\""))
        .map(|at| at + name.len() + 3);
    start
        .and_then(|start| svg.get(start..)?.split('"').next())
        .unwrap_or_default()
}

/// A list of texts; empty if there are none.
pub(super) fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("<li>{}</li>\n", escape(item)))
        .collect();
    format!("<ul>\n{}</ul>\n", items.concat())
}

#[cfg(test)]
mod tests {
    use super::base64;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
