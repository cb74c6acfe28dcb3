//! Rules of the pages that CONTRIBUTING.md states: links that lead somewhere, guides without dates, and their length.

use std::collections::BTreeMap;
use std::path::Path;

use super::pages::{Page, prose};

/// Parts of the book that a user meets.
const READ: [&str; 6] = [
    "docs/start/",
    "docs/learn/",
    "docs/do/",
    "docs/lookup/",
    "docs/trust/",
    "docs/python.md",
];

/// Parts without dates and commits.
const TIMELESS: [&str; 3] = ["docs/start/", "docs/learn/", "docs/do/"];

/// Maximum number of words of the parts that a user meets, without generated pages.
const MAX_WORDS: usize = 30_000;

pub(super) fn breaches(root: &Path, pages: &BTreeMap<String, Page>) -> Vec<String> {
    let mut breaches: Vec<String> = Vec::new();
    for (path, page) in pages {
        for (line, target) in &page.links {
            if let Some(reason) = broken(root, pages, path, target) {
                breaches.push(format!("{path}:{line}: ({target}) {reason}"));
            }
        }
        if TIMELESS.iter().any(|part| path.starts_with(part)) {
            breaches.extend(dated(path, page));
        }
    }
    let n_words = n_words(pages);
    if n_words > MAX_WORDS {
        breaches.push(format!(
            "the book has {n_words} words that a user meets, {MAX_WORDS} at most"
        ));
    }
    breaches
}

/// Number of words of the parts that a user meets, without generated pages.
pub(super) fn n_words(pages: &BTreeMap<String, Page>) -> usize {
    let is_read = |path: &str| READ.iter().any(|part| path.starts_with(part));
    let read = pages
        .iter()
        .filter(|(path, page)| is_read(path) && !page.is_generated());
    read.map(|(_, page)| page.n_words()).sum()
}

/// Why a link leads nowhere, if so.
fn broken(root: &Path, pages: &BTreeMap<String, Page>, from: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, name) = target
        .split_once('#')
        .map_or((target, None), |(file, name)| (file, Some(name)));
    let path = if file.is_empty() {
        Some(from.to_owned())
    } else {
        resolve(from, file)
    };
    let Some(path) = path else {
        return Some("leads out of the repository".to_owned());
    };
    if from.starts_with("docs/") && !path.starts_with("docs/") {
        return Some("leads out of the book: name the file in backquotes".to_owned());
    }
    if !root.join(&path).exists() {
        return Some("does not exist".to_owned());
    }
    let (name, page) = (name?, pages.get(&path));
    let is_there = page.is_some_and(|page| page.anchors.contains(name));
    (!is_there).then(|| format!("has no heading `{name}`"))
}

/// Path of a relative link, relative to the root.
fn resolve(from: &str, file: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Lines with a date or the hash of a commit.
fn dated(path: &str, page: &Page) -> Vec<String> {
    let lines =
        prose(&page.text).filter(|(_, line)| line.split(is_separator).any(is_date_or_commit));
    lines
        .map(|(number, line)| format!("{path}:{number}: a guide has no date and no commit: {line}"))
        .collect()
}

fn is_separator(c: char) -> bool {
    !c.is_ascii_alphanumeric() && c != '-' && c != '.'
}

fn is_date_or_commit(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let is_commit = (7..=40).contains(&word.len())
        && word.chars().all(is_hex)
        && word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_lowercase());
    let parts: Vec<&str> = word.split('-').collect();
    let is_number =
        |part: &str, length| part.len() == length && part.chars().all(|c| c.is_ascii_digit());
    let is_date = matches!(parts[..], [year, month, day] if is_number(year, 4) && is_number(month, 2) && is_number(day, 2));
    is_commit || is_date
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_commits_are_found() {
        for word in ["2026-11-24", "97c4b50", "fe647fe8."] {
            assert!(is_date_or_commit(word), "{word}");
        }
        for word in ["1234567", "facade", "c5-2", "2026-11", "0.35"] {
            assert!(!is_date_or_commit(word), "{word}");
        }
    }

    #[test]
    fn a_link_needs_its_file_and_heading() {
        let page = |text: &str| Page::new(text.to_owned());
        let pages = BTreeMap::from([
            ("docs/a.md".to_owned(), page("# A\n")),
            ("docs/do/b.md".to_owned(), page("# B\n")),
        ]);
        // The folder of this package stands for the root: only `src` exists in it.
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let reason = |target| broken(root, &pages, "docs/do/b.md", target);
        assert_eq!(reason("#b"), Some("does not exist".to_owned()));
        assert!(reason("../../src").is_some_and(|reason| reason.contains("out of the book")));
        assert!(
            reason("../../../x").is_some_and(|reason| reason.contains("out of the repository"))
        );
        assert_eq!(broken(root, &pages, "README.md", "src"), None);
        assert_eq!(reason("https://example.org"), None);
    }
}
