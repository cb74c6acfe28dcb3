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
}
