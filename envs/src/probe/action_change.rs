//! Change of the action from step to step.

/// The previous action of an episode.
#[derive(Debug, Clone, Default)]
pub struct ActionChange {
    last: Vec<f32>,
}

impl ActionChange {
    /// Starts an episode.
    pub fn reset(&mut self) {
        self.last.clear();
    }

    /// Squared norm of the change from the previous action to this one. 0 for the first action.
    pub fn update(&mut self, action: &[f32]) -> f64 {
        let change = self.last.iter().zip(action);
        let square = change.map(|(old, new)| f64::from(new - old).powi(2)).sum();
        self.last.clear();
        self.last.extend_from_slice(action);
        square
    }
}
