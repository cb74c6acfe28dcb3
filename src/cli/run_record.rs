//! `run.toml`: how the files of an output folder were made, so that `insonate rerun` can make them again.
//!
//! A command claims its folder through `output_folder`, and this module writes the record when the command ends. Paths of inputs are
//! kept as they were typed. The output folder is the one that holds the record, so it is not part of the arguments.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use clap::{ArgAction, ArgMatches, Command};
use insonate::files::{Claim, OutputFolder};
use toml::{Table, Value};

/// File name of the record.
pub(super) const NAME: &str = "run.toml";
/// Version of the record's layout.
const FORMAT: i64 = 1;
/// Maximum size of a record that is read [bytes].
const MAX_SIZE: u64 = 1 << 20;
/// Options that say where files go, not what is computed.
const PLACE: [&str; 3] = ["output", "overwrite", "resume"];

/// The command of this process, and the folder that it claims.
static CURRENT: Mutex<Option<Running>> = Mutex::new(None);

#[derive(Debug)]
struct Running {
    record: RunRecord,
    is_resumed: bool,
    /// All files are written, although the command may still return an error.
    is_complete: bool,
    claimed: Option<Claimed>,
}

#[derive(Debug)]
struct Claimed {
    folder: PathBuf,
    command: String,
    /// Files of an earlier run may still be there.
    may_resume: bool,
}

/// The content of `run.toml`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunRecord {
    /// Version of insonate.
    pub(super) version: String,
    /// Commit of the source, if the build was told.
    commit: Option<String>,
    /// Names of the command and its subcommands, such as `psm track`.
    pub(super) command: String,
    /// Arguments after the command's names, as typed, without [`PLACE`].
    pub(super) arguments: Vec<String>,
    /// Values of all options, with defaults.
    settings: Table,
}

impl RunRecord {
    /// The record of a command line. `arguments` begin with the name of the program.
    fn of(arguments: &[String], matches: &ArgMatches, root: &Command) -> Self {
        let (mut words, mut matches, mut command) = (Vec::new(), matches, root);
        while let Some((name, inner)) = matches.subcommand() {
            words.push(name.to_owned());
            matches = inner;
            let Some(found) = command.find_subcommand(name) else {
                break;
            };
            command = found;
        }
        let own = arguments.get(1 + words.len()..).unwrap_or_default();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("INSONATE_COMMIT").map(str::to_owned),
            command: words.join(" "),
            arguments: without_place(own),
            settings: settings(matches, command),
        }
    }

    /// Reads the record of a folder.
    ///
    /// # Errors
    /// The file is missing, or it is not a record.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let shown = path.display();
        let file = fs::File::open(&path).with_context(|| {
            format!("{shown}: this folder has no record of the command that filled it")
        })?;
        let mut text = String::new();
        file.take(MAX_SIZE + 1)
            .read_to_string(&mut text)
            .with_context(|| format!("cannot read {shown}"))?;
        anyhow::ensure!(
            text.len() as u64 <= MAX_SIZE,
            "{shown} is longer than {MAX_SIZE} bytes"
        );
        let table: Table = toml::from_str(&text).with_context(|| format!("cannot read {shown}"))?;
        let format = table.get("format").and_then(Value::as_integer);
        let format = format.with_context(|| format!("{shown}: format must be a whole number"))?;
        anyhow::ensure!(
            format == FORMAT,
            "{shown}: format = {format} is unknown to this version, which reads format {FORMAT}"
        );
        let word = |key: &str| {
            let value = table.get(key).and_then(Value::as_str);
            let value = value.with_context(|| format!("{shown}: {key} must be a text"))?;
            anyhow::Ok(value.to_owned())
        };
        let (version, command) = (word("version")?, word("command")?);
        let arguments = table.get("arguments").and_then(Value::as_array);
        let arguments = arguments.and_then(|all| all.iter().map(Value::as_str).collect());
        let arguments: Vec<&str> =
            arguments.with_context(|| format!("{shown}: arguments must be a list of texts"))?;
        Ok(Self {
            version,
            commit: word("commit").ok(),
            command,
            arguments: arguments.into_iter().map(str::to_owned).collect(),
            settings: table
                .get("settings")
                .and_then(Value::as_table)
                .cloned()
                .unwrap_or_default(),
        })
    }

    fn to_toml(&self) -> String {
        let mut table = Table::new();
        let mut add = |key: &str, value: Value| table.insert(key.to_owned(), value);
        add("format", FORMAT.into());
        add("version", self.version.clone().into());
        if let Some(commit) = &self.commit {
            add("commit", commit.clone().into());
        }
        add("command", self.command.clone().into());
        add("arguments", self.arguments.clone().into());
        add("settings", self.settings.clone().into());
        format!(
            "# How this folder was made; `insonate rerun` on it runs the command again.\n{table}"
        )
    }

    /// The command line that fills a folder with the same files.
    pub(super) fn command_line(&self, output: &str, overwrite: bool) -> Vec<String> {
        let mut line = vec!["insonate".to_owned()];
        line.extend(self.command.split_whitespace().map(str::to_owned));
        line.extend(["--output".to_owned(), output.to_owned()]);
        line.extend(overwrite.then(|| "--overwrite".to_owned()));
        line.extend(self.arguments.iter().cloned());
        line
    }
}

/// Arguments without the options of [`PLACE`].
fn without_place(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => {
                kept.push(word.clone());
                kept.extend(words.by_ref().cloned());
            }
            "--output" | "-o" => {
                words.next();
            }
            "--overwrite" | "--resume" => {}
            short if short.starts_with("-o") || short.starts_with("--output=") => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// The value of every option and argument of a command, with defaults.
fn settings(matches: &ArgMatches, command: &Command) -> Table {
    let arguments = command.get_arguments().filter_map(|argument| {
        let name = argument.get_long().unwrap_or(argument.get_id().as_str());
        let values = matches.try_get_raw(argument.get_id().as_str()).ok()??;
        let mut values: Vec<String> = values.map(|word| word.to_string_lossy().into()).collect();
        let is_list = argument.get_num_args().is_some_and(|n| n.max_values() > 1)
            || matches!(argument.get_action(), ArgAction::Append)
            || argument.get_value_delimiter().is_some();
        let value = match argument.get_action() {
            ArgAction::SetTrue => Value::from(values.last()? == "true"),
            _ if is_list => Value::from(values),
            _ => Value::from(values.pop()?),
        };
        (!PLACE.contains(&name)).then(|| (name.to_owned(), value))
    });
    arguments.collect()
}

/// Says which command this process runs from now on.
pub(super) fn begin(arguments: &[String], matches: &ArgMatches, root: &Command) {
    *current() = Some(Running {
        record: RunRecord::of(arguments, matches, root),
        is_resumed: arguments.iter().any(|word| word == "--resume"),
        is_complete: false,
        claimed: None,
    });
}

/// The command claims a folder. Only the first is its own; later ones are within.
pub(super) fn claim(folder: &Path, claim: Claim<'_>) {
    if let Some(running) = &mut *current() {
        running.claimed.get_or_insert_with(|| Claimed {
            folder: folder.to_owned(),
            command: claim.command.to_owned(),
            may_resume: claim.resume,
        });
    }
}

/// The command has written all of its files. They get a record even if the command then returns an error, such as a failed verdict.
pub(super) fn complete() {
    if let Some(running) = &mut *current() {
        running.is_complete = true;
    }
}

/// Writes the record into the claimed folder, if the command has written files there. A resumed run keeps its first record.
///
/// `is_done` says that the command finished, or was interrupted and saved its files.
pub(super) fn finish(is_done: bool) {
    let Some(running) = current().take() else {
        return;
    };
    let Some(claimed) = &running.claimed else {
        return;
    };
    let is_kept = claimed.folder.join(NAME).exists() && running.is_resumed;
    // After an error, files in a folder that can be resumed may be those of an earlier run.
    let is_ours = is_done || running.is_complete || !claimed.may_resume;
    if is_kept || !is_ours || !OutputFolder::has_files(&claimed.folder) {
        return;
    }
    let folder = OutputFolder::create(&claimed.folder, Claim::resuming(&claimed.command));
    let written = folder.and_then(|folder| folder.write(NAME, running.record.to_toml().as_bytes()));
    if let Err(error) = written {
        eprintln!("note: no {NAME}: {error}");
    }
}

fn current() -> std::sync::MutexGuard<'static, Option<Running>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_leaves_out_where_files_go() {
        for (typed, kept) in [
            ("--output a --seed 1 --overwrite", "--seed 1"),
            ("-o a x.csv -ob --output=c --resume", "x.csv"),
            ("--set a=1 -- --output", "--set a=1 -- --output"),
        ] {
            assert_eq!(without_place(&words(typed)), words(kept), "{typed}");
        }
    }
}
