//! Description of a rod.

use nalgebra::Vector3;

use super::Section;
use crate::ContinuumError;
use crate::element::Element;

/// Length of the flexible tip ("hyoid") of the paper's robot [m].
const FLEXIBLE_TIP: f64 = 0.07;

/// Bending stiffness of the flexible tip relative to the rest.
///
/// The paper says "significantly less rigid" and gives no number; a fifth is assumed.
const FLEXIBLE_TIP_RATIO: f64 = 0.2;

/// Maximum number of elements of a rod.
const MAX_ELEMENTS: usize = 100_000;

/// Description of a rod: segments, elements, gravity, cables and boundary conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct RodConfig {
    /// Segments from base to tip.
    pub segments: Vec<Segment>,
    /// Number of elements of equal length.
    pub n_elements: usize,
    /// Acceleration of gravity [m/s²], world axes.
    pub gravity: Vector3<f64>,
    /// Cables.
    pub cables: Cables,
    /// Fixed displacements and rotations of the base (world axes).
    pub held_base: [bool; 6],
    /// Fixed displacements and rotations of the tip (world axes).
    pub held_tip: [bool; 6],
}

/// A part of a rod with one cross-section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Length [m].
    pub length: f64,
    /// Cross-section.
    pub section: Section,
}

/// Three cables that run along the rod and are fixed at its tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cables {
    /// Distance from the centre line [m].
    pub offset: f64,
    /// Angles around the centre line [rad], 0 on the section's y axis, π/2 on its z axis.
    pub angles: [f64; 3],
    /// Routing along the rod.
    pub routing: Routing,
}

/// Routing of cables along the rod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Routing {
    /// The whole force acts at the tip, along its axis (Chen et al. 2024, Eq. 16–20).
    AtTip,
    /// Cables run straight from guide to guide, with one guide at each node of the last `length` [m]. Each guide
    /// carries a part of the force.
    Guided {
        /// From the first guide to the tip [m].
        length: f64,
    },
}

/// Rows of the paper's Table I.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRow {
    /// A rubber tube of 510 MPa.
    A,
    /// A rubber tube of 307 MPa.
    B,
    /// The robot in the 'T'.
    C,
    /// The robot in the bronchial model.
    D,
}

impl TableRow {
    /// Distances of the two position sensors from the tip [m].
    pub fn sensors(self) -> [f64; 2] {
        match self {
            Self::A => [0.0206, 0.06781],
            Self::B => [0.018, 0.0754],
            Self::C | Self::D => [0.0088, 0.0728],
        }
    }
}

impl RodConfig {
    /// A straight rod of one cross-section, clamped at its base, without gravity.
    pub fn uniform(length: f64, n_elements: usize, section: Section) -> Self {
        Self {
            segments: vec![Segment { length, section }],
            n_elements,
            gravity: Vector3::zeros(),
            cables: Cables {
                offset: 0.75 * section.radius,
                angles: [0.0, 2.0, 4.0].map(|third| third * std::f64::consts::FRAC_PI_3),
                routing: Routing::Guided { length },
            },
            held_base: [true; 6],
            held_tip: [false; 6],
        }
    }

    /// A rod of the paper's Table I, 470 mm long. Rows c and d have the flexible tip of 70 mm, in which the cables are
    /// guided.
    pub fn table(row: TableRow, n_elements: usize) -> Self {
        let section = match row {
            TableRow::A | TableRow::C | TableRow::D => {
                Section::tube(510e6, 5.551e-6, 5.041e-12, 1010.0)
            }
            TableRow::B => Section::tube(307e6, 9.03e-6, 19.233e-12, 1010.0),
        };
        let mut config = Self::uniform(0.47, n_elements, section);
        if matches!(row, TableRow::C | TableRow::D) {
            let flexible = Section {
                inertia_y: FLEXIBLE_TIP_RATIO * section.inertia_y,
                inertia_z: FLEXIBLE_TIP_RATIO * section.inertia_z,
                ..section
            };
            config.segments[0].length = 0.47 - FLEXIBLE_TIP;
            config.segments.push(Segment {
                length: FLEXIBLE_TIP,
                section: flexible,
            });
            config.cables.routing = Routing::Guided {
                length: FLEXIBLE_TIP,
            };
        }
        config
    }

    /// Length from base to tip [m].
    pub fn length(&self) -> f64 {
        self.segments.iter().map(|segment| segment.length).sum()
    }

    /// Length of an element [m].
    pub fn element_length(&self) -> f64 {
        self.length() / self.n_elements as f64
    }

    /// The section at a distance from the tip [m].
    pub fn section_at(&self, from_tip: f64) -> &Section {
        let mut end = 0.0;
        let mut segments = self.segments.iter().rev();
        let found = segments.find(|segment| {
            end += segment.length;
            from_tip <= end
        });
        &found.unwrap_or(&self.segments[0]).section
    }

    /// Checks the ranges of all values.
    ///
    /// # Errors
    ///
    /// [`ContinuumError::Setting`] with the first value that is out of range.
    pub fn check(&self) -> Result<(), ContinuumError> {
        if self.segments.is_empty() {
            return Err(ContinuumError::setting("segments", 0, "at least one"));
        }
        for (idx, segment) in self.segments.iter().enumerate() {
            if !(segment.length > 0.0 && segment.length < 1e3) {
                let field = format!("segments[{idx}].length");
                return Err(ContinuumError::setting(
                    field,
                    segment.length,
                    "between 0 and 1000 m",
                ));
            }
            segment.section.check(&format!("segments[{idx}].section"))?;
        }
        if !(1..=MAX_ELEMENTS).contains(&self.n_elements) {
            let allowed = format!("between 1 and {MAX_ELEMENTS}");
            return Err(ContinuumError::setting(
                "n_elements",
                self.n_elements,
                allowed,
            ));
        }
        if !self.gravity.iter().all(|number| number.is_finite()) {
            return Err(ContinuumError::setting(
                "gravity",
                self.gravity,
                "finite [m/s²]",
            ));
        }
        let cables = &self.cables;
        if !(cables.offset >= 0.0 && cables.offset.is_finite()) {
            return Err(ContinuumError::setting(
                "cables.offset",
                cables.offset,
                "at least 0 m",
            ));
        }
        if !cables.angles.iter().all(|angle| angle.is_finite()) {
            return Err(ContinuumError::setting(
                "cables.angles",
                cables.angles,
                "finite [rad]",
            ));
        }
        match cables.routing {
            Routing::Guided { length } if !(length > 0.0 && length.is_finite()) => Err(
                ContinuumError::setting("cables.routing.length", length, "positive [m]"),
            ),
            _ => Ok(()),
        }
    }

    /// The element between two distances from the tip [m].
    pub(crate) fn element(&self, near_tip: f64, near_base: f64) -> Element {
        let length = near_base - near_tip;
        let section = self.section_at(0.5 * (near_tip + near_base));
        let turn = section.rest_curvature * length;
        let half = 0.5 * turn.yz().norm();
        // Chord of an arc; twist does not shorten it.
        let chord = if half > 1e-6 { half.sin() / half } else { 1.0 };
        Element {
            rest_length: length * chord,
            axial: section.young_modulus * section.area / length,
            rotational: Vector3::new(
                section.shear_modulus * section.torsion_constant,
                section.young_modulus * section.inertia_y,
                section.young_modulus * section.inertia_z,
            ) / length,
            rest_turn: turn,
        }
    }
}
