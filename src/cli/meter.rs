//! Progress of a training: a bar on a terminal, elsewhere a line every 10 s.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use insonate::rl::Progress;
use insonate::training::{Evaluation, Event};

use super::progress_bar::bar;

/// Time between lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A training that takes longer is told so at its start.
const LONG: Duration = Duration::from_hours(1);

/// Shows events on standard error.
#[derive(Debug)]
pub(crate) struct TrainingProgress {
    bar: Option<ProgressBar>,
    total: u64,
    last_line: Option<Instant>,
    figures: String,
    /// Whether an iteration was shown, and with it how long the training takes.
    is_timed: bool,
}

impl TrainingProgress {
    /// A meter of a training of `total` steps.
    pub(crate) fn new(total: usize) -> anyhow::Result<Self> {
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| bar(total, "{wide_bar} {percent:>3} %  {msg}"))
            .transpose()?;
        Ok(Self {
            bar,
            total: total as u64,
            last_line: None,
            figures: String::new(),
            is_timed: false,
        })
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, event: &Event<'_>) {
        match event {
            Event::Started {
                global_step,
                n_unreproduced_envs,
            } => self.started(*global_step, *n_unreproduced_envs),
            Event::Iteration(progress) => self.iteration(progress),
            Event::Evaluating { n_done, n_episodes } => {
                if let Some(bar) = &self.bar {
                    bar.set_message(format!(
                        "{}  evaluating {n_done}/{n_episodes}",
                        self.figures
                    ));
                }
            }
            Event::Evaluated(evaluation) => self.print_line(&evaluated(evaluation)),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn started(&mut self, global_step: u64, n_unreproduced_envs: usize) {
        if global_step > 0 {
            self.print_line(&format!("resumed from step {global_step}"));
        }
        if n_unreproduced_envs > 0 {
            self.print_line(&format!(
                "note: {n_unreproduced_envs} environments differ from the checkpoint, as on another machine or version: training continues, \
                 but not bit-identically"
            ));
        }
    }

    fn iteration(&mut self, progress: &Progress) {
        self.figures = figures(progress);
        if !std::mem::replace(&mut self.is_timed, true) && progress.remaining > LONG {
            self.print_line(&too_long(progress));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(progress.global_step.min(self.total));
            bar.set_message(self.figures.clone());
            return;
        }
        let is_last = progress.iteration == progress.n_iterations;
        let is_due = self
            .last_line
            .is_none_or(|last| last.elapsed() > LINE_EVERY);
        if is_due || is_last {
            self.last_line = Some(Instant::now());
            eprintln!(
                "step {:>9}/{}  {}",
                progress.global_step, self.total, self.figures
            );
        }
    }

    fn print_line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }
}

fn figures(progress: &Progress) -> String {
    let mut parts = vec![format!("{:.0} steps/s", progress.steps_per_second)];
    if let Some(return_) = progress.episodic_return {
        parts.push(format!("return {return_:.2}"));
    }
    if let Some(success) = progress.success {
        parts.push(format!("success {success:.2}"));
    }
    for (name, shown) in [("losses/approx_kl", "KL"), ("losses/alpha", "alpha")] {
        let figure = progress.scalar(name);
        parts.extend(figure.map(|figure| format!("{shown} {figure:.4}")));
    }
    parts.push(format!("left {}", clock(progress.remaining)));
    parts.join("  ")
}

/// That a training takes hours, and what helps.
fn too_long(progress: &Progress) -> String {
    format!(
        "note: at {:.0} steps/s this training takes {} more, in addition to its evaluations; fewer --steps, a torso of the kind fast or flex, \
         or more cores make it shorter, and fewer --evaluate-episodes make its evaluations shorter",
        progress.steps_per_second,
        clock(progress.remaining)
    )
}

fn evaluated(evaluation: &Evaluation) -> String {
    let mut line = format!(
        "evaluated at step {} after {}: return {:.2}",
        evaluation.global_step,
        clock(Duration::from_secs_f64(evaluation.train_s)),
        evaluation.return_mean
    );
    for (name, shown) in [
        ("success", "success"),
        ("force_mae_n", "force error [N]"),
        ("contact_ratio", "contact"),
    ] {
        if let Some(mean) = evaluation.metric(name) {
            let _ = write!(line, ", {shown} {mean:.3}");
        }
    }
    line
}

/// Minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!(
            "{}:{:02}:{:02}",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_as_clocks() {
        assert_eq!(clock(Duration::from_secs(75)), "1:15");
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
    }
}
