//! Centre line of a lumen.

use nalgebra::Vector3;

/// A polyline, parameterised by arc length.
#[derive(Debug, Clone, PartialEq)]
pub struct CentreLine {
    points: Vec<Vector3<f64>>,
    /// Arc length at each point [m].
    lengths: Vec<f64>,
}

impl CentreLine {
    /// The line through points [m].
    ///
    /// # Panics
    /// Without points.
    pub fn new(points: Vec<Vector3<f64>>) -> Self {
        assert!(!points.is_empty(), "a line has points");
        let mut lengths = vec![0.0];
        for pair in points.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + (pair[1] - pair[0]).norm());
        }
        Self { points, lengths }
    }

    /// Corners [m].
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// Length [m].
    pub fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    /// Point at an arc length [m], clamped to the ends of the line.
    pub fn at(&self, length: f64) -> Vector3<f64> {
        let next = self.lengths.partition_point(|&end| end <= length);
        if next == 0 || next == self.points.len() {
            return self.points[next.saturating_sub(1)];
        }
        let (before, after) = (self.lengths[next - 1], self.lengths[next]);
        let share = (length - before) / (after - before);
        self.points[next - 1].lerp(&self.points[next], share)
    }

    /// Unit tangent at an arc length [m]; zero for a line of one point.
    pub fn direction(&self, length: f64) -> Vector3<f64> {
        let next = self.lengths.partition_point(|&end| end <= length);
        let next = next.clamp(1, self.points.len().max(2) - 1);
        if self.points.len() < 2 {
            return Vector3::zeros();
        }
        (self.points[next] - self.points[next - 1]).normalize()
    }

    /// Arc length of the nearest point of the line, and its distance [m].
    pub fn nearest(&self, point: &Vector3<f64>) -> (f64, f64) {
        let mut best = (0.0, (point - self.points[0]).norm());
        for (index, pair) in self.points.windows(2).enumerate() {
            let piece = pair[1] - pair[0];
            let share = (point - pair[0]).dot(&piece) / piece.norm_squared().max(1e-300);
            let share = share.clamp(0.0, 1.0);
            let distance = (point - (pair[0] + piece * share)).norm();
            if distance < best.1 {
                best = (self.lengths[index] + share * piece.norm(), distance);
            }
        }
        best
    }
}
