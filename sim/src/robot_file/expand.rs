//! MJCF files with elements that only MuJoCo can expand: `<attach>` of `<model>` assets, and `<replicate>`.
//!
//! Each file is first converted to a document that needs no other files; all files must lie below the root, as always. The copies are in a
//! temporary folder, where MuJoCo joins them.

use std::path::{Path, PathBuf};

use insonate_models::ModelError;
use insonate_models::mjcf::{Element, Mjcf, ReadOptions, StandaloneMjcf};

use super::{RobotFileError, mujoco};

/// Largest number of models that a file may attach, including the models that its models attach.
const MOST_MODELS: usize = 64;
/// Prefix for `<attach>` without a prefix while MuJoCo joins the models.
///
/// Without a prefix, MuJoCo 3.17 writes the default class `main` of both models and cannot read the resulting file.
const NO_PREFIX: &str = "no-prefix-";

/// Whether a file has elements that MuJoCo must expand.
///
/// # Errors
/// Errors of [`Mjcf::read`].
pub(super) fn is_needed(path: &Path, root: Option<&Path>) -> Result<bool, ModelError> {
    let mjcf = Mjcf::read(path, &read_options(root))?;
    let elements = mjcf.root().descendants();
    Ok(elements
        .iter()
        .any(|element| matches!(element.tag(), "attach" | "replicate")))
}

/// The MJCF of a file, with notes.
pub(super) fn to_mjcf(
    path: &Path,
    root: Option<&Path>,
    folder: &Path,
) -> Result<(String, Vec<String>), RobotFileError> {
    // Models may lie in the folders that the main file may read.
    let root = if let Some(root) = root {
        root.to_owned()
    } else {
        let whole = path.canonicalize();
        let whole = whole.map_err(|error| RobotFileError::refused(path, "file", error))?;
        whole.parent().unwrap_or(&whole).to_owned()
    };
    let mut stage = Stage {
        main: path,
        options: read_options(Some(&root)),
        folder,
        files: Vec::new(),
        notes: Vec::new(),
    };
    let staged = stage.file(path)?;
    let mjcf = mujoco::expand_file(path, &staged)?;
    Ok((without_prefixes(&mjcf), stage.notes))
}

fn read_options(root: Option<&Path>) -> ReadOptions {
    ReadOptions {
        root: root.map(Path::to_owned),
        keeps_models: true,
        ..ReadOptions::default()
    }
}

struct Stage<'a> {
    main: &'a Path,
    options: ReadOptions,
    folder: &'a Path,
    /// Files whose copies exist or are in progress.
    files: Vec<PathBuf>,
    notes: Vec<String>,
}

impl Stage<'_> {
    /// Copies a file; the copy needs no files other than copies.
    fn file(&mut self, path: &Path) -> Result<PathBuf, RobotFileError> {
        let number = self.files.len();
        if number > MOST_MODELS {
            let problem = format!("more than {MOST_MODELS} models are attached");
            return Err(RobotFileError::refused(self.main, "model", problem));
        }
        self.files.push(path.to_owned());
        let StandaloneMjcf { mut mjcf, notes } =
            Mjcf::read_standalone(path, &self.options).map_err(ModelError::from)?;
        self.notes.extend(notes);
        let mut result = Ok(());
        let mut attached = 0;
        mjcf.root_mut().visit_mut(&mut |element| {
            if result.is_ok() {
                result = self.element(element, number, &mut attached);
            }
        });
        result?;
        let copy = self.folder.join(format!("model_{number}.xml"));
        let xml = mjcf.to_xml().map_err(ModelError::from)?;
        std::fs::write(&copy, xml)
            .map_err(|error| RobotFileError::refused(self.main, "temporary folder", error))?;
        Ok(copy)
    }

    fn element(
        &mut self,
        element: &mut Element,
        number: usize,
        attached: &mut usize,
    ) -> Result<(), RobotFileError> {
        match element.tag() {
            "model" => {
                let file = PathBuf::from(element.text("file").unwrap_or_default());
                let copy = self.file(&file)?;
                element.set("file", copy.display().to_string());
            }
            "attach" if element.text("prefix").is_none_or(str::is_empty) => {
                element.set("prefix", format!("{NO_PREFIX}{number}-{attached}-"));
                *attached += 1;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Removes the prefixes that [`Stage::element`] added, except from the name of a default class `main`.
fn without_prefixes(mjcf: &str) -> String {
    let mut text = String::with_capacity(mjcf.len());
    let mut rest = mjcf;
    while let Some((before, after)) = rest.split_once(NO_PREFIX) {
        text += before;
        let name = after.splitn(3, '-').nth(2).unwrap_or(after);
        if name.starts_with("main\"") {
            text += NO_PREFIX;
            rest = after;
        } else {
            rest = name;
        }
    }
    text + rest
}
