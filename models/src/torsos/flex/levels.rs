//! A softness that varies over the skin, as flexes on top of each other: MuJoCo's flex has one modulus.
//!
//! Factors are rounded to a few levels $f_0 < f_1 < \dots$. The whole solid has the modulus $f_0 E$, and the elements of at least level $k$
//! are a further flex of the modulus $(f_k - f_{k-1}) E$ on the same bodies. Forces of elements are proportional to their moduli, so an
//! element of level $k$ has the force of one with the modulus $f_k E$.

use crate::torsos::SoftnessField;

/// Ratio of neighbouring levels, unless there would be more than [`MOST`]: a factor is then at most 10 % off.
const RATIO: f64 = 1.2;
/// Most levels: each costs the time of its elements.
const MOST: usize = 8;

/// The levels of a field.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    field: Option<SoftnessField>,
    /// Increasing; 1 alone without a field.
    factors: Vec<f64>,
}

impl Levels {
    /// The levels of a field; one level of 1 without one.
    pub(super) fn of(field: Option<&SoftnessField>) -> Self {
        let Some(field) = field else {
            return Self {
                field: None,
                factors: vec![1.0],
            };
        };
        let all = || field.factor.iter().flatten().copied();
        let (low, high) = (
            all().fold(f64::INFINITY, f64::min),
            all().fold(0.0, f64::max),
        );
        let range = (high / low).ln();
        let n = ((range / RATIO.ln()).ceil() as usize).clamp(1, MOST - 1);
        let factor = |k: usize| low * (range * k as f64 / n as f64).exp();
        let n_levels = if range > 0.0 { n + 1 } else { 1 };
        Self {
            field: Some(field.clone()),
            factors: (0..n_levels).map(factor).collect(),
        }
    }

    /// The factors.
    pub(super) fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// Level at a place of the torso [m].
    pub(super) fn level_at(&self, [x, y, _]: [f64; 3]) -> usize {
        let Some(field) = &self.field else { return 0 };
        let wanted = field.at(x, y);
        let off = |k: &usize| (self.factors[*k] / wanted).ln().abs();
        let levels = 0..self.factors.len();
        levels.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
    }

    /// Factor of the moduli at a place of the torso [m].
    pub(super) fn factor_at(&self, place: [f64; 3]) -> f64 {
        self.factors[self.level_at(place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_span_the_factors_and_are_near_them() {
        let field = SoftnessField {
            x: vec![-0.1, 0.1],
            y: vec![-0.1, 0.1],
            factor: vec![vec![0.8, 0.8], vec![1.9, 1.9]],
        };
        let levels = Levels::of(Some(&field));
        let (first, last) = (levels.factors()[0], *levels.factors().last().unwrap());
        assert!((first - 0.8).abs() < 1e-12 && (last - 1.9).abs() < 1e-12);
        for y in [-0.2, -0.06, 0.0, 0.03, 0.2] {
            let ratio = levels.factor_at([0.0, y, 0.1]) / field.at(0.0, y);
            assert!((1.0 / 1.1..1.1).contains(&ratio), "{y}: {ratio}");
        }
        assert_eq!(Levels::of(None).factors(), [1.0]);
        let same = SoftnessField {
            factor: vec![vec![1.5; 2]; 2],
            ..field
        };
        assert_eq!(Levels::of(Some(&same)).factors(), [1.5]);
    }
}
