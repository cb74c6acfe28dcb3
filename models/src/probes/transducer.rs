//! The array of a probe: geometry and acoustics.

/// How the elements lie and where the lines of sight go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrayKind {
    /// On a straight line; lines of sight stand upright on it.
    Linear,
    /// On an arc that bulges towards the patient; lines of sight are its radii.
    Curvilinear {
        /// Radius of the arc [m].
        radius: f64,
    },
    /// On a straight line, from whose centre all lines of sight go out, steered by delays.
    Phased {
        /// Angle between the outermost lines of sight [rad].
        sector: f64,
    },
}

/// An element: its centre in the probe's frame, and the angle of its normal from +z.
#[derive(Clone, Copy, Debug)]
pub struct ElementPose {
    /// Along the array [m].
    pub x: f64,
    /// Into the body [m].
    pub z: f64,
    /// Towards +x [rad].
    pub tilt: f64,
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

    /// Angle between the outermost lines of sight [rad]; 0 for a linear array.
    pub fn field_of_view(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear => 0.0,
            ArrayKind::Curvilinear { radius } => self.aperture() / radius,
            ArrayKind::Phased { sector } => sector,
        }
    }

    /// Width of the array's footprint: its chord [m].
    pub fn footprint(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear | ArrayKind::Phased { .. } => self.aperture(),
            ArrayKind::Curvilinear { radius } => 2.0 * radius * (self.field_of_view() / 2.0).sin(),
        }
    }

    /// Wavelength at the centre frequency [m], at a speed of sound [m/s].
    pub fn wavelength(&self, speed_of_sound: f64) -> f64 {
        speed_of_sound / self.center_frequency
    }

    /// Distance from the point in which all lines of sight meet to the face [m]; `None` where they are parallel.
    pub fn apex_radius(&self) -> Option<f64> {
        match self.kind {
            ArrayKind::Linear => None,
            ArrayKind::Curvilinear { radius } => Some(radius),
            ArrayKind::Phased { .. } => Some(0.0),
        }
    }

    /// What the lines of sight span: an angle [rad], or for a linear array a length [m].
    pub fn span(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear => self.aperture(),
            _ => self.field_of_view(),
        }
    }

    /// The elements, one after another along +x.
    pub fn elements(&self) -> impl Iterator<Item = ElementPose> {
        let middle = 0.5 * (self.n_elements as f64 - 1.0);
        let (kind, pitch) = (self.kind, self.pitch);
        (0..self.n_elements).map(move |index| {
            let along = (index as f64 - middle) * pitch;
            match kind {
                ArrayKind::Curvilinear { radius } => {
                    let tilt = along / radius;
                    ElementPose {
                        x: radius * tilt.sin(),
                        z: radius * (tilt.cos() - 1.0),
                        tilt,
                    }
                }
                ArrayKind::Linear | ArrayKind::Phased { .. } => ElementPose {
                    x: along,
                    z: 0.0,
                    tilt: 0.0,
                },
            }
        })
    }
}
