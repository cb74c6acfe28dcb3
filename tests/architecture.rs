//! Contract: the tree keeps the invariants of ARCHITECTURE.md.
//!
//! Files are read as text, so that a violation is found even if it does not compile, and without git.
//! Search texts are put together at run time, because this file must not contain them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the layers, from the lowest to the highest. A crate may depend only on crates of lower layers.
/// The package of `src/` is that of the root.
const LAYERS: [&[&str]; 9] = [
    &["base"],
    &["models"],
    &["calibration", "sciences"],
    &["sim"],
    &["envs"],
    &["rl"],
    &["workflows"],
    &["src"],
    &["python"],
];

/// Folders whose crates may also depend on each other.
const RELATED: [&str; 2] = ["base", "workflows"];

/// The folder of packages outside of the layers. No crate depends on them.
const TOOLS: &str = "tools";

/// Maximum number of lines of a source file.
const MAX_LINES: usize = 600;

/// Folders at any depth that contain generated files.
const MADE: [&str; 7] = [
    "target",
    "output",
    "corpus",
    "artifacts",
    "coverage",
    "__pycache__",
    "node_modules",
];

/// Hidden folders that belong to the sources.
const HIDDEN_SOURCES: [&str; 3] = [".cargo", ".ci", ".github"];

#[test]
fn crates_depend_on_lower_layers_only() {
    let manifests = manifests();
    let mut breaches = Vec::new();
    for manifest in &manifests {
        let (name, folder) = (&manifest.name, manifest.top_folder());
        if folder == TOOLS {
            continue;
        }
        let Some(own) = manifest.layer() else {
            breaches.push(format!("{name} is in `{folder}/`, which is no layer"));
            continue;
        };
        let is_used = |other: &&Manifest| manifest.dependencies.contains(&other.name);
        for used in manifests.iter().filter(is_used) {
            let is_related = RELATED.contains(&folder) && used.top_folder() == folder;
            if !is_related && used.layer().is_none_or(|layer| layer >= own) {
                breaches.push(format!(
                    "{name} depends on {}, which is not below it",
                    used.name
                ));
            }
        }
    }
    assert_none(&breaches);
}

#[test]
fn the_table_of_layers_names_the_crates_that_each_one_uses() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let mut breaches = Vec::new();
    for manifest in manifests() {
        // Tools are not part of the table.
        let Some(layer) = manifest.layer() else {
            continue;
        };
        let start = format!("| {layer} | `{}` (`{}/`)", manifest.name, manifest.folder);
        let row = text.lines().find(|line| line.starts_with(&start));
        let Some(may_use) = row.and_then(|row| row.split('|').nth(3)) else {
            breaches.push(format!("ARCHITECTURE.md has no row `{start}`"));
            continue;
        };
        if may_use.trim() == "all below" {
            continue;
        }
        let named: BTreeSet<String> = may_use
            .split('`')
            .skip(1)
            .step_by(2)
            .map(|name| match name.strip_prefix('-') {
                Some(rest) => format!("insonate-{rest}"),
                None => name.to_owned(),
            })
            .collect();
        let used = manifest.dependencies.iter();
        let used: BTreeSet<String> = used
            .filter(|name| name.starts_with("insonate-"))
            .cloned()
            .collect();
        if named != used {
            breaches.push(format!(
                "{} uses {used:?}, but ARCHITECTURE.md says {named:?}",
                manifest.name
            ));
        }
    }
    assert_none(&breaches);
}

#[test]
fn only_sim_depends_on_mujoco() {
    let package = ["mujoco", "rs"].join("-");
    let name = ["mujoco", "rs"].join("_");
    let mut breaches: Vec<String> = manifests()
        .iter()
        .filter(|manifest| manifest.name != "insonate-sim")
        .filter(|manifest| manifest.dependencies.contains(&package))
        .map(|manifest| format!("{} depends on {package}", manifest.name))
        .collect();
    for file in files().iter().filter(|file| has_extension(file, &["rs"])) {
        if !file.starts_with(root().join("sim")) {
            breaches.extend(lines_with(file, &name));
        }
    }
    assert_none(&breaches);
}

#[test]
fn source_files_are_short() {
    let breaches: Vec<String> = files()
        .iter()
        .filter(|file| has_extension(file, &["rs", "py", "wgsl"]))
        .map(|file| (file, read(file).lines().count()))
        .filter(|(_, n_lines)| *n_lines > MAX_LINES)
        .map(|(file, n_lines)| format!("{}: {n_lines} lines, {MAX_LINES} at most", shown(file)))
        .collect();
    assert_none(&breaches);
}

#[test]
fn data_files_are_in_their_manifest() {
    let folder = root().join("data");
    let manifest = folder.join("MANIFEST.toml");
    let text = read(&manifest);
    let listed: BTreeSet<PathBuf> = text
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'))
        .map(|path| folder.join(path))
        .collect();
    let present: BTreeSet<PathBuf> = files()
        .into_iter()
        .filter(|file| file.starts_with(&folder) && *file != manifest)
        .collect();
    let mut breaches = differences(&present, &listed, "is not in data/MANIFEST.toml");
    breaches.extend(differences(
        &listed,
        &present,
        "is in data/MANIFEST.toml and does not exist",
    ));
    // Each entry states the source of its file.
    for key in ["source = ", "licence = ", "units = ", "made = "] {
        if text.lines().filter(|line| line.starts_with(key)).count() != listed.len() {
            breaches.push(format!(
                "data/MANIFEST.toml: not every file has `{}`",
                key.trim()
            ));
        }
    }
    assert_none(&breaches);
}

#[test]
fn the_map_names_every_folder_of_the_root_and_of_packages_and_no_other() {
    let named: BTreeSet<PathBuf> = read(&root().join("ARCHITECTURE.md"))
        .lines()
        .filter(|line| line.starts_with("### ") || line.starts_with("#### "))
        .flat_map(|line| {
            line.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter_map(|name| name.strip_suffix('/').map(|name| root().join(name)))
        .collect();
    let groups: Vec<PathBuf> = RELATED
        .iter()
        .chain(&["sciences", TOOLS])
        .map(|group| root().join(group))
        .collect();
    // Git does not store empty folders, so a folder exists if it contains a file.
    let present: BTreeSet<PathBuf> = files()
        .iter()
        .flat_map(|file| file.ancestors().skip(1))
        .filter(|folder| {
            let parent = folder.parent();
            parent.is_some_and(|parent| {
                parent == root() || groups.iter().any(|group| group == parent)
            })
        })
        .map(Path::to_path_buf)
        .collect();
    let mut breaches = differences(&present, &named, "has no heading in ARCHITECTURE.md");
    breaches.extend(differences(
        &named,
        &present,
        "is in ARCHITECTURE.md and does not exist",
    ));
    assert_none(&breaches);
}

/// Folders whose texts follow the rules on words in CONTRIBUTING.md.
const PLAIN: [&str; 14] = [
    "base",
    "calibration",
    "docs",
    "envs",
    "examples",
    "models",
    "python",
    "rl",
    "sciences",
    "sim",
    "src",
    "tests",
    "tools",
    "workflows",
];

#[test]
fn texts_avoid_phrases_that_readers_stumble_over() {
    let phrases = [
        ["so", "many"],
        ["asked", "for"],
        ["of", "which"],
        ["none", "where"],
        ["leaves the", "house"],
    ];
    let mut needles = phrases.map(|words| words.join(" ")).to_vec();
    needles.extend([["be", "side"], ["a", "new"], ["a", "mid"]].map(|parts| parts.concat()));
    let is_prose = |file: &Path| {
        let is_plain = PLAIN
            .iter()
            .any(|folder| file.starts_with(root().join(folder)));
        is_plain && has_extension(file, &["rs", "py", "pyi", "md", "toml", "wgsl"])
    };
    assert_none(&breaches_of(&needles, is_prose));
}

#[test]
fn the_summary_of_the_book_names_every_page() {
    let folder = root().join("docs");
    let index = read(&folder.join("SUMMARY.md"));
    let named: BTreeSet<PathBuf> = index
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(page, _)| folder.join(page))
        .collect();
    let pages: BTreeSet<PathBuf> = files()
        .into_iter()
        .filter(|file| file.starts_with(&folder) && has_extension(file, &["md"]))
        .filter(|file| !file.ends_with("SUMMARY.md"))
        .collect();
    let mut breaches = differences(&pages, &named, "is not in docs/SUMMARY.md");
    breaches.extend(differences(
        &named,
        &pages,
        "is named in docs/SUMMARY.md and does not exist",
    ));
    assert_none(&breaches);
}

#[test]
fn every_dependency_has_its_reason() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let (_, section) = text
        .split_once("## Dependencies")
        .expect("ARCHITECTURE.md has a section about dependencies");
    let with_reason: BTreeSet<PathBuf> = section
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| `")?.split_once('|'))
        .flat_map(|(names, _)| names.split('`').step_by(2).map(PathBuf::from))
        .collect();
    // Names of dependencies, stored as paths because `differences` compares paths.
    let used: BTreeSet<PathBuf> = manifests()
        .iter()
        .filter(|manifest| manifest.name != "insonate-fuzz")
        .flat_map(|manifest| &manifest.dependencies)
        .filter(|name| !name.starts_with("insonate"))
        .map(PathBuf::from)
        .collect();
    let mut breaches = differences(&used, &with_reason, "has no reason in ARCHITECTURE.md");
    breaches.extend(differences(
        &with_reason,
        &used,
        "has a reason in ARCHITECTURE.md and no package uses it",
    ));
    assert_none(&breaches);
}

#[test]
fn randomness_comes_from_a_seed() {
    let needles = [
        ["rand", "rng"].join("::"),
        ["rand", "random"].join("::"),
        ["thread", "rng"].join("_"),
        ["from", "entropy"].join("_"),
        ["from", "os", "rng"].join("_"),
        ["Os", "Rng"].join(""),
    ];
    assert_none(&breaches_of(&needles, |file| has_extension(file, &["rs"])));
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let absolute = ["work", "tmp", "home", "root", "Users", "opt"];
    let mut needles = absolute.map(|folder| ["", folder, ""].join("/")).to_vec();
    needles.push(["..", "shared"].join("/"));
    assert_none(&breaches_of(&needles, |file| !file.ends_with("Cargo.lock")));
}

/// Parts of a `Cargo.toml` that this test needs.
struct Manifest {
    name: String,
    /// The folder of its sources, relative to the root: `src` for the package of the root.
    folder: String,
    /// Names of all dependencies, including those for tests and build scripts.
    dependencies: BTreeSet<String>,
}

impl Manifest {
    fn top_folder(&self) -> &str {
        self.folder.split('/').next().unwrap_or_default()
    }

    /// Index of its layer, `None` for tools.
    fn layer(&self) -> Option<usize> {
        let folder = self.top_folder();
        LAYERS.iter().position(|layer| layer.contains(&folder))
    }
}

/// Manifests of all packages in the tree.
fn manifests() -> Vec<Manifest> {
    let manifests: Vec<Manifest> = files()
        .iter()
        .filter(|file| file.ends_with("Cargo.toml"))
        .map(|file| {
            let folder = file.parent().filter(|folder| *folder != root());
            let folder = folder.map_or_else(|| "src".to_owned(), shown);
            parse_manifest(&read(file), folder)
        })
        .collect();
    assert!(
        manifests.len() > LAYERS.len(),
        "the packages of the tree were not found"
    );
    manifests
}

/// Reads `name = "…"` of `[package]`, and the keys of the sections of dependencies.
fn parse_manifest(text: &str, folder: String) -> Manifest {
    let mut section = "";
    let mut name = String::new();
    let mut dependencies = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            // Sections such as `[dependencies.serde]`.
            if let Some((_, dependency)) = section.split_once("dependencies.") {
                dependencies.insert(dependency.to_owned());
            }
        } else if let Some((key, value)) = line.split_once('=') {
            // The table of the workspace only sets versions.
            if section.ends_with("dependencies") && section != "workspace.dependencies" {
                let dependency = key.trim().split('.').next().unwrap_or_default();
                dependencies.insert(dependency.trim_matches('"').to_owned());
            } else if section == "package" && key.trim() == "name" {
                value.trim().trim_matches('"').clone_into(&mut name);
            }
        }
    }
    Manifest {
        name,
        folder,
        dependencies,
    }
}

/// What `cargo publish --workspace --dry-run` asks of a crate, as far as texts show it.
#[test]
fn crates_can_be_packaged() {
    let workspace = read(&root().join("Cargo.toml"));
    let mut breaches = Vec::new();
    let own = workspace.lines().filter(|line| line.contains("path = "));
    for line in own.filter(|line| !line.contains("version = ")) {
        breaches.push(format!("Cargo.toml: a crate without a version: {line}"));
    }
    for file in files().iter().filter(|file| file.ends_with("Cargo.toml")) {
        let text = read(file);
        if text.contains("\npublish = false\n") {
            continue;
        }
        let path = shown(file);
        for key in [
            "description = ",
            "license.workspace = ",
            "version.workspace = ",
        ] {
            if !text.contains(&format!("\n{key}")) {
                breaches.push(format!("{path} has no `{key}`"));
            }
        }
        // Cargo packs only what is in the folder of a crate; it follows links.
        if text.contains("\nbuild = \"../") {
            breaches.push(format!("{path}: its build script is outside of its folder"));
        }
    }
    assert_none(&breaches);
}

/// All source files, sorted by path.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
        for entry in entries.map(|entry| entry.expect("the folder stays as it is")) {
            let path = entry.path();
            let kind = entry.file_type().expect("the folder stays as it is");
            if kind.is_file() {
                files.push(path);
            } else if kind.is_dir() && holds_sources(&path) {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a folder contains sources: it is not a build folder, virtual environment or hidden folder.
fn holds_sources(folder: &Path) -> bool {
    let name = folder
        .file_name()
        .expect("it was found by its name")
        .to_string_lossy();
    let is_made = MADE.contains(&&*name)
        || folder.join("CACHEDIR.TAG").exists()
        || folder.join("pyvenv.cfg").exists();
    !is_made && (!name.starts_with('.') || HIDDEN_SOURCES.contains(&&*name))
}

/// Lines of the selected files that contain one of the search texts.
fn breaches_of(needles: &[String], wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let files = files();
    let wanted = files.iter().filter(|file| wanted(file));
    wanted
        .flat_map(|file| needles.iter().flat_map(|needle| lines_with(file, needle)))
        .collect()
}

/// Lines of a file that contain a search text which is not part of a longer name or path.
fn lines_with(file: &Path, needle: &str) -> Vec<String> {
    // Skip pictures and other binary files.
    let Ok(text) = fs::read_to_string(file) else {
        return Vec::new();
    };
    let place = |n: usize| format!("{}:{}: {needle}", shown(file), n + 1);
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| contains_alone(line, needle))
        .map(|(n, _)| place(n))
        .collect()
}

fn contains_alone(line: &str, needle: &str) -> bool {
    let continues_path = |c: char| c.is_alphanumeric() || "_.}-".contains(c);
    let continues_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_path = needle.contains('/');
    line.match_indices(needle).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + needle.len()..].chars().next();
        if is_path {
            !before.is_some_and(continues_path)
        } else {
            !before.is_some_and(continues_name) && !after.is_some_and(continues_name)
        }
    })
}

fn differences(these: &BTreeSet<PathBuf>, those: &BTreeSet<PathBuf>, what: &str) -> Vec<String> {
    these
        .difference(those)
        .map(|path| format!("{} {what}", shown(path)))
        .collect()
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension()
        .is_some_and(|own| extensions.iter().any(|extension| own == *extension))
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {}: {error}", shown(file)))
}

/// Path relative to the root.
fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn assert_none(breaches: &[String]) {
    assert!(
        breaches.is_empty(),
        "{} breaches:\n{}",
        breaches.len(),
        breaches.join("\n")
    );
}

#[test]
fn a_manifest_is_read_in_all_its_forms() {
    let text = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\n\"c\" = \"1\"\n\
                [target.'cfg(unix)'.dev-dependencies]\nd = { path = \"d\" }\n[build-dependencies.e]\nversion = \"1\"\n\
                [workspace.dependencies]\nf = \"1\"\n";
    let manifest = parse_manifest(text, "a".to_owned());
    assert_eq!(manifest.name, "a");
    assert_eq!(Vec::from_iter(&manifest.dependencies), ["b", "c", "d", "e"]);
}

#[test]
fn a_search_text_is_found_only_as_a_whole_name() {
    let name = ["rand", "rng"].join("::");
    assert!(contains_alone(&format!("let mut rng = {name}();"), &name));
    assert!(!contains_alone(&format!("use {name}s::StdRng;"), &name));
    let path = ["", "tmp", ""].join("/");
    assert!(contains_alone(&format!("cd {path}x"), &path));
    assert!(!contains_alone(
        &format!("{{folder}}{path}x or build{path}"),
        &path
    ));
}
