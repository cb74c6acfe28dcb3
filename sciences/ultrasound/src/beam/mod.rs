//! Point spread function of a transducer: its pulse and beam, from the physics of apertures.
//!
//! The point spread function is approximated as separable: a pulse along the scanline, and Gaussian beams along and across the array
//! whose widths depend on the depth; beyond its main lobe the beam along the array has a tail on either side.
//! Widths are full widths at half maximum (−6 dB) of the two-way amplitude.

mod elevation;
mod lateral;
mod loss;
mod pedestal;
mod pulse;
mod zones;

pub use elevation::elevation_width;
pub use lateral::lateral_width;
pub(crate) use loss::{Faded, LossTable, N_SLOPES, SLOPE_STEP, two_way_slope};
pub(crate) use pedestal::Pedestal;
pub use pulse::Pulse;
pub(crate) use zones::Zones;

use crate::transducer::Transducer;

/// Ratio of full width at half maximum and standard deviation of a Gaussian: √(8 ln 2).
pub(crate) const FWHM_OVER_SIGMA: f64 = 2.354_820_045_030_949;

/// Focusing of the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Focusing {
    /// Transmit focus; `None` for all elements at once, without delays.
    pub transmit: Option<TransmitFocus>,
    /// Depth over receiving aperture, kept constant over depth as far as the array reaches. For a curved array the angle from each
    /// element's normal counts, so that its aperture grows less.
    pub receive_f_number: f64,
}

/// A focused transmission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransmitFocus {
    /// Depth of the focus [m].
    pub depth: f64,
    /// Depth of the focus over aperture.
    pub f_number: f64,
}

/// Widths of the beam over depth.
#[derive(Clone, Debug)]
pub(crate) struct BeamTable {
    depths: Vec<f64>,
    /// Standard deviations along and across the array [m].
    sigmas: Vec<[f64; 2]>,
}

impl BeamTable {
    /// Table from the face to a depth [m].
    pub(crate) fn new(
        transducer: &Transducer,
        zones: &Zones,
        pulse: &Pulse,
        depth: f64,
        speed_of_sound: f64,
    ) -> Self {
        const N_NODES: usize = 36;
        // Nodes are denser near the face, where widths change faster.
        let depths: Vec<f64> = (1..=N_NODES)
            .map(|node| depth * (node as f64 / N_NODES as f64).powf(1.5))
            .collect();
        let sigmas = depths.iter().map(|&depth| {
            [
                lateral_width(transducer, &zones.at(depth), pulse, depth, speed_of_sound),
                elevation_width(transducer, pulse, depth, speed_of_sound),
            ]
            .map(|width| width / FWHM_OVER_SIGMA)
        });
        Self {
            sigmas: sigmas.collect(),
            depths,
        }
    }

    /// Standard deviations along and across the array at a depth [m].
    pub(crate) fn sigmas(&self, depth: f64) -> [f64; 2] {
        let last = self.depths.len() - 1;
        let right = self
            .depths
            .partition_point(|&node| node < depth)
            .clamp(1, last);
        let (start, end) = (self.depths[right - 1], self.depths[right]);
        let share = ((depth - start) / (end - start)).clamp(0.0, 1.0);
        [0, 1].map(|axis| {
            let (before, after) = (self.sigmas[right - 1][axis], self.sigmas[right][axis]);
            before + share * (after - before)
        })
    }
}
