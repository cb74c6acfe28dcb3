//! Parser of decimal numbers.

/// The double nearest to a decimal number; `None` for anything else. Surrounding blanks are ignored.
pub(super) fn parse(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell.trim_ascii()).ok()?.parse().ok()
}

/// The double nearest to a decimal number with an optional decimal comma; a point is refused.
pub(super) fn parse_with_comma(cell: &[u8]) -> Option<f64> {
    if cell.contains(&b'.') {
        return None;
    }
    if has_decimal_comma(cell) {
        let pointed: Vec<u8> = cell
            .iter()
            .map(|&byte| if byte == b',' { b'.' } else { byte })
            .collect();
        return parse(&pointed);
    }
    parse(cell)
}

/// Whether a cell is a number with a decimal comma, such as `0,002`.
pub(super) fn has_decimal_comma(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let mut halves = cell.split(|&byte| byte == b',');
    let (Some(whole), Some(rest), None) = (halves.next(), halves.next(), halves.next()) else {
        return false;
    };
    let whole = whole.strip_prefix(b"-").unwrap_or(whole);
    let whole = whole.strip_prefix(b"+").unwrap_or(whole);
    !whole.is_empty()
        && whole.iter().all(u8::is_ascii_digit)
        && rest.first().is_some_and(u8::is_ascii_digit)
        && parse(&[b"0.", rest].concat()).is_some()
}

/// The double nearest to a number with thousands separators: `1,002.994`, or `1.002,994` with a decimal comma; the
/// separator may also be an apostrophe or a blank.
///
/// A single `1,002` may be 1.002, and is read only if `sure`: if other numbers determine the meaning of a comma.
pub(super) fn parse_grouped(cell: &[u8], decimal_comma: bool, sure: bool) -> Option<f64> {
    let text: String = match std::str::from_utf8(cell) {
        Ok(text) => text.trim().to_owned(),
        // Latin-1.
        Err(_) => cell
            .trim_ascii()
            .iter()
            .map(|&byte| char::from(byte))
            .collect(),
    };
    let decimal = if decimal_comma { ',' } else { '.' };
    let (whole, fraction) = match text.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (&*text, None),
    };
    let unsigned = whole.trim_start_matches(['-', '+']);
    let separator = unsigned
        .chars()
        .find(|character| !character.is_ascii_digit())?;
    let point = if decimal_comma { '.' } else { ',' };
    if separator != point && !"'\u{2019} \u{a0}\u{202f}\u{2009}".contains(separator) {
        return None;
    }
    let groups: Vec<&str> = unsigned.split(separator).collect();
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (first, rest) = groups.split_first()?;
    let sound = (1..=3).contains(&first.len())
        && digits(first)
        && *first != "0"
        && rest.iter().all(|group| group.len() == 3 && digits(group));
    let plain = fraction.is_some() || rest.len() > 1 || separator != point || sure;
    if !sound || !plain || whole.len() > unsigned.len() + 1 {
        return None;
    }
    let sign = &whole[..whole.len() - unsigned.len()];
    let fraction = fraction.unwrap_or("0");
    parse(format!("{sign}{}.{fraction}", groups.concat()).as_bytes())
}

/// Whether a comma in this cell is certainly a decimal mark: `0,5`, `1,25`; `1,002` is ambiguous.
pub(super) fn is_surely_decimal(cell: &[u8], mark: u8) -> bool {
    let cell = cell.trim_ascii();
    let mut halves = cell.split(|&byte| byte == mark);
    let (Some(whole), Some(rest), None) = (halves.next(), halves.next(), halves.next()) else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = whole.strip_prefix(b"-").unwrap_or(whole);
    let whole = whole.strip_prefix(b"+").unwrap_or(whole);
    let grouped = whole.iter().any(|byte| !byte.is_ascii_digit());
    digits > 0 && (digits != 3 || rest.len() != 3 || whole.len() > 3 || whole == b"0" || grouped)
}

/// Whether a cell is one of the notations for a missing value.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    const WORDS: [&[u8]; 12] = [
        b"", b"nan", b"na", b"n/a", b"#n/a", b"null", b"none", b"nil", b"-nan", b"-", b"--", b"---",
    ];
    let cell = cell.trim_ascii();
    cell.len() <= 4 && WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn decimal_commas_are_seen() {
        for text in ["0,002", "-1,5", " 12,25 ", "3,1e-3"] {
            assert!(has_decimal_comma(text.as_bytes()), "{text}");
        }
        for text in ["", ",", "1,", ",5", "a,5", "1,2,3", "1.5", "1,-5", "1, 5"] {
            assert!(!has_decimal_comma(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn thousands_are_set_apart_where_it_is_plain() {
        for (text, comma, value) in [
            ("1,002.99400", false, 1002.994),
            ("-12,345,678.5", false, -12345678.5),
            ("1,002,003", false, 1002003.0),
            ("1.002,994", true, 1002.994),
            ("-1.002.003", true, -1002003.0),
            ("1'002.5", false, 1002.5),
            ("1\u{a0}002,5", true, 1002.5),
            ("1\u{202f}002", false, 1002.0),
        ] {
            assert_eq!(
                parse_grouped(text.as_bytes(), comma, false),
                Some(value),
                "{text}"
            );
        }
        assert_eq!(parse_grouped(b"1\xa0002,5", true, false), Some(1002.5));
        assert_eq!(parse_grouped(b"1,002", false, true), Some(1002.0));
        for text in [
            "1,002",
            "0,002",
            "1,02.5",
            "1002,003.5",
            "12",
            "",
            "--1,002.5",
            "1,002.5.3",
            "1,002,03",
            ",002.5",
        ] {
            assert_eq!(parse_grouped(text.as_bytes(), false, false), None, "{text}");
        }
    }

    #[test]
    fn three_decimals_may_be_thousands() {
        for text in [
            "0,5",
            "0,002",
            "-1,25",
            "1234,567",
            "1,0020",
            "1,002e3",
            "1.002,994",
        ] {
            assert!(is_surely_decimal(text.as_bytes(), b','), "{text}");
        }
        for text in ["1,002", "-12,345", "1,002,003", "12", "1,", "1,a"] {
            assert!(!is_surely_decimal(text.as_bytes(), b','), "{text}");
        }
    }
}
