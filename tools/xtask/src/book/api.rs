//! Reference pages made from documentation comments and docstrings: of all crates by rustdoc, of the Python package by pdoc.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::command::{cargo, root};
use crate::python;

/// Page that links to all crates.
const FIRST_PAGE: &str = "insonate/index.html";

/// Writes the pages into `target/book/rust` and `target/book/python`.
pub(super) fn build() -> Result<()> {
    let book = root().join("target/book");
    fs::create_dir_all(&book).with_context(|| format!("cannot make {}", book.display()))?;
    let rust = rust_pages(&book)?;
    let python = book.join("python");
    python::api_pages(&python)?;
    eprintln!("{}", rust.display());
    eprintln!("{}", python.join("insonate.html").display());
    Ok(())
}

/// Makes the pages of the crates and returns their first page. rustdoc writes into a target folder only, so they are moved.
fn rust_pages(book: &Path) -> Result<PathBuf> {
    // With the features of the step "docs" of `cargo xtask ci`, whose compiled crates it then shares.
    let mut doc = cargo(&[
        "doc",
        "--workspace",
        "--no-deps",
        "--features",
        "insonate/viewer",
    ]);
    ensure!(
        doc.status().context("cannot start cargo")?.success(),
        "cannot make the pages of the crates"
    );
    let pages = book.join("rust");
    if pages.exists() {
        fs::remove_dir_all(&pages).with_context(|| format!("cannot remove {}", pages.display()))?;
    }
    let made = root().join("target/doc");
    fs::rename(&made, &pages)
        .with_context(|| format!("cannot move {} to {}", made.display(), pages.display()))?;
    Ok(pages.join(FIRST_PAGE))
}
