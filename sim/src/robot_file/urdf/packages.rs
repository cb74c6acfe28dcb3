//! Which folder `package://NAME/` stands for.

use std::path::{Path, PathBuf};

/// The folder above `file` that is called `name` or holds a `package.xml` of that name.
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

/// True where the folder's `package.xml` gives the name.
fn is_called(folder: &Path, name: &str) -> bool {
    std::fs::read_to_string(folder.join("package.xml")).is_ok_and(|text| {
        let named = text
            .split_once("<name>")
            .and_then(|(_, rest)| rest.split_once("</name>"));
        named.is_some_and(|(found, _)| found.trim() == name)
    })
}
