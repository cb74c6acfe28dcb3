//! Commands in the pages: those in blocks are parsed by the program, options of those in sentences are looked up.

use std::path::Path;

use super::{files, insonate, root};

/// Languages of blocks that hold commands.
const SHELL: [&str; 3] = ["", "sh", "bash"];

/// Wrong commands of a page, with their lines.
pub(super) fn breaches(path: &Path, text: &str) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut language = None;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if let Some(name) = line.trim_start().strip_prefix("```") {
            language = if language.is_some() {
                None
            } else {
                Some(name.trim())
            };
            continue;
        }
        let reasons: Vec<String> = match language {
            None => mentioned(line),
            Some(name) if SHELL.contains(&name) => {
                let mut command = line.trim().to_owned();
                while let Some(start) = command.strip_suffix('\\') {
                    let next = lines.next().map_or("", |(_, next)| next.trim());
                    command = format!("{start} {next}");
                }
                wrong(&command).into_iter().collect()
            }
            Some(_) => Vec::new(),
        };
        let place = format!("{}:{}", path.display(), index + 1);
        breaches.extend(
            reasons
                .into_iter()
                .map(|reason| format!("{place}: {reason}")),
        );
    }
    breaches
}

/// Why a line of a block is no command, if so. Lines of other programs are not judged.
pub(super) fn wrong(line: &str) -> Option<String> {
    let line = line.split(" #").next().unwrap_or_default();
    let words = line
        .split_whitespace()
        .skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let words: Vec<&str> = words.collect();
    match words[..] {
        ["insonate", ref arguments @ ..] | ["cargo", "xtask", "run", ref arguments @ ..] => {
            refused(arguments)
        }
        ["cargo", "test" | "bench" | "run", ref arguments @ ..] => {
            let mut pairs = arguments.windows(2).take_while(|pair| pair[0] != "--");
            pairs.find_map(|pair| missing_target(pair[0], pair[1]))
        }
        _ => None,
    }
}

/// The error of the program about these arguments, if any. With `--help` it reads them and does nothing.
fn refused(arguments: &[&str]) -> Option<String> {
    let output = insonate(&[arguments, &["--help"]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| error.lines().next().unwrap_or("it fails").to_owned())
}

/// Whether a test, example or bench that cargo is told to run does not exist.
fn missing_target(option: &str, name: &str) -> Option<String> {
    let folder = match option {
        "--test" => "tests",
        "--example" => "examples",
        "--bench" => "benches",
        _ => return None,
    };
    let names = [
        format!("{folder}/{name}.rs"),
        format!("{folder}/{name}/main.rs"),
    ];
    let packages = std::fs::read_dir(root())
        .expect("the root exists")
        .flatten();
    let mut sources = packages.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_dir() && !name.starts_with('.') && !["target", "output"].contains(&&*name)
    });
    let exists = sources.any(|package| {
        let in_package = names.iter().any(|name| {
            root()
                .join(&package)
                .parent()
                .is_some_and(|it| it.join(name).exists())
        });
        in_package
            || files(&package, "rs")
                .iter()
                .any(|file| names.iter().any(|name| file.ends_with(name)))
    });
    (!exists).then(|| format!("{option} {name} does not exist"))
}

/// Wrong options of the commands in the sentences of a line.
fn mentioned(line: &str) -> Vec<String> {
    let spans = line.split('`').skip(1).step_by(2);
    let commands = spans.filter_map(|span| span.strip_prefix("insonate "));
    commands.flat_map(wrong_options).collect()
}

/// Options that the help of a command does not have. Values are not checked, because pages write names such as FILE for them.
fn wrong_options(command: &str) -> Vec<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let is_name = |word: &&&str| {
        word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
    };
    let names: Vec<&str> = words.iter().take_while(is_name).copied().take(2).collect();
    let help = (0..=names.len())
        .rev()
        .map(|count| [&names[..count], &["--help"]].concat());
    let help = help
        .map(|arguments| insonate(&arguments))
        .find(|output| output.status.success());
    let help = help
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    if names
        .first()
        .is_some_and(|_| help.contains("\nCommands:\n  list "))
    {
        return vec![format!("`insonate {command}` is no command")];
    }
    let options = words.iter().filter(|word| word.starts_with("--"));
    let options = options.map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()));
    let has = |option: &str| help.split([' ', '\n', ',', '=']).any(|word| word == option);
    options
        .filter(|option| !has(option))
        .map(|option| format!("`insonate {command}` has no option {option}"))
        .collect()
}
