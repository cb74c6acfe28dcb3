//! MJCF text → `Arc<MjModel>`, with errors that point at the element.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mujoco_rs::error::MjEditError;
use mujoco_rs::wrappers::mj_editing::MjSpec;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::{SimError, loader, log_handler};

/// Longest piece of a source line in an error message [characters].
const MAX_SOURCE_LINE: usize = 120;

/// MuJoCo's message for an `errno` other than `EINVAL` and `ERANGE` when it reads numbers.
const STRAY_ERRNO: &str = "unknown error in attribute";

/// Number of times that a text with [`STRAY_ERRNO`] is parsed, and the wait before the second time, which doubles.
const PARSES: u32 = 8;
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// Compiles one standalone MJCF text.
///
/// # Errors
/// [`SimError::Compile`] with the element and line that MuJoCo names; [`SimError::MissingLibrary`] and
/// [`SimError::Version`] if libmujoco is missing or has another version.
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
    // MuJoCo only warns about these; the state would be lost at the first step.
    if let Some(warning) = warnings.iter().find(|warning| warning.contains("NaN")) {
        return Err(explain(warning, xml));
    }
    Ok(Arc::new(model))
}

/// Parses again if MuJoCo reports an error that does not exist.
///
/// MuJoCo checks `errno` after it reads a list of numbers, and reports any value as an error in the list. One known
/// cause is an allocation that succeeds only at its second attempt (glibc's `malloc` if `brk` fails, under memory
/// pressure); a later parse finds the memory available. There are rare cases with another cause.
fn parse(xml: &str) -> Result<MjSpec, MjEditError> {
    let mut parsed = MjSpec::from_xml_string(xml);
    for attempt in 1..PARSES {
        match &parsed {
            Err(MjEditError::ParseFailed(message)) if message.contains(STRAY_ERRNO) => {
                thread::sleep(FIRST_WAIT * 2_u32.pow(attempt - 1));
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

/// The name in quotes after `Element name` or `Element`; MuJoCo writes both forms.
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
    // `SimError::Compile` gives the location separately.
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
