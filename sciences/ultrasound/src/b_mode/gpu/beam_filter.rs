//! The beam filter over lines.

use insonate_gpu::{DeviceError, Use};

use super::pulse_filter::PulseFilter;
use super::setup::{Setup, Stage};

/// The received lines of the array.
#[derive(Debug)]
pub(super) struct BeamFilter {
    /// For each frame, shape `[n_samples, n_lines, 2]`: re, im.
    pub(super) seen: wgpu::Buffer,
    n_places: usize,
    stage: Stage,
}

impl BeamFilter {
    pub(super) fn new(setup: &Setup, pulse: &PulseFilter) -> Result<Self, DeviceError> {
        let beam = &setup.scanner.beam;
        let reaches: Vec<u32> = beam.reaches.iter().map(|reach| *reach as u32).collect();
        let reaches = setup.gpu.filled("reaches of the beam", &reaches)?;
        let taps = setup.gpu.filled("beam", &beam.taps.concat())?;
        let seen = setup.numbers("echoes of the beam", 2 * setup.n_places())?;
        let buffers = [
            (Use::Read, &pulse.pulsed),
            (Use::Read, &reaches),
            (Use::Read, &taps),
            (Use::Write, &seen),
        ];
        let text = include_str!("beam_filter.wgsl");
        Ok(Self {
            stage: setup.stage("beam_filter", text, &buffers)?,
            n_places: setup.n_places(),
            seen,
        })
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_places);
    }
}
