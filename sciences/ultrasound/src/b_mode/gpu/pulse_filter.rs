//! The pulse filter along lines.

use insonate_gpu::{DeviceError, Use};

use super::echoes::Echoes;
use super::setup::{Setup, Stage};

/// The lines after the pulse filter.
#[derive(Debug)]
pub(super) struct PulseFilter {
    /// For each frame, shape `[n_samples, n_lines, 2]`: re, im.
    pub(super) pulsed: wgpu::Buffer,
    n_places: usize,
    stage: Stage,
}

impl PulseFilter {
    pub(super) fn new(setup: &Setup, echoes: &Echoes) -> Result<Self, DeviceError> {
        let taps = setup.gpu.filled("pulse", &setup.scanner.pulse.taps)?;
        let pulsed = setup.numbers("echoes of the pulse", 2 * setup.n_places())?;
        let buffers = [
            (Use::Read, &echoes.values),
            (Use::Read, &echoes.scales),
            (Use::Read, &taps),
            (Use::Write, &pulsed),
        ];
        let text = include_str!("pulse_filter.wgsl");
        Ok(Self {
            stage: setup.stage("pulse_filter", text, &buffers)?,
            n_places: setup.n_places(),
            pulsed,
        })
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_places);
    }
}
