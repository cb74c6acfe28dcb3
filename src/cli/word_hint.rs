//! A tip where a scene's option is given to a command that takes settings, or a setting to one that takes options.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use insonate::envs::probe::SceneSettings;
use insonate::envs::settings;
use toml::{Table, Value};

/// The tip for an error of the arguments, if the word exists in the other form.
pub(super) fn tip(error: &Error, root: &Command, arguments: &[String]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = arguments.iter().skip(1).fold(root, |command, word| {
        command.find_subcommand(word).unwrap_or(command)
    });
    if unknown == "--set" {
        let mut assignments = arguments.iter().skip_while(|word| *word != "--set");
        let option = option_of(assignments.nth(1)?)?;
        has(command, &option).then(|| format!("tip: this command takes --{option} VALUE"))
    } else {
        let setting = setting_of(unknown.trim_start_matches('-'))?;
        has(command, "set").then(|| format!("tip: this command takes --set {setting}=VALUE"))
    }
}

fn has(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long() == Some(option) || aliases.contains(&option)
    })
}

/// The setting of a task's scene of the same letters as an option.
fn setting_of(option: &str) -> Option<String> {
    let letters = |name: &str| name.replace(['.', '_', '-'], "");
    let wanted = letters(option.split('=').next()?);
    let found = names(&settings::table(&SceneSettings::default()), "");
    let found = found.into_iter().find(|name| letters(name) == wanted)?;
    Some(format!("scene.{found}"))
}

/// The option of the same words as an assignment to a setting of the scene.
fn option_of(assignment: &str) -> Option<String> {
    let name = assignment.split('=').next()?;
    let name = name.strip_prefix("env.").unwrap_or(name);
    Some(name.strip_prefix("scene.")?.replace(['.', '_'], "-"))
}

/// The dotted names of a table.
fn names(table: &Table, path: &str) -> Vec<String> {
    let of = |(key, value): (&String, &Value)| match value {
        Value::Table(inner) => names(inner, &format!("{path}{key}.")),
        _ => vec![format!("{path}{key}")],
    };
    table.iter().flat_map(of).collect()
}
