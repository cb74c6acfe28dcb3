//! `cargo xtask book`: builds the book of `docs/` by mdBook, checks its pages and fills in their figures.

mod api;
mod figures;
mod pages;
mod rules;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};

use crate::command::{self, cargo, root, succeeds};
pub(crate) use figures::{Sets, read_sets};
use pages::Page;

/// Version of mdBook that `cargo xtask book` installs if it finds no other.
const MDBOOK: &str = "0.5.4";

/// What `cargo xtask book` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    /// Checks, then the HTML in `target/book`.
    Build,
    /// Checks alone, without mdBook.
    Check,
    /// Writes the figures of `docs/results` into the pages.
    Fill,
    /// Pages of the Python package and of all crates, in `target/book/python` and `target/book/rust`.
    Api,
}

/// Reads the arguments of `book`.
pub(crate) fn job(arguments: &[String]) -> Result<Job, String> {
    match arguments {
        [] => Ok(Job::Build),
        [one] if one == "--check" => Ok(Job::Check),
        [one] if one == "--fill" => Ok(Job::Fill),
        [one] if one == "--api" => Ok(Job::Api),
        _ => Err("`book` has the options --check, --fill and --api, one at a time".to_owned()),
    }
}

pub(crate) fn run(job: Job) -> Result<ExitCode> {
    match job {
        Job::Build => {
            check()?;
            build()
        }
        Job::Check => check().map(|()| ExitCode::SUCCESS),
        Job::Fill => fill().map(|()| ExitCode::SUCCESS),
        Job::Api => api::build().map(|()| ExitCode::SUCCESS),
    }
}

/// Fails with a list of everything that is wrong in the pages of this checkout.
pub(crate) fn check() -> Result<()> {
    let root = root();
    let pages = pages::read(&root)?;
    let sets = read_sets(&root)?;
    let mut breaches = rules::breaches(&root, &pages);
    breaches.extend(unfilled(&pages, &sets));
    ensure!(
        breaches.is_empty(),
        "{} breaches in the book:\n{}",
        breaches.len(),
        breaches.join("\n")
    );
    eprintln!(
        "book: {} pages, {} words that a user meets",
        pages.len(),
        rules::n_words(&pages)
    );
    Ok(())
}

/// Whether figures are written into a text. CONTRIBUTING.md explains their comments.
fn shows_figures(path: &str) -> bool {
    path.starts_with("docs/") || path == "README.md"
}

/// Pages whose figures differ from those in `docs/results`.
fn unfilled(pages: &BTreeMap<String, Page>, sets: &Sets) -> Vec<String> {
    let filled = pages
        .iter()
        .filter(|(path, _)| shows_figures(path))
        .map(|(path, page)| (path, page, figures::fill(&page.text, sets)));
    filled
        .filter_map(|(path, page, filled)| match filled {
            Ok(text) if text == page.text => None,
            Ok(_) => Some(format!(
                "{path}: figures differ from docs/results: `cargo xtask book --fill`"
            )),
            Err(error) => Some(format!("{path}: {error:#}")),
        })
        .collect()
}

/// Writes the figures of `docs/results` into the pages.
pub(crate) fn fill() -> Result<()> {
    let root = root();
    let sets = read_sets(&root)?;
    let mut pages = pages::read(&root)?;
    pages.retain(|path, _| shows_figures(path));
    for (path, page) in pages {
        let text = figures::fill(&page.text, &sets).with_context(|| path.clone())?;
        if text != page.text {
            fs::write(root.join(&path), text).with_context(|| format!("cannot write {path}"))?;
            eprintln!("filled {path}");
        }
    }
    Ok(())
}

fn build() -> Result<ExitCode> {
    let tools = root().join("target/tools");
    let path = search_path(&tools)?;
    let mdbook = || {
        let mut command = Command::new("mdbook");
        command.env("PATH", &path).current_dir(root());
        command
    };
    if !succeeds(mdbook().arg("--version")) {
        eprintln!("installing mdbook {MDBOOK} into {}", tools.display());
        let mut install = cargo(&[
            "install",
            "mdbook",
            "--locked",
            "--version",
            MDBOOK,
            "--root",
        ]);
        install
            .arg(&tools)
            .arg("--target-dir")
            .arg(tools.join("build"));
        ensure!(
            install.status().context("cannot start cargo")?.success(),
            "cannot install mdbook {MDBOOK}"
        );
    }
    command::exit_code(mdbook().arg("build"))
}

/// The search path for programs, with the folder of installed tools first.
fn search_path(tools: &Path) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools.join("bin")).chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(folders)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_keeps_its_rules() {
        if let Err(error) = check() {
            panic!("{error:#}");
        }
    }

    #[test]
    fn options_are_read() {
        let words = |words: &[&str]| {
            job(&words
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<_>>())
        };
        assert_eq!(words(&[]), Ok(Job::Build));
        assert_eq!(words(&["--check"]), Ok(Job::Check));
        assert_eq!(words(&["--api"]), Ok(Job::Api));
        assert!(words(&["--check", "--fill"]).is_err());
    }
}
