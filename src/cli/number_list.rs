//! Numbers between commas.

use std::str::FromStr;

/// `N` finite numbers; `None` for another text.
pub(super) fn finite<const N: usize>(text: &str) -> Option<[f64; N]> {
    parsed(text).filter(|numbers: &[f64; N]| numbers.iter().all(|x| x.is_finite()))
}

/// `N` values; `None` for another text.
pub(super) fn parsed<T: FromStr, const N: usize>(text: &str) -> Option<[T; N]> {
    let values = text.split(',').map(|word| word.trim().parse().ok());
    values.collect::<Option<Vec<T>>>()?.try_into().ok()
}
