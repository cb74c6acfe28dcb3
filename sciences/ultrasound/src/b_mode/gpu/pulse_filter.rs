//! The pulse filter along lines.

use insonate_gpu::{DeviceError, Gpu, Use};

use super::echoes::Echoes;
use super::geometry::Geometry;
use super::setup::{Setup, Stage};

/// The lines after the pulse filter.
#[derive(Debug)]
pub(super) struct PulseFilter {
    /// For each frame, shape `[n_samples, n_lines, 2]`: re, im.
    pub(super) pulsed: wgpu::Buffer,
    /// First tap and number of taps, for each sample of each frame.
    chosen: wgpu::Buffer,
    /// First tap and number of taps of each pulse.
    spans: Vec<[u32; 2]>,
    n_places: usize,
    stage: Stage,
}

impl PulseFilter {
    pub(super) fn new(setup: &Setup, echoes: &Echoes) -> Result<Self, DeviceError> {
        let (grid, pulses) = (&setup.scanner.grid, &setup.scanner.pulse.pulses);
        let taps: Vec<f32> = pulses
            .iter()
            .flat_map(|pulse| pulse.taps.as_flattened())
            .copied()
            .collect();
        let taps = setup.gpu.filled("pulses", &taps)?;
        let spans = pulses.iter().scan(0, |first, pulse| {
            let n = pulse.taps.len() as u32;
            *first += n;
            Some([*first - n, n])
        });
        let chosen = setup.numbers("chosen pulses", 2 * grid.n_samples)?;
        let pulsed = setup.numbers("echoes of the pulse", 2 * setup.n_places())?;
        let buffers = [
            (Use::Read, &echoes.values),
            (Use::Read, &echoes.scales),
            (Use::Read, &taps),
            (Use::Read, &chosen),
            (Use::Write, &pulsed),
        ];
        let text = include_str!("pulse_filter.wgsl");
        Ok(Self {
            stage: setup.stage("pulse_filter", text, &buffers)?,
            spans: spans.collect(),
            chosen,
            n_places: setup.n_places(),
            pulsed,
        })
    }

    pub(super) fn upload(&self, gpu: &Gpu, geometries: &[Geometry]) {
        let of = |geometry: &Geometry| -> Vec<[u32; 2]> {
            let pulses = geometry.fading.pulses.iter();
            pulses.map(|pulse| self.spans[*pulse as usize]).collect()
        };
        let chosen: Vec<[u32; 2]> = geometries.iter().flat_map(of).collect();
        gpu.queue
            .write_buffer(&self.chosen, 0, bytemuck::cast_slice(&chosen));
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_places);
    }
}
