//! Progress bars on standard error. They are hidden where it is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How often the elapsed time is drawn while a step takes long, such as a picture.
const TICK: Duration = Duration::from_millis(200);

/// A bar of `n_steps` steps, drawn by a template of indicatif.
pub(crate) fn bar(n_steps: usize, template: &str) -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(n_steps as u64);
    let style = ProgressStyle::with_template(template)?;
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(TICK);
    Ok(bar)
}

/// What a command does, with the elapsed time, until it is dropped. For work without steps that takes seconds.
#[derive(Debug)]
pub(crate) struct Busy(ProgressBar);

impl Busy {
    pub(crate) fn with(what: &'static str) -> anyhow::Result<Self> {
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.set_style(ProgressStyle::with_template("{msg} {spinner} {elapsed}")?);
        bar.enable_steady_tick(TICK);
        Ok(Self(bar))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar of 1000 steps with a name and the time that is left.
pub(crate) fn named_bar(name: &'static str) -> anyhow::Result<ProgressBar> {
    let template = "{msg:>9} [{bar:40}] {percent:>3} %  {elapsed} (left {eta})";
    Ok(bar(1000, template)?.with_message(name))
}
