//! The beam filter over lines.

use insonate_gpu::{DeviceError, Gpu, Use};

use super::geometry::Geometry;
use super::pulse_filter::PulseFilter;
use super::setup::{Setup, Stage};

/// The received lines of the array.
#[derive(Debug)]
pub(super) struct BeamFilter {
    /// For each frame, shape `[n_samples, n_lines, 2]`: re, im.
    pub(super) seen: wgpu::Buffer,
    /// For each sample of each frame: tap of the line itself, ratio of the tap of the next line to it, lines on either side, 0.
    shapes: wgpu::Buffer,
    /// For each sample of each frame: lines to the tails, their amplitude, what is left of it from line to line, 0.
    tails: wgpu::Buffer,
    n_places: usize,
    stage: Stage,
}

impl BeamFilter {
    pub(super) fn new(setup: &Setup, pulse: &PulseFilter) -> Result<Self, DeviceError> {
        let shapes = setup.numbers("shapes of the beam", 4 * setup.scanner.grid.n_samples)?;
        let tails = setup.numbers("tails of the beam", 4 * setup.scanner.grid.n_samples)?;
        let seen = setup.numbers("echoes of the beam", 2 * setup.n_places())?;
        let buffers = [
            (Use::Read, &pulse.pulsed),
            (Use::Read, &shapes),
            (Use::Read, &tails),
            (Use::Write, &seen),
        ];
        let text = include_str!("beam_filter.wgsl");
        Ok(Self {
            stage: setup.stage("beam_filter", text, &buffers)?,
            n_places: setup.n_places(),
            shapes,
            tails,
            seen,
        })
    }

    pub(super) fn upload(&self, gpu: &Gpu, geometries: &[Geometry]) {
        let shapes = geometries.iter().map(|geometry| &geometry.beam.shapes[..]);
        let shapes: Vec<[f32; 4]> = shapes.collect::<Vec<_>>().concat();
        gpu.queue
            .write_buffer(&self.shapes, 0, bytemuck::cast_slice(&shapes));
        let tails = geometries
            .iter()
            .flat_map(|geometry| geometry.beam.gpu_tails());
        let tails: Vec<[f32; 4]> = tails.collect();
        gpu.queue
            .write_buffer(&self.tails, 0, bytemuck::cast_slice(&tails));
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_places);
    }
}
