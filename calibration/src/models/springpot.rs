//! A tip pressed into a half space whose modulus relaxes as a power of time: a springpot (Scott Blair 1947). Soft
//! tissue behaves like this.
//!
//! ```text
//! f(t) = ∫ κ(t − s) d(rⁿ)/ds ds,   κ(t) = κ₁ₛ (t / 1 s)^{−α},   0 < α < 1
//! ```
//!
//! n = 3/2 for a sphere, 1 for a flat punch, as in [`super::prony`]. κ₁ₛ is the coefficient one second after a step; in the notation
//! of fractional derivatives f = c_α D^α(rⁿ) with c_α = κ₁ₛ Γ(1 − α).
//!
//! With p = rⁿ linear between samples the last step is integrated in closed form. The past before it is a sum of exponentials,
//! t^{−α} = 1/Γ(α) ∫ e^{αx − t eˣ} dx by the trapezoidal rule (Beylkin and Monzón 2005), which costs the same for every sample.

use statrs::function::gamma::gamma;

use super::{
    half_space::Tip,
    history::{GAP, History, first_loading, is_alike},
    kind::ModelKind,
    law::{Inputs, Law, Nonlinear, Spec, power},
};
use crate::{CalibrationError, FitOptions, Samples};

/// Registry entry of the sphere.
pub(super) const SPHERE: ModelKind = ModelKind {
    name: "hertz-springpot",
    summary: "sphere on a half space that relaxes by a power of time, for a ramp and a hold",
    equation: "f = κ₁ₛ ∫ (t − s)^{−α} d(r^{3/2})",
    // Model selection needs the same samples for every law.
    is_candidate: false,
    gives_softness: false,
    has_memory: true,
    options: &["--tip sphere"],
    law: |samples, options| law(SPHERE.name, samples, options),
};

/// Registry entry of the flat punch.
pub(super) const FLAT_PUNCH: ModelKind = ModelKind {
    name: "flat-punch-springpot",
    summary: "flat cylinder on a half space that relaxes by a power of time",
    equation: "f = k₁ₛ ∫ (t − s)^{−α} dr",
    is_candidate: false,
    gives_softness: false,
    has_memory: true,
    options: &["--tip flat"],
    law: |samples, options| law(FLAT_PUNCH.name, samples, options),
};

/// What to record so that a power of time is determined.
const ADVICE: &str = "record a fast press, and a hold that lasts at least ten times as long";

/// Coefficient after 1 s of a sphere.
const KAPPA_1S: Spec = Spec {
    name: "kappa_1s",
    title: "κ after 1 s",
    unit: "N/m^1.5",
    positive: true,
    advice: ADVICE,
};

/// Coefficient after 1 s of a flat punch.
const STIFFNESS_1S: Spec = Spec {
    name: "stiffness_1s",
    title: "stiffness k after 1 s",
    unit: "N/m",
    positive: true,
    advice: ADVICE,
};

/// Young's modulus after 1 s.
const MODULUS_1S: Spec = Spec {
    name: "modulus_1s",
    title: "Young's modulus after 1 s",
    unit: "Pa",
    positive: true,
    advice: ADVICE,
};

/// Exponent α.
const ALPHA: Spec = Spec {
    name: "alpha",
    title: "exponent α",
    unit: "",
    positive: true,
    advice: ADVICE,
};

/// Range of α: 0 is a spring, 1 a damper.
const RANGE: [f64; 2] = [0.002, 0.98];
/// Start points of the search for α.
const STARTS: [f64; 6] = [0.03, 0.1, 0.2, 0.35, 0.55, 0.8];
/// Step of the trapezoidal rule in x: its relative error is below e^{−π²/h} times a number near 1.
const STEP: f64 = 0.55;
/// Decay of the slowest exponential over the log; slower ones are summed as constants.
const SLOWEST: f64 = 1e-7;
/// t eˣ above which an exponential is negligible.
const FASTEST: f64 = 40.0;

fn law(
    model: &'static str,
    samples: &Samples,
    options: &FitOptions,
) -> Result<Box<dyn Law>, CalibrationError> {
    let history = History::of(samples, model)?;
    if history.starts_inside {
        return Err(CalibrationError::Fit {
            log: samples.log.clone(),
            model,
            problem: "the log starts inside the tissue, whose past this law needs: record from free air, or use --model hertz-prony, flat-punch-prony or sls".to_owned(),
        });
    }
    let (tip, coefficient) = if model == SPHERE.name {
        (Tip::sphere(options)?, KAPPA_1S)
    } else {
        (Tip::flat_punch(options)?, STIFFNESS_1S)
    };
    Ok(Box::new(Springpot {
        history,
        tip,
        coefficient,
    }))
}

/// The law.
struct Springpot {
    history: History,
    tip: Tip,
    coefficient: Spec,
}

/// t^{−α} as Σ wⱼ e^{−sⱼ t} for t from a shortest to a longest time.
struct Exponentials {
    /// sⱼ [1/s]; the first is 0, for all terms that do not decay.
    rates: Vec<f64>,
    weights: Vec<f64>,
}

impl Exponentials {
    fn new(alpha: f64, shortest: f64, longest: f64) -> Self {
        let first = (SLOWEST / longest).ln();
        let last = (FASTEST / shortest).ln();
        let n = ((last - first) / STEP).ceil() as usize;
        let scale = STEP / gamma(alpha);
        let weight = |x: f64| scale * (alpha * x).exp();
        // Σ over x = first − STEP, first − 2 STEP, …
        let ratio = (-alpha * STEP).exp();
        let mut rates = vec![0.0];
        let mut weights = vec![weight(first) * ratio / (1.0 - ratio)];
        for i in 0..=n {
            let x = first + STEP * i as f64;
            rates.push(x.exp());
            weights.push(weight(x));
        }
        Self { rates, weights }
    }
}

impl Springpot {
    /// ∫ (t − s)^{−α} dp at every used sample.
    fn column(&self, inputs: &Inputs, alpha: f64) -> Vec<f64> {
        let time = inputs.time;
        let shortest = 0.5 * self.history.interval;
        let sum = Exponentials::new(alpha, shortest, self.history.duration);
        let mut column = Vec::with_capacity(inputs.used.len());
        let mut next = inputs.used.iter().peekable();
        let mut branches = vec![0.0; sum.rates.len()];
        let (mut decays, mut drops) = (branches.clone(), branches.clone());
        let depth = |r: f64| power(r, self.tip.exponent);
        // A press that begins between two samples starts at the first one.
        let mut before = 0.0;
        let mut last_step = f64::NAN;
        for (i, r) in inputs.indentation.iter().enumerate() {
            let p = depth(*r);
            let step = if i == 0 {
                self.history.interval
            } else {
                time[i] - time[i - 1]
            };
            if self.history.is_gap(step) {
                // In air the tissue relaxes; later presses start from here.
                branches.fill(0.0);
                before = 0.0;
            }
            let step = step.clamp(shortest, GAP * self.history.interval);
            if !is_alike(step, last_step) {
                for ((decay, drop), rate) in decays.iter_mut().zip(&mut drops).zip(&sum.rates) {
                    *decay = (-rate * step).exp();
                    *drop = if *rate * step > 1e-12 {
                        -(-rate * step).exp_m1() / (rate * step)
                    } else {
                        1.0
                    };
                }
                last_step = step;
            }
            let is_used = next.next_if(|used| **used == i).is_some();
            let rise = p - before;
            let local = rise * step.powf(-alpha) / (1.0 - alpha);
            let mut past = 0.0;
            for (((branch, decay), drop), weight) in branches
                .iter_mut()
                .zip(&decays)
                .zip(&drops)
                .zip(&sum.weights)
            {
                let decayed = *branch * decay;
                past += weight * decayed;
                *branch = decayed + rise * drop;
            }
            before = p;
            if is_used {
                column.push(local + past);
            }
        }
        column
    }
}

impl Law for Springpot {
    fn columns(&self, inputs: &Inputs, nonlinear: &[f64]) -> Vec<Vec<f64>> {
        vec![self.column(inputs, nonlinear[0])]
    }

    /// α.
    fn nonlinear(&self) -> Vec<Nonlinear> {
        vec![Nonlinear {
            start: STARTS[2],
            range: RANGE,
        }]
    }

    fn starts(&self) -> Vec<Vec<f64>> {
        STARTS.iter().map(|&alpha| vec![alpha]).collect()
    }

    fn specs(&self) -> Vec<Spec> {
        let modulus = self.tip.modulus_over_coefficient.map(|_| MODULUS_1S);
        [self.coefficient, ALPHA]
            .into_iter()
            .chain(modulus)
            .collect()
    }

    fn report(&self, linear: &[f64], nonlinear: &[f64]) -> Vec<f64> {
        let modulus = self.tip.modulus_over_coefficient;
        let modulus = modulus.map(|ratio| ratio * linear[0]);
        [linear[0], nonlinear[0]]
            .into_iter()
            .chain(modulus)
            .collect()
    }

    fn objections(&self, values: &[f64], _standard_errors: &[f64]) -> Vec<Option<String>> {
        let alpha = values[1];
        let why = if alpha <= RANGE[0] {
            Some("the force does not relax: use --model hertz or flat-punch")
        } else if alpha >= RANGE[1] {
            Some("the force follows the velocity alone, as that of a damper")
        } else {
            None
        };
        vec![why.map(str::to_owned); values.len()]
    }

    fn holds_for(&self, samples: &Samples) -> usize {
        if self.tip.exponent == 1.0 {
            samples.len()
        } else {
            first_loading(samples)
        }
    }
}
