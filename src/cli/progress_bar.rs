//! Progress bars on standard error. They are hidden where it is no terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of `n_steps` steps, drawn by a template of indicatif.
pub(crate) fn bar(n_steps: usize, template: &str) -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::new(n_steps as u64);
    let style = ProgressStyle::with_template(template)?;
    bar.set_style(style.progress_chars("=> "));
    Ok(bar)
}

/// A bar of 1000 steps with a name and the time that is left.
pub(crate) fn named_bar(name: &'static str) -> anyhow::Result<ProgressBar> {
    let template = "{msg:>9} [{bar:40}] {percent:>3} %  {elapsed} (left {eta})";
    Ok(bar(1000, template)?.with_message(name))
}
