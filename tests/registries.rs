//! Contract: code asks an entry of a registry what it can do. Names are compared in the registry alone, so a new entry needs no changes
//! elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// Registries, each with the text before a name in its entries, and the folder that may compare these names.
const REGISTRIES: [(&str, &str, &str); 6] = [
    ("models/src/torsos/mod.rs", "name: \"", "models/src/torsos"),
    (
        "models/src/torsos/materials.rs",
        "(\"",
        "models/src/torsos/materials.rs",
    ),
    ("models/src/probes/mod.rs", "(\"", "models/src/probes"),
    ("models/src/robots/mod.rs", "(\"", "models/src/robots"),
    (
        "sciences/ultrasound/src/transducer/mod.rs",
        "(\"",
        "sciences/ultrasound/src/transducer",
    ),
    (
        "sciences/ultrasound/src/material.rs",
        "material(\"",
        "sciences/ultrasound/src/material.rs",
    ),
];

/// Code that compares elements and types of MJCF. Some of them have the name of a torso or a material.
const MJCF_WORDS: [&str; 4] = [
    "models/src/mjcf",
    "models/src/robots/from_file",
    "sim/src/coupling/split.rs",
    "sim/src/shell/split.rs",
];

#[test]
fn names_of_a_registry_are_compared_in_it_alone() {
    let code: Vec<(String, String)> = sources()
        .into_iter()
        .filter(|(file, _)| !MJCF_WORDS.iter().any(|own| file.starts_with(own)))
        .collect();
    let mut breaches = Vec::new();
    for (registry, before, home) in REGISTRIES {
        let names = names(registry, before);
        assert!(names.len() > 1, "{registry} has no names after {before:?}");
        for (file, text) in code.iter().filter(|(file, _)| !file.starts_with(home)) {
            for (n, line) in text.lines().enumerate() {
                if let Some(name) = names.iter().find(|name| compares(line, name)) {
                    breaches.push(format!("{file}:{}: {name}", n + 1));
                }
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn a_comparison_of_a_name_is_found_in_all_its_forms() {
    for line in [
        "if torso == \"flex\" {",
        "if \"flex\" != torso {",
        "torso == Some(\"flex\")",
        "    \"flex\" => 0.035,",
        "    \"mpm\" | \"flex\" => 0.035,",
        "    matches!(torso, \"flex\" | \"mpm\")",
    ] {
        assert!(compares(line, "flex"), "{line}");
    }
    for line in [
        "let torso = by_name(\"flex\")?;",
        "Self::Flex => \"flex\",",
        "const LEARNED: [&str; 2] = [\"flex\", \"xpbd\"];",
    ] {
        assert!(!compares(line, "flex"), "{line}");
    }
}

/// The names of a registry.
fn names(registry: &str, before: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(registry)).expect("the registry exists");
    let is_name = |name: &&str| {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || " -_".contains(c);
        name.len() > 1 && name.chars().all(is_plain)
    };
    let names = text.split(before).skip(1);
    let names = names.filter_map(|rest| rest.split('"').next());
    names.filter(is_name).map(str::to_owned).collect()
}

/// Whether a line of code compares something with a text: by an operator, as an arm of a match, or by `matches!`.
fn compares(line: &str, name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    line.match_indices(&quoted).any(|(start, _)| {
        let before = line[..start].trim_end_matches("Some(").trim_end();
        let after = line[start + quoted.len()..].trim_start_matches(')');
        let after = after.trim_start();
        let is_operand = before.ends_with("==") || before.ends_with("!=");
        let is_swapped = after.starts_with("==") || after.starts_with("!=");
        let is_arm = after.starts_with("=>") || after.starts_with("| \"") || before.ends_with('|');
        is_operand || is_swapped || is_arm || line.contains("matches!(")
    })
}

/// Path from the root and text of every Rust file below a folder `src`.
fn sources() -> Vec<(String, String)> {
    let mut folders = vec![root().to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is readable") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("it has a name").to_string_lossy();
            // Build folders have this file.
            let is_built = path.join("CACHEDIR.TAG").exists();
            if path.is_dir() && !name.starts_with('.') && !is_built {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let shown = |file: &Path| {
        let own = file.strip_prefix(root()).expect("it is below the root");
        own.to_string_lossy().replace('\\', "/")
    };
    files
        .iter()
        .filter(|file| file.components().any(|part| part.as_os_str() == "src"))
        .map(|file| (shown(file), fs::read_to_string(file).expect("UTF-8")))
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
