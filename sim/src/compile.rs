//! MJCF text → `Arc<MjModel>`, with errors that point at the element.

use std::sync::Arc;

use mujoco_rs::error::MjEditError;
use mujoco_rs::wrappers::mj_editing::MjSpec;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::{SimError, loader, log_handler};

/// Longest piece of a source line in an error message [characters].
const MAX_SOURCE_LINE: usize = 120;

/// What MuJoCo's reader of numbers says of an `errno` that is neither `EINVAL` nor `ERANGE`.
const STRAY_ERRNO: &str = "unknown error in attribute";

/// Times that a text with [`STRAY_ERRNO`] is parsed.
const PARSES: usize = 4;

/// Compiles one standalone MJCF text.
///
/// # Errors
/// [`SimError::Compile`] with the element and line that MuJoCo names; [`SimError::MissingLibrary`] and
/// [`SimError::Version`] where libmujoco is missing or of another version.
pub fn compile(xml: &str) -> Result<Arc<MjModel>, SimError> {
    loader::load()?;
    log_handler::install();
    log_handler::take();
    if xml.contains('\0') {
        return Err(explain("the text holds a zero byte", xml));
    }
    let mut spec = parse(xml).map_err(|error| explain(&text_of(error), xml))?;
    let model = spec
        .compile()
        .map_err(|error| explain(&text_of(error), xml))?;
    let warnings = warnings_of(&spec);
    // MuJoCo only warns of these, and the state would be lost at the first step.
    if let Some(warning) = warnings.iter().find(|warning| warning.contains("NaN")) {
        return Err(explain(warning, xml));
    }
    Ok(Arc::new(model))
}

/// Parses anew where MuJoCo tells of an error that is none.
///
/// Its reader of numbers takes any `errno` that it finds after a list for an error in the list, and an
/// allocation that succeeded at its second way (glibc's `malloc` where `brk` fails, under memory pressure) leaves
/// one behind. The memory is at hand the next time.
fn parse(xml: &str) -> Result<MjSpec, MjEditError> {
    let mut parsed = MjSpec::from_xml_string(xml);
    for _ in 1..PARSES {
        match &parsed {
            Err(MjEditError::ParseFailed(message)) if message.contains(STRAY_ERRNO) => {
                parsed = MjSpec::from_xml_string(xml);
            }
            _ => break,
        }
    }
    parsed
}

fn warnings_of(spec: &MjSpec) -> Vec<String> {
    let parsed = (0..spec.num_warnings()).filter_map(|index| spec.warning(index));
    parsed.map(one_line).chain(log_handler::take()).collect()
}

fn text_of(error: MjEditError) -> String {
    match error {
        MjEditError::ParseFailed(message) | MjEditError::CompileFailed(message) => message,
        other => other.to_string(),
    }
}

fn explain(text: &str, xml: &str) -> SimError {
    let line = number_after(text, "line ").or_else(|| number_after(text, "Line number="));
    let source_line = line
        .and_then(|line| xml.lines().nth(line.checked_sub(1)?))
        .map(shorten);
    SimError::Compile {
        message: one_line(text),
        element: element_of(text),
        line,
        source_line,
    }
}

/// The name between quotes after `Element name` or `Element`, as MuJoCo writes both.
fn element_of(text: &str) -> Option<String> {
    let after = ["Element name '", "Element '", "name '"]
        .iter()
        .find_map(|key| text.split_once(key))?
        .1;
    let name = after.split_once('\'')?.0;
    (!name.is_empty()).then(|| name.to_owned())
}

fn number_after(text: &str, key: &str) -> Option<usize> {
    let digits: String = text
        .rsplit_once(key)?
        .1
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

fn one_line(text: &str) -> String {
    let words = text
        .strip_prefix("XML Error: ")
        .or_else(|| text.strip_prefix("Error: "))
        .unwrap_or(text);
    // The location is given on its own by `SimError::Compile`.
    let message = words.split("\nElement").next().unwrap_or(words);
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(line: &str) -> String {
    let line = line.trim();
    if line.chars().count() <= MAX_SOURCE_LINE {
        return line.to_owned();
    }
    line.chars()
        .take(MAX_SOURCE_LINE)
        .chain("...".chars())
        .collect()
}
