//! Bounds of a task's rule of success.

use insonate_sim::verdict::Judge;

/// A figure of an episode, and the bound that a success keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Name of the figure with its unit.
    name: &'static str,
    value: f64,
    bound: f64,
    is_least: bool,
}

impl Rule {
    /// The figure must be below the bound.
    pub fn below(name: &'static str, value: f64, bound: f64) -> Self {
        Self {
            name,
            value,
            bound,
            is_least: false,
        }
    }

    /// The figure must be the bound or more.
    pub fn at_least(name: &'static str, value: f64, bound: f64) -> Self {
        Self {
            is_least: true,
            ..Self::below(name, value, bound)
        }
    }

    /// Whether it is kept; a figure that is not a number keeps no bound.
    pub fn is_kept(&self) -> bool {
        if self.is_least {
            self.value >= self.bound
        } else {
            self.value < self.bound
        }
    }

    fn text(&self) -> String {
        let Self { name, value, .. } = self;
        let relation = if self.is_least { "at least" } else { "below" };
        let bound = self.bound;
        format!("{name} was {value:.4}, a success of the task needs {relation} {bound}")
    }
}

/// Adds the rules that were broken, unless there is a reason already.
pub fn judge_rules(judge: Judge, rules: &[Rule]) -> Judge {
    if !judge.is_clear() {
        return judge;
    }
    let broken = rules.iter().filter(|rule| !rule.is_kept());
    broken.fold(judge, |judge, rule| judge.reason(rule.text()))
}
