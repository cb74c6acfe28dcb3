//! Comparison of a run's figures with the limits.

use super::limits::share_or;
use super::watch::LimitKind;
use super::{JointLimit, RunWatch, Verdict, VerdictLimits};

/// Progress of a run along its path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathFigures {
    /// Length of the path, seen from above [m].
    pub asked: f64,
    /// Length that the probe covered in contact [m].
    pub covered: f64,
    /// Largest distance from the goal along the path [m].
    pub lag: f64,
    /// Largest distance across the path [m].
    pub error: f64,
}

/// Quality of a run's force control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceFigures {
    /// Wanted force along the probe's axis [N].
    pub asked: f64,
    /// Mean force from half a second after first contact [N].
    pub mean: f64,
    /// Mean absolute error in the same time [N].
    pub mae: f64,
    /// Largest error in the same time [N].
    pub worst: f64,
    /// Largest force at any time [N].
    pub peak: f64,
}

/// Share of a torque limit above which damping or dry friction is named as a cause.
const DAMPING_SHARE: f64 = 0.3;

/// Collects reasons against a run.
#[derive(Debug)]
pub struct Judge {
    limits: VerdictLimits,
    reasons: Vec<String>,
}

impl Judge {
    /// A judge without reasons.
    pub fn new(limits: &VerdictLimits) -> Self {
        Self {
            limits: *limits,
            reasons: Vec::new(),
        }
    }

    /// Adds a reason that does not come from a limit.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    fn require(&mut self, kept: bool, reason: impl FnOnce() -> String) {
        // A figure that is not a number violates every limit, because comparisons with it are false.
        if !kept {
            self.reasons.push(reason());
        }
    }

    /// Judges a path: covered share, lag, distance across.
    #[must_use]
    pub fn path(mut self, path: PathFigures) -> Self {
        let (limits, mm) = (self.limits, 1e3);
        self.require(path.covered >= limits.covered * path.asked, || {
            let (covered, asked) = (mm * path.covered, mm * path.asked);
            format!("covered {covered:.0} of {asked:.0} mm")
        });
        self.require(path.lag <= limits.lag, || {
            let (lag, limit) = (mm * path.lag, mm * limits.lag);
            format!("the lag along the path was {lag:.1} mm; it must be at most {limit:.1} mm")
        });
        self.require(path.error <= limits.path_error, || {
            let (error, limit) = (mm * path.error, mm * limits.path_error);
            format!(
                "the distance from the path was {error:.1} mm; it must be at most {limit:.1} mm"
            )
        });
        self
    }

    /// Judges a press: reached depth and wanted depth [m].
    #[must_use]
    pub fn depth(mut self, asked: f64, reached: f64) -> Self {
        self.require(reached >= self.limits.covered * asked, || {
            format!("pressed {:.1} of {:.1} mm", 1e3 * reached, 1e3 * asked)
        });
        self
    }

    /// Judges the force.
    #[must_use]
    pub fn force(mut self, force: ForceFigures) -> Self {
        let ForceFigures { asked, mean, .. } = force;
        let limit = share_or(self.limits.force_mae, asked);
        self.require(force.mae <= limit, || {
            let mae = force.mae;
            format!("the mean absolute error of the force was {mae:.2} N (mean {mean:.2} N, target {asked:.2} N); it must be at most {limit:.2} N")
        });
        let limit = share_or(self.limits.force_error, asked);
        self.require(force.worst <= limit, || {
            let worst = force.worst;
            format!("the largest error of the force was {worst:.2} N (target {asked:.2} N); it must be at most {limit:.2} N")
        });
        self.peak(asked, force.peak)
    }

    /// Judges the largest force at any time for a wanted force of `asked` [N].
    #[must_use]
    pub fn peak(mut self, asked: f64, peak: f64) -> Self {
        let limit = asked + share_or(self.limits.overshoot, asked);
        self.require(peak <= limit, || {
            format!("the peak force was {peak:.1} N; it must be at most {limit:.1} N")
        });
        self
    }

    /// Judges the largest mean pressure on 1 cm² of the probe's face [Pa].
    #[must_use]
    pub fn pressure(mut self, peak: f64) -> Self {
        let limit = self.limits.peak_pressure;
        self.require(peak <= limit, || {
            let (peak, limit) = (1e-3 * peak, 1e-3 * limit);
            format!("the peak pressure was {peak:.1} kPa; it must be at most {limit:.1} kPa")
        });
        self
    }

    /// Judges the largest distance across the probe's axis from the position that it should keep [m].
    #[must_use]
    pub fn place(mut self, error: f64) -> Self {
        let (limit, mm) = (self.limits.path_error, 1e3);
        self.require(error <= limit, || {
            let (error, limit) = (mm * error, mm * limit);
            format!(
                "the distance from the site was {error:.1} mm; it must be at most {limit:.1} mm"
            )
        });
        self
    }

    /// Whether there are no reasons so far.
    pub fn is_clear(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Judges contact: share of the time since first contact.
    #[must_use]
    pub fn contact(mut self, ratio: f64) -> Self {
        let limit = self.limits.contact_ratio;
        self.require(ratio >= limit, || {
            let (share, limit) = (100.0 * ratio, 100.0 * limit);
            format!(
                "the probe was in contact for {share:.1} % of the time; it must be at least {limit:.0} %"
            )
        });
        self
    }

    /// Judges the largest tilt [deg].
    #[must_use]
    pub fn tilt(mut self, degrees: f64) -> Self {
        let limit = self.limits.tilt_deg;
        self.require(degrees <= limit, || {
            format!("the tilt of the probe was {degrees:.1}°; it must be at most {limit:.1}°")
        });
        self
    }

    /// Judges the arm over `span`, such as `slide`. A joint at a limit becomes the cause of the first earlier reason, or a reason by itself.
    #[must_use]
    pub fn arm(mut self, watch: &RunWatch, span: &str) -> Self {
        let causes = watch.joints_at_limits(self.limits.at_limit);
        let causes: Vec<String> = causes.iter().map(|joint| cause(joint, span)).collect();
        match self.reasons.first_mut() {
            Some(first) if !causes.is_empty() => *first = format!("{first}: {}", causes.join(", ")),
            _ => self.reasons.extend(causes),
        }
        if let Some(touch) = watch.other_contact()
            && touch.force > self.limits.other_contact
        {
            self.reasons.push(format!(
                "{} of the robot touched {} with up to {:.1} N, at {:.3} s",
                touch.body, touch.other, touch.force, touch.time
            ));
        }
        self
    }

    /// The verdict.
    pub fn verdict(self) -> Verdict {
        Verdict::of(self.reasons)
    }
}

/// Text for a joint at its limit, with its damping and friction if they take a large share of the limit.
fn cause(joint: &JointLimit, span: &str) -> String {
    let (number, name, limit) = (joint.number, &joint.name, joint.limit_text());
    let share = 100.0 * joint.share;
    let text = format!("joint {number} ({name}) sat at its {limit} for {share:.0} % of the {span}");
    if joint.kind != LimitKind::Torque {
        return text;
    }
    let unit = if joint.is_slide { "N" } else { "N·m" };
    let taken = [
        ("damping took", joint.damping),
        ("dry friction took up to", joint.friction),
    ];
    taken
        .into_iter()
        .filter(|(_, torque)| *torque >= DAMPING_SHARE * joint.limit)
        .fold(text, |text, (what, torque)| {
            format!("{text}; its {what} {torque:.0} {unit} of that")
        })
}
