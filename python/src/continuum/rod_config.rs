//! Descriptions of rods.

use insonate_continuum::{self as continuum, Cables, Routing, Segment, TableRow};
use pyo3::prelude::*;

use super::Section;
use crate::error::{Result, value_error};

/// Description of a rod: segments, elements, gravity and cables.
#[pyclass(frozen, module = "insonate.continuum")]
pub(crate) struct RodConfig {
    pub(super) config: continuum::RodConfig,
}

#[pymethods]
impl RodConfig {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (segments, n_elements, *, gravity=[0.0; 3], cable_offset=None, cable_angles=None, cable_guides=None,
        cables_at_tip=false, held_base=[true; 6], held_tip=[false; 6]))]
    fn new(
        segments: Vec<(f64, PyRef<'_, Section>)>,
        n_elements: usize,
        gravity: [f64; 3],
        cable_offset: Option<f64>,
        cable_angles: Option<[f64; 3]>,
        cable_guides: Option<f64>,
        cables_at_tip: bool,
        held_base: [bool; 6],
        held_tip: [bool; 6],
    ) -> Result<Self> {
        let segments: Vec<Segment> = segments
            .into_iter()
            .map(|(length, section)| Segment {
                length,
                section: (&*section).into(),
            })
            .collect();
        let Some(last) = segments.last() else {
            return Err(value_error(
                "segments is empty; it must have at least one segment",
            ));
        };
        let length = segments.iter().map(|segment| segment.length).sum();
        let usual = continuum::RodConfig::uniform(length, n_elements, last.section).cables;
        let routing = match (cables_at_tip, cable_guides) {
            (false, None) => usual.routing,
            (false, Some(length)) => Routing::Guided { length },
            (true, None) => Routing::AtTip,
            (true, Some(_)) => {
                return Err(value_error("give either cable_guides or cables_at_tip"));
            }
        };
        let config = continuum::RodConfig {
            segments,
            n_elements,
            gravity: gravity.into(),
            cables: Cables {
                offset: cable_offset.unwrap_or(usual.offset),
                angles: cable_angles.unwrap_or(usual.angles),
                routing,
            },
            held_base,
            held_tip,
        };
        config.check()?;
        Ok(Self { config })
    }

    /// A rod of a row of Table I of Chen et al. 2024, 470 mm long.
    #[staticmethod]
    #[pyo3(signature = (row, n_elements, *, gravity=[0.0; 3]))]
    fn table(row: &str, n_elements: usize, gravity: [f64; 3]) -> Result<Self> {
        let row = match row {
            "a" => TableRow::A,
            "b" => TableRow::B,
            "c" => TableRow::C,
            "d" => TableRow::D,
            other => {
                let problem = format!("row is {other:?}; it must be a, b, c or d");
                return Err(value_error(problem));
            }
        };
        let config = continuum::RodConfig {
            gravity: gravity.into(),
            ..continuum::RodConfig::table(row, n_elements)
        };
        config.check()?;
        Ok(Self { config })
    }

    /// Length from base to tip [m].
    #[getter]
    fn length(&self) -> f64 {
        self.config.length()
    }

    /// Number of elements of equal length.
    #[getter]
    fn n_elements(&self) -> usize {
        self.config.n_elements
    }

    /// Angles of the cables around the centre line [rad].
    #[getter]
    fn cable_angles(&self) -> [f64; 3] {
        self.config.cables.angles
    }

    fn __repr__(&self) -> String {
        let (length, n_elements) = (self.config.length(), self.config.n_elements);
        format!("RodConfig(length={length}, n_elements={n_elements})")
    }
}
