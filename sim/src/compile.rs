//! MJCF text → `Arc<MjModel>`, with errors that point at the element.

use std::sync::Arc;
use std::thread;

use mujoco_rs::error::MjEditError;
use mujoco_rs::wrappers::mj_editing::MjSpec;
use mujoco_rs::wrappers::mj_model::MjModel;

use crate::{SimError, loader, log_handler};

/// Longest piece of a source line in an error message [characters].
const MAX_SOURCE_LINE: usize = 120;

/// MuJoCo's message for an `errno` other than `EINVAL` and `ERANGE` when it reads numbers.
const STRAY_ERRNO: &str = "unknown error in attribute";

/// Largest number of further threads in which a text with [`STRAY_ERRNO`] is compiled.
const THREADS: u32 = 8;

/// Compiles one standalone MJCF text.
///
/// # Errors
/// [`SimError::Compile`] with the element and line that MuJoCo names; [`SimError::MissingLibrary`] and
/// [`SimError::Version`] if libmujoco is missing or has another version.
pub fn compile(xml: &str) -> Result<Arc<MjModel>, SimError> {
    loader::load()?;
    log_handler::install();
    if xml.contains('\0') {
        return Err(explain("the text holds a zero byte", xml));
    }
    compile_with_threads(xml, THREADS)
}

/// Compiles again in another thread if MuJoCo reports an error that does not exist.
///
/// MuJoCo checks `errno` after it reads a list of numbers, and reports any value as an error in the list. It allocates
/// the list in between. If the break of the process cannot grow, because something is mapped behind it, glibc's `malloc`
/// sets `errno` to `ENOMEM`, maps other memory and succeeds. Only the main arena of `malloc` uses the break. Threads use
/// other arenas, as long as the thread that used the main arena is alive; hence the nested threads.
fn compile_with_threads(xml: &str, n_threads: u32) -> Result<Arc<MjModel>, SimError> {
    let compiled = compile_in_this_thread(xml);
    let is_stray = matches!(&compiled, Err(SimError::Compile { message, .. }) if message.contains(STRAY_ERRNO));
    if !is_stray || n_threads == 0 {
        return compiled;
    }
    thread::scope(|scope| {
        let again = || compile_with_threads(xml, n_threads - 1);
        let other = thread::Builder::new().spawn_scoped(scope, again);
        match other.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(other)) => other,
            _ => compiled,
        }
    })
}

fn compile_in_this_thread(xml: &str) -> Result<Arc<MjModel>, SimError> {
    log_handler::take();
    let mut spec = MjSpec::from_xml_string(xml).map_err(|error| explain(&text_of(error), xml))?;
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
