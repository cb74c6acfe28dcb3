//! Contact costs: the peaks of contact values in an episode, relative to the limits of a success.
//!
//! $c_t = x_t - x_{t-1}$, where $x_t$ is the maximum up to time $t$ of the value divided by its limit. The sum over an episode is therefore
//! the peak divided by the limit, and a sum of 1 reaches the limit. Another contact costs nothing unless it is harder.

use crate::named_values;

named_values! {
    /// Contact costs.
    pub struct ContactCosts {
        /// Speed towards the skin at the start of a contact, divided by its limit.
        contact_speed,
        /// Peak force above the desired force, divided by its limit.
        peak_force,
        /// Increase of the force, divided by its limit.
        force_rate,
    }
}

impl ContactCosts {
    /// Raises each ratio to the given one and returns the increases. NaN, as before the first contact, counts as zero.
    pub fn raise(&mut self, ratios: &Self) -> Self {
        let raise = |charged: &mut f64, ratio: f64| {
            let before = *charged;
            // `max` of NaN and a number is the number.
            *charged = ratio.max(before);
            *charged - before
        };
        Self {
            contact_speed: raise(&mut self.contact_speed, ratios.contact_speed),
            peak_force: raise(&mut self.peak_force, ratios.peak_force),
            force_rate: raise(&mut self.force_rate, ratios.force_rate),
        }
    }
}

/// Value divided by a limit. The limit may be 0.
pub fn share(value: f64, limit: f64) -> f64 {
    value / limit.max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamedValues as _;

    #[test]
    fn costs_add_up_to_the_share_of_the_hardest_moment() {
        let mut charged = ContactCosts::default();
        let mut sums = [0.0; 3];
        for [contact_speed, peak_force, force_rate] in [
            [f64::NAN, 0.0, 0.0],
            [0.25, 0.5, 0.125],
            [0.25, 0.25, 2.0],
            [0.75, 0.5, 1.0],
        ] {
            let ratios = ContactCosts {
                contact_speed,
                peak_force,
                force_rate,
            };
            let mut step = [f64::NAN; ContactCosts::LEN];
            charged.raise(&ratios).write(&mut step);
            assert!(step.iter().all(|cost| *cost >= 0.0), "{step:?}");
            for (sum, cost) in sums.iter_mut().zip(step) {
                *sum += cost;
            }
        }
        assert_eq!(sums, [0.75, 0.5, 2.0]);
        assert_eq!(share(0.01, 0.0), 10.0);
    }
}
