//! Errors of a controlled force.

use insonate_sim::verdict::ForceFigures;

/// Sums over the physics steps in which the force is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeldForce {
    n: usize,
    sum: f64,
    error: f64,
    square: f64,
    worst: f64,
}

impl HeldForce {
    /// Adds a step with the actual and the desired force [N].
    pub fn add(&mut self, force: f64, wanted: f64) {
        let error = force - wanted;
        self.n += 1;
        self.sum += force;
        self.error += error.abs();
        self.square += error * error;
        self.worst = self.worst.max(error.abs());
    }

    /// Mean absolute error and root mean square error [N]. `None` without a step.
    pub fn errors(&self) -> Option<[f64; 2]> {
        let n = self.n as f64;
        (self.n > 0).then(|| [self.error / n, (self.square / n).sqrt()])
    }

    /// The metrics, with the peak force of the episode [N]. Without a step, the error is the desired force.
    pub fn figures(&self, wanted: f64, peak: f64) -> ForceFigures {
        let [mean, mae, worst] = match (self.n, self.errors()) {
            (n, Some([mae, _])) => [self.sum / n as f64, mae, self.worst],
            (_, None) => [0.0, wanted, wanted],
        };
        ForceFigures {
            asked: wanted,
            mean,
            mae,
            worst,
            peak,
        }
    }
}
