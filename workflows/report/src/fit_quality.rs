//! Explanation of each statistic in a sentence, with a verdict.

use insonate_calibration::{Calibration, FitStatistics};

use super::number;

/// Verdict on a statistic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// The plots should be checked.
    Look,
    /// The result should not be used before the reason is understood.
    Worrying,
}

impl Verdict {
    /// Text for the user, which is also the CSS class in the page.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Look => "look",
            Self::Worrying => "worrying",
        }
    }

    /// Fine below the first limit, worrying from the second limit.
    fn rising(value: f64, look: f64, worrying: f64) -> Self {
        if value < look {
            Self::Fine
        } else if value < worrying {
            Self::Look
        } else {
            Self::Worrying
        }
    }
}

/// A statistic with its explanation.
pub(super) struct ExplainedStatistic {
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) verdict: Verdict,
    pub(super) meaning: String,
}

/// All statistics of a fit with explanations.
pub(super) fn explained(log: &Calibration) -> Vec<ExplainedStatistic> {
    let statistics = &log.fit.statistics;
    let mut all = vec![goodness(log), error(log), independent(statistics)];
    all.push(ExplainedStatistic {
        name: "condition number",
        value: number(statistics.condition_number),
        verdict: Verdict::rising(statistics.condition_number, 30.0, 300.0),
        meaning: "how well the motion tells the parameters apart: near 1 they are separate, above 30 they lean on each other, \
                  above 300 the log cannot tell them apart; press at several speeds."
            .to_owned(),
    });
    all.push(ExplainedStatistic {
        name: "Durbin–Watson",
        value: number(statistics.durbin_watson),
        verdict: if statistics.durbin_watson > 1.0 {
            Verdict::Fine
        } else {
            Verdict::Look
        },
        meaning: "correlation of neighbouring residuals: 2 is none. Far below, the law misses something smooth; \
                  the intervals allow for that, but look at the residuals' plot."
            .to_owned(),
    });
    all.extend(statistics.p_values.iter().map(|(name, p)| test(name, *p)));
    all
}

fn goodness(log: &Calibration) -> ExplainedStatistic {
    let statistics = &log.fit.statistics;
    let what = if log.fit.divided {
        "force over indentation"
    } else {
        "force"
    };
    ExplainedStatistic {
        name: "R²",
        value: format!("{:.4}", statistics.r_squared),
        verdict: Verdict::rising(1.0 - statistics.r_squared, 0.15, 0.5),
        meaning: format!(
            "share of the variation of {what} that the law explains; 1 is a perfect fit. {}",
            if log.fit.divided {
                "In this form it is low for a log in which the ratio of velocity to indentation varies little, although the stiffness is reliable."
            } else {
                "It is near 1 for any law that grows with indentation, so look at the residuals too."
            }
        ),
    }
}

fn error(log: &Calibration) -> ExplainedStatistic {
    let statistics = &log.fit.statistics;
    let force = &log.prepared.samples.force;
    let largest = log
        .fit
        .used
        .iter()
        .filter_map(|&index| force.get(index))
        .fold(0.0, |largest: f64, force| largest.max(force.abs()));
    let share = statistics.rmse_n / largest;
    ExplainedStatistic {
        name: "rmse",
        value: format!("{} N", number(statistics.rmse_n)),
        verdict: Verdict::rising(share, 0.05, 0.2),
        meaning: format!(
            "typical distance between measured and predicted force: {:.1} % of the largest force, {} N.",
            100.0 * share,
            number(largest)
        ),
    }
}

fn independent(statistics: &FitStatistics) -> ExplainedStatistic {
    ExplainedStatistic {
        name: "independent samples",
        value: format!("{} of {}", statistics.n_effective.round(), statistics.n),
        verdict: Verdict::rising(
            1.0 / statistics.n_effective.max(1e-9),
            1.0 / 30.0,
            1.0 / 8.0,
        ),
        meaning:
            "how many of the samples count as independent, given how long residuals remember; \
                  the intervals are as wide as that asks for."
                .to_owned(),
    }
}

/// A test of the residuals. With many samples even harmless deviations are significant, so a single test is never worrying.
fn test(name: &'static str, p: f64) -> ExplainedStatistic {
    let (name, asks, then) = match name {
        "ljung_box" => (
            "Ljung–Box",
            "are residuals uncorrelated over time?",
            "they are correlated, which the intervals allow for",
        ),
        "breusch_pagan" => (
            "Breusch–Pagan",
            "is their spread the same everywhere?",
            "it is not, which the standard errors allow for",
        ),
        "jarque_bera" => (
            "Jarque–Bera",
            "are they Gaussian?",
            "they are not: outliers or several regimes; try the loss huber",
        ),
        "reset" => (
            "RESET",
            "is the law's shape right, without curvature left over?",
            "it is not: compare laws with the model auto",
        ),
        other => (other, "does the residuals' test pass?", "it does not"),
    };
    let rejected = p < 0.01;
    let answer = if p.is_nan() {
        "it could not be computed"
    } else if rejected {
        then
    } else {
        "no evidence against it"
    };
    ExplainedStatistic {
        name,
        value: p_value(p),
        verdict: if rejected {
            Verdict::Look
        } else {
            Verdict::Fine
        },
        meaning: format!("{asks} {}.", capitalised(answer)),
    }
}

fn p_value(p: f64) -> String {
    if p < 1e-3 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_test_asks_for_a_look() {
        assert_eq!(test("reset", 1e-5).verdict, Verdict::Look);
        assert_eq!(test("reset", 0.3).verdict, Verdict::Fine);
        assert_eq!(test("reset", 1e-5).value, "p < 0.001");
        assert_eq!(Verdict::rising(f64::NAN, 1.0, 2.0), Verdict::Worrying);
    }
}
