//! Contact costs: the peaks of contact values in an episode, relative to the limits of a success.
//!
//! $c_t = x_t - x_{t-1}$, where $x_t$ is the maximum up to time $t$ of the value divided by its limit. The sum over an episode is therefore
//! the peak divided by the limit, and a sum of 1 reaches the limit. Another contact costs nothing unless it is harder.

/// Contact costs. Each is the increase since the last call.
#[derive(Debug, Clone, Default)]
pub struct ContactCosts {
    charged: [f64; Self::NAMES.len()],
}

impl ContactCosts {
    /// Names of the costs: speed towards the skin at the start of a contact, peak force relative to the desired force, and
    /// increase of the force, each divided by its limit.
    pub const NAMES: [&'static str; 3] = ["contact_speed", "peak_force", "force_rate"];

    /// Writes the increase of each ratio since the last call. NaN, as before the first contact, counts as zero.
    pub fn take(&mut self, shares: [f64; Self::NAMES.len()], costs: &mut [f64]) {
        for ((charged, share), cost) in self.charged.iter_mut().zip(shares).zip(costs) {
            // `max` of NaN and a number is the number.
            let share = share.max(*charged);
            *cost = share - *charged;
            *charged = share;
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
