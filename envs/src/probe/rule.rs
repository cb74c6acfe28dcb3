//! Bounds of a task's success criteria.

use insonate_sim::verdict::Judge;

/// A metric of an episode, and its bound for a success.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Name of the metric with its unit.
    name: &'static str,
    value: f64,
    bound: f64,
    is_least: bool,
}

impl Rule {
    /// The metric must be below the bound.
    pub fn below(name: &'static str, value: f64, bound: f64) -> Self {
        Self {
            name,
            value,
            bound,
            is_least: false,
        }
    }

    /// The metric must be at least the bound.
    pub fn at_least(name: &'static str, value: f64, bound: f64) -> Self {
        Self {
            is_least: true,
            ..Self::below(name, value, bound)
        }
    }

    /// Whether the bound holds. It does not hold for NaN.
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

/// Adds the violated rules, unless there is already a reason.
pub fn judge_rules(judge: Judge, rules: &[Rule]) -> Judge {
    if !judge.is_clear() {
        return judge;
    }
    let broken = rules.iter().filter(|rule| !rule.is_kept());
    broken.fold(judge, |judge, rule| judge.reason(rule.text()))
}
