//! Pages of the book: their links, anchors and words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Texts in the root whose links are checked too.
const ROOT_TEXTS: [&str; 5] = [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "SECURITY.md",
];

/// A page in Markdown.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub text: String,
    /// Names of its headings in links.
    pub anchors: BTreeSet<String>,
    /// Targets of its links and pictures, with their lines.
    pub links: Vec<(usize, String)>,
}

impl Page {
    pub(super) fn new(text: String) -> Self {
        let (mut anchors, mut links) = (BTreeSet::new(), Vec::new());
        for (number, line) in prose(&text) {
            if let Some(title) = heading(line) {
                let name = anchor(title);
                let repeated = (1..).map(|count| format!("{name}-{count}"));
                let free = std::iter::once(name.clone()).chain(repeated);
                anchors.extend(free.into_iter().find(|name| !anchors.contains(name)));
            }
            links.extend(targets(line).map(|target| (number, target.to_owned())));
        }
        Self {
            text,
            anchors,
            links,
        }
    }

    /// Number of words outside of code blocks, comments and lines with the source of a table; a word contains a letter
    /// or a digit.
    pub(super) fn n_words(&self) -> usize {
        let is_text = |line: &str| !line.starts_with("<!--") && !line.starts_with("Source: ");
        let lines = prose(&self.text).filter(|(_, line)| is_text(line));
        let words = lines.flat_map(|(_, line)| line.split_whitespace());
        words
            .filter(|word| word.contains(char::is_alphanumeric))
            .count()
    }

    /// Whether a program writes the whole page.
    pub(super) fn is_generated(&self) -> bool {
        self.text.starts_with("<!-- generated")
    }
}

/// All pages of `docs/` and the texts in the root, by their paths relative to the root.
pub(super) fn read(root: &Path) -> Result<BTreeMap<String, Page>> {
    let mut paths: Vec<String> = ROOT_TEXTS.map(str::to_owned).to_vec();
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder)).with_context(|| folder.clone())?;
        for entry in entries {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if entry.path().extension().is_some_and(|it| it == "md") {
                paths.push(path);
            }
        }
    }
    let page = |path: String| {
        let text = fs::read_to_string(root.join(&path)).with_context(|| path.clone())?;
        Ok((path, Page::new(text)))
    };
    paths.into_iter().map(page).collect()
}

/// Lines outside of code blocks, with their numbers from 1.
pub(super) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_block = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        (!in_block && !is_fence).then_some((index + 1, line))
    })
}

fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    (title.len() < line.len())
        .then(|| title.strip_prefix(' '))
        .flatten()
}

/// Name of a heading in links, as mdBook and forges make it.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// Targets of links and pictures in a line. Code between backquotes has none.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let texts = line.split('`').step_by(2);
    let linked_code = line
        .match_indices("`](")
        .map(|(start, _)| &line[start + 1..]);
    let inside = texts.filter(|text| !text.starts_with("]("));
    inside
        .flat_map(|text| {
            text.match_indices("](")
                .map(move |(start, _)| &text[start..])
        })
        .chain(linked_code)
        .filter_map(|rest| rest.strip_prefix("](")?.split_once(')'))
        .map(|(target, _)| target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_anchors_links_and_words() {
        let page = Page::new(
            "# `fast` against the paper's\n[a](b.md#c) and [`d`](e.md) `[x](y)`\n```\n[no](no.md)\n```\n## Two\n## Two\n| 1 |\n"
                .to_owned(),
        );
        let anchors: Vec<&str> = page.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["fast-against-the-papers", "two", "two-1"]);
        let links: Vec<&str> = page.links.iter().map(|(_, link)| link.as_str()).collect();
        assert_eq!(links, ["b.md#c", "e.md"]);
        assert_eq!(page.n_words(), 4 + 4 + 1 + 1 + 1);
    }
}
