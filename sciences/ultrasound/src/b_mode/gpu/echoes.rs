//! Echoes of the probe, boundaries and wires, and the places that all echoes are added to.

use insonate_gpu::{DeviceError, Gpu, Use};

use super::super::fading::Fading;
use super::super::legs::Media;
use super::super::points::{self, Located};
use super::super::ring_down::rounds;
use super::super::walk::ScanlinePath;
use super::super::{Acoustics, BMode};
use super::geometry::Geometry;
use super::setup::{List, Setup, Stage};

/// Upper limit of the sum of speckle echoes in a place, relative to the strength of the tissue: their root mean square is below 1.
const MOST_GRAIN: f32 = 64.0;

/// Echoes in fixed point, and the kernel that adds the listed echoes.
#[derive(Debug)]
pub(super) struct Echoes {
    /// For each frame, shape `[margin + n_places + margin, n_lines, 2]`: re, im.
    pub(super) values: wgpu::Buffer,
    /// Units per 1, for each frame.
    pub(super) scales: wgpu::Buffer,
    /// Bytes of a frame's values.
    n_bytes: u64,
    listed: List,
    n_listed: usize,
    stage: Stage,
}

impl Echoes {
    pub(super) fn new(setup: &Setup) -> Result<Self, DeviceError> {
        let values = setup.numbers("echoes", setup.n_echoes())?;
        let scales = setup.numbers("units of echoes", 1)?;
        let listed = List::new(setup.gpu, "listed echoes")?;
        let text = [include_str!("put.wgsl"), include_str!("echoes.wgsl")].concat();
        let buffers = [
            (Use::Write, &values),
            (Use::Read, &scales),
            (Use::Read, &listed.buffer),
        ];
        Ok(Self {
            stage: setup.stage("echoes", &text, &buffers)?,
            n_bytes: 4 * setup.n_echoes() as u64,
            values,
            scales,
            listed,
            n_listed: 0,
        })
    }

    pub(super) fn upload(&mut self, gpu: &Gpu, geometries: &[Geometry]) -> Result<(), DeviceError> {
        let scales: Vec<f32> = geometries.iter().map(|geometry| geometry.scale).collect();
        gpu.queue
            .write_buffer(&self.scales, 0, bytemuck::cast_slice(&scales));
        self.n_listed = geometries
            .iter()
            .map(|geometry| geometry.echoes.len())
            .sum();
        let parts = geometries
            .iter()
            .map(|geometry| bytemuck::cast_slice(&geometry.echoes));
        if self.listed.write(gpu, parts)? {
            let buffers = [&self.values, &self.scales, &self.listed.buffer];
            self.stage.rebind(gpu, &buffers);
        }
        Ok(())
    }

    /// Clears the places of the first frames.
    pub(super) fn clear(&self, encoder: &mut wgpu::CommandEncoder, n_frames: usize) {
        encoder.clear_buffer(&self.values, 0, Some(n_frames as u64 * self.n_bytes));
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass) {
        self.stage.run(pass, self.n_listed);
    }
}

/// Lists the echoes of the probe, boundaries and wires of a frame; returns an upper bound of their sums.
pub(super) fn list(
    scanner: &BMode,
    (media, tracks): (&Media, &[ScanlinePath]),
    (coupled, fading): (&[bool], &Fading),
    points: &[Located],
    slot: usize,
    echoes: &mut Vec<[u32; 4]>,
) -> f32 {
    let mut sums = vec![0.0; tracks.len()];
    let mut add = |line: usize, range: f32, amplitude: f32| {
        sums[line] += amplitude.abs();
        echoes.push([
            slot as u32,
            line as u32,
            range.to_bits(),
            amplitude.to_bits(),
        ]);
    };
    for (line, (track, is_coupled)) in tracks.iter().zip(coupled).enumerate() {
        let boundaries = track.boundaries.iter().copied();
        for [range, amplitude] in rounds(*is_coupled).chain(boundaries) {
            add(
                line,
                range,
                amplitude / fading.together(&scanner.grid, range),
            );
        }
    }
    for point in points {
        for (line, weight) in point.neighbours() {
            if (0..tracks.len() as isize).contains(&line) {
                let line = line as usize;
                let [loss, offset] =
                    points::through(media, &tracks[line], point.range, &scanner.grid);
                add(line, point.range + offset, weight * point.amplitude * loss);
            }
        }
    }
    sums.into_iter().fold(0.0, f32::max)
}

/// Units per 1 of a frame's echoes: a power of two that prevents overflow.
pub(super) fn scale(most_listed: f32, acoustics: &[Acoustics]) -> f32 {
    let strongest = acoustics.iter().map(|acoustics| acoustics.echo);
    let most = most_listed + MOST_GRAIN * strongest.fold(0.0, f32::max);
    let exponent = (30.0 - most.log2()).floor().clamp(-60.0, 60.0);
    exponent.exp2()
}
