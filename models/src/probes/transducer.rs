//! The array of a probe: geometry and acoustics.

/// How the elements lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrayKind {
    /// On a straight line.
    Linear,
    /// On an arc that bulges towards the patient.
    Curvilinear {
        /// Radius of the arc [m].
        radius: f64,
    },
}

/// A one-dimensional array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transducer {
    /// How the elements lie.
    pub kind: ArrayKind,
    /// Number of elements.
    pub n_elements: usize,
    /// Distance between the centres of neighbours, along the array [m].
    pub pitch: f64,
    /// Width of an element, along the array [m].
    pub element_width: f64,
    /// Height of an element, across the array [m].
    pub elevation_aperture: f64,
    /// Depth of the lens' focus [m].
    pub elevation_focus: f64,
    /// Centre frequency [Hz].
    pub center_frequency: f64,
    /// Band in which the two-way response stays within 6 dB, `[low, high]` [Hz].
    pub band: [f64; 2],
}

impl Transducer {
    /// Length of the array, measured along it: elements times pitch [m].
    pub fn aperture(&self) -> f64 {
        self.n_elements as f64 * self.pitch
    }

    /// Angle between the outer edges of the array [rad]; 0 for a linear one.
    pub fn field_of_view(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear => 0.0,
            ArrayKind::Curvilinear { radius } => self.aperture() / radius,
        }
    }

    /// Width of the array's footprint: its chord [m].
    pub fn footprint(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear => self.aperture(),
            ArrayKind::Curvilinear { radius } => 2.0 * radius * (self.field_of_view() / 2.0).sin(),
        }
    }

    /// Band over centre frequency [1].
    pub fn fractional_bandwidth(&self) -> f64 {
        (self.band[1] - self.band[0]) / self.center_frequency
    }

    /// Centre of element `element_idx` in the frame of the face centre, `[lateral, axial]` [m]; the axis points into the patient.
    pub fn element_position(&self, element_idx: usize) -> [f64; 2] {
        let along = self.along(element_idx);
        match self.kind {
            ArrayKind::Linear => [along, 0.0],
            ArrayKind::Curvilinear { radius } => {
                let angle = along / radius;
                [radius * angle.sin(), radius * (angle.cos() - 1.0)]
            }
        }
    }

    /// Direction in which element `element_idx` looks, from the axis towards +lateral [rad].
    pub fn element_angle(&self, element_idx: usize) -> f64 {
        match self.kind {
            ArrayKind::Linear => 0.0,
            ArrayKind::Curvilinear { radius } => self.along(element_idx) / radius,
        }
    }

    /// Position of an element along the array, from its middle [m].
    fn along(&self, element_idx: usize) -> f64 {
        (element_idx as f64 - (self.n_elements as f64 - 1.0) / 2.0) * self.pitch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(radius: f64) -> Transducer {
        Transducer {
            kind: ArrayKind::Curvilinear { radius },
            n_elements: 128,
            pitch: 0.5e-3,
            element_width: 0.46e-3,
            elevation_aperture: 13.5e-3,
            elevation_focus: 60e-3,
            center_frequency: 3.5e6,
            band: [2e6, 5e6],
        }
    }

    #[test]
    fn elements_lie_on_the_arc_and_look_along_its_normal() {
        let transducer = arc(0.05);
        for element_idx in 0..128 {
            let [x, z] = transducer.element_position(element_idx);
            assert!(((x * x + (z + 0.05).powi(2)).sqrt() - 0.05).abs() < 1e-12);
            assert!((x.atan2(z + 0.05) - transducer.element_angle(element_idx)).abs() < 1e-12);
        }
        let [first, last] = [0, 127].map(|element_idx| transducer.element_position(element_idx));
        assert!((first[0] + last[0]).abs() < 1e-15 && (first[1] - last[1]).abs() < 1e-15);
    }

    #[test]
    fn a_huge_radius_is_a_line() {
        let (curved, straight) = (
            arc(1e6),
            Transducer {
                kind: ArrayKind::Linear,
                ..arc(1.0)
            },
        );
        for element_idx in [0, 5, 64, 127] {
            let (curved, straight) = (
                curved.element_position(element_idx),
                straight.element_position(element_idx),
            );
            assert!(
                (curved[0] - straight[0]).abs() < 1e-9 && (curved[1] - straight[1]).abs() < 1e-8
            );
        }
        assert!((curved.footprint() - straight.footprint()).abs() < 1e-9);
    }
}
