//! The transducer array of a probe: geometry and acoustics.

/// Geometry of the elements and the scanlines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrayKind {
    /// Elements on a straight line. The scanlines are perpendicular to it.
    Linear,
    /// Elements on an arc that bulges towards the patient. The scanlines are radii of the arc.
    Curvilinear {
        /// Radius of the arc [m].
        radius: f64,
    },
    /// Elements on a straight line. All scanlines start at its centre and are steered by delays.
    Phased {
        /// Angle between the outermost scanlines [rad].
        sector: f64,
    },
}

/// Pose of an element: its centre in the probe's frame, and the angle between its normal and +z.
#[derive(Clone, Copy, Debug)]
pub struct ElementPose {
    /// Position along the array [m].
    pub x: f64,
    /// Position along the depth, into the body [m].
    pub z: f64,
    /// Angle of the normal, positive towards +x [rad].
    pub tilt: f64,
}

/// A one-dimensional array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transducer {
    /// Geometry of the elements.
    pub kind: ArrayKind,
    /// Number of elements.
    pub n_elements: usize,
    /// Distance between the centres of neighbouring elements, along the array [m].
    pub pitch: f64,
    /// Width of an element, along the array [m].
    pub element_width: f64,
    /// Height of an element, across the array [m].
    pub elevation_aperture: f64,
    /// Focal depth of the elevation lens [m].
    pub elevation_focus: f64,
    /// Centre frequency [Hz].
    pub center_frequency: f64,
    /// Frequency band at -6 dB of the two-way response, `[low, high]` [Hz].
    pub band: [f64; 2],
}

impl Transducer {
    /// Length of the array, measured along it: number of elements times pitch [m].
    pub fn aperture(&self) -> f64 {
        self.n_elements as f64 * self.pitch
    }

    /// Angle between the outermost scanlines [rad]; 0 for a linear array.
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

    /// Wavelength at the centre frequency [m] for a speed of sound [m/s].
    pub fn wavelength(&self, speed_of_sound: f64) -> f64 {
        speed_of_sound / self.center_frequency
    }

    /// Distance from the intersection of all scanlines to the face [m]; `None` if the scanlines are parallel.
    pub fn apex_radius(&self) -> Option<f64> {
        match self.kind {
            ArrayKind::Linear => None,
            ArrayKind::Curvilinear { radius } => Some(radius),
            ArrayKind::Phased { .. } => Some(0.0),
        }
    }

    /// Range of the scanlines: an angle [rad], or a length [m] for a linear array.
    pub fn span(&self) -> f64 {
        match self.kind {
            ArrayKind::Linear => self.aperture(),
            _ => self.field_of_view(),
        }
    }

    /// The elements in order along +x.
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
