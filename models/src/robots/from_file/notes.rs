//! Formats texts of notes.

/// The first few names of a list.
pub(super) fn list(names: &[String]) -> String {
    const MOST: usize = 8;
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
