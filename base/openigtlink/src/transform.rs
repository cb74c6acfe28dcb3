//! TRANSFORM: a pose, sent as the upper three rows of its matrix.

use crate::ProtocolError;

/// Bytes of the body: twelve 32-bit numbers, column by column.
const SIZE: usize = 48;

/// Tolerance of a rotation's orthonormality.
const TOLERANCE: f64 = 1e-2;

/// A rigid pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Rotation, row by row [1].
    pub rotation: [[f64; 3]; 3],
    /// Translation [mm].
    pub translation: [f64; 3],
}

impl Transform {
    /// Type of the message.
    pub const KIND: &'static str = "TRANSFORM";

    pub(crate) fn encode(&self) -> Vec<u8> {
        let columns = (0..3).flat_map(|column| self.rotation.map(|row| row[column]));
        let numbers = columns.chain(self.translation);
        numbers
            .flat_map(|number| (number as f32).to_be_bytes())
            .collect()
    }

    /// # Errors
    /// [`ProtocolError::Body`]: the length is wrong, numbers are not finite, or the matrix is not a rotation.
    pub(crate) fn decode(body: &[u8]) -> Result<Self, ProtocolError> {
        let refuse = |problem: String| ProtocolError::Body {
            kind: Self::KIND,
            problem,
        };
        if body.len() != SIZE {
            return Err(refuse(format!("has {} bytes, {SIZE} expected", body.len())));
        }
        let mut numbers = [0.0; 12];
        for (number, bytes) in numbers.iter_mut().zip(body.chunks_exact(4)) {
            *number = f64::from(f32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        }
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(refuse("has numbers that are not finite".to_owned()));
        }
        let rotation = [0, 1, 2].map(|row| [0, 1, 2].map(|column| numbers[3 * column + row]));
        let transform = Self {
            rotation,
            translation: [numbers[9], numbers[10], numbers[11]],
        };
        if !transform.is_rigid() {
            return Err(refuse("has a matrix that is not a rotation".to_owned()));
        }
        Ok(transform)
    }

    /// Whether the columns are orthonormal and right-handed.
    fn is_rigid(&self) -> bool {
        let column = |c: usize| self.rotation.map(|row| row[c]);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let [x, y, z] = [column(0), column(1), column(2)];
        let cross = [
            x[1] * y[2] - x[2] * y[1],
            x[2] * y[0] - x[0] * y[2],
            x[0] * y[1] - x[1] * y[0],
        ];
        let errors = [
            dot(x, x) - 1.0,
            dot(y, y) - 1.0,
            dot(x, y),
            dot(cross, z) - 1.0,
        ];
        errors.iter().all(|error| error.abs() < TOLERANCE)
    }
}
