//! What contact costs: the hardest moments of an episode as shares of what a success may have.
//!
//! $c_t = x_t - x_{t-1}$ with $x_t = \max_{s \le t}$ of the share so far: over an episode a cost adds up to the share of its hardest
//! moment, and 1 is the limit. Touching again is free unless it is harder.

/// Costs of contact, each counted from what was charged before.
#[derive(Debug, Clone, Default)]
pub struct ContactCosts {
    charged: [f64; Self::NAMES.len()],
}

impl ContactCosts {
    /// Names of the costs: speed towards the skin with which contact begins, force above the one asked for, and rise of the force, each
    /// over its limit.
    pub const NAMES: [&'static str; 3] = ["contact_speed", "peak_force", "force_rate"];

    /// Writes by how much each share has grown since the last call; NaN, as before the first contact, counts as none.
    pub fn take(&mut self, shares: [f64; Self::NAMES.len()], costs: &mut [f64]) {
        for ((charged, share), cost) in self.charged.iter_mut().zip(shares).zip(costs) {
            // Of NaN and a number, `max` is the number.
            let share = share.max(*charged);
            *cost = share - *charged;
            *charged = share;
        }
    }
}

/// Share of a limit, which may be 0.
pub fn share(value: f64, limit: f64) -> f64 {
    value / limit.max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_add_up_to_the_share_of_the_hardest_moment() {
        let mut costs = ContactCosts::default();
        let mut sums = [0.0; 3];
        for shares in [
            [f64::NAN, 0.0, 0.0],
            [0.25, 0.5, 0.125],
            [0.25, 0.25, 2.0],
            [0.75, 0.5, 1.0],
        ] {
            let mut step = [f64::NAN; 3];
            costs.take(shares, &mut step);
            assert!(step.iter().all(|cost| *cost >= 0.0), "{step:?}");
            for (sum, cost) in sums.iter_mut().zip(step) {
                *sum += cost;
            }
        }
        assert_eq!(sums, [0.75, 0.5, 2.0]);
        assert_eq!(share(0.01, 0.0), 10.0);
    }
}
