//! Search for the folder of `package://NAME/`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes of a `package.xml` that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The folder above `file` that is called `name` or whose `package.xml` gives this name.
pub(super) fn find(file: &Path, name: &str) -> Option<PathBuf> {
    file.ancestors().skip(1).find_map(|folder| {
        let below = folder.join(name);
        let is_it = folder.file_name().is_some_and(|last| last == name) || is_called(folder, name);
        if is_it {
            Some(folder.to_owned())
        } else {
            is_called(&below, name).then_some(below)
        }
    })
}

/// Whether the folder's `package.xml` gives this name.
fn is_called(folder: &Path, name: &str) -> bool {
    let read = || {
        let mut text = String::new();
        let file = File::open(folder.join("package.xml"))?;
        file.take(MOST_BYTES).read_to_string(&mut text)?;
        Ok::<String, std::io::Error>(text)
    };
    read().is_ok_and(|text| {
        let named = text
            .split_once("<name>")
            .and_then(|(_, rest)| rest.split_once("</name>"));
        named.is_some_and(|(found, _)| found.trim() == name)
    })
}
