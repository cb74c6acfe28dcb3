//! Decimal numbers from bytes.

/// Powers of ten that a double holds exactly.
const TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Largest integer below which all integers are doubles.
const EXACT: u64 = 1 << 53;

/// The double nearest to a decimal number; `None` for anything else. Blanks around it do not count.
///
/// Where digits and power of ten are both exact doubles, one multiplication or division rounds correctly
/// (Clinger 1990, doi 10.1145/93542.93557); all other numbers are left to the standard library.
pub(super) fn parse(cell: &[u8]) -> Option<f64> {
    let cell = cell.trim_ascii();
    fast(cell).or_else(|| std::str::from_utf8(cell).ok()?.parse().ok())
}

fn fast(cell: &[u8]) -> Option<f64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // 19 digits fit in 64 bits, and the point is one more byte.
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (at, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(at);
        } else {
            return None;
        }
    }
    let decimals = point.map_or(0, |at| digits.len() - 1 - at);
    if mantissa > EXACT || (point.is_some() && digits.len() == 1) {
        return None;
    }
    let value = mantissa as f64 / TEN[decimals];
    Some(if negative { -value } else { value })
}

/// The double nearest to a decimal number whose decimals stand behind a comma, if it has any; a point is refused.
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

/// Whether a cell is a number written with a comma, `0,002`.
pub(super) fn has_decimal_comma(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let mut halves = cell.split(|&byte| byte == b',');
    let (Some(whole), Some(rest), None) = (halves.next(), halves.next(), halves.next()) else {
        return false;
    };
    let whole = whole.strip_prefix(b"-").unwrap_or(whole);
    !whole.is_empty()
        && whole.iter().all(u8::is_ascii_digit)
        && rest.first().is_some_and(u8::is_ascii_digit)
        && parse(&[b"0.", rest].concat()).is_some()
}

#[cfg(test)]
mod tests {

    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The fast way and the standard library agree to the bit.
        #[test]
        fn numbers_are_those_of_the_standard_library(
            mantissa in any::<u64>(), shift in 0u32..64, point in 0usize..20, negative in any::<bool>(),
        ) {
            let mut text = (mantissa >> shift).to_string();
            if point < text.len() {
                text.insert(point, '.');
            }
            if negative {
                text.insert(0, '-');
            }
            let expected: f64 = text.parse().unwrap();
            prop_assert_eq!(parse(text.as_bytes()).unwrap().to_bits(), expected.to_bits());
        }

        /// What is no number for one is none for the other.
        #[test]
        fn texts_are_numbers_exactly_when_the_standard_library_says_so(text in "[-+0-9.eE]{0,8}") {
            prop_assert_eq!(parse(text.as_bytes()).map(f64::to_bits), text.parse().ok().map(f64::to_bits));
        }
    }

    #[test]
    fn decimal_commas_are_seen() {
        for text in ["0,002", "-1,5", " 12,25 ", "3,1e-3"] {
            assert!(has_decimal_comma(text.as_bytes()), "{text}");
        }
        for text in ["", ",", "1,", ",5", "a,5", "1,2,3", "1.5", "1,-5", "1, 5"] {
            assert!(!has_decimal_comma(text.as_bytes()), "{text}");
        }
    }
}
