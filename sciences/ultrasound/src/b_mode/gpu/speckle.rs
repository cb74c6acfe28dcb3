//! Speckle: the CPU finds the lattices in blocks, the GPU visits their scatterers.

use insonate_gpu::{DeviceError, Gpu, Use};
use rayon::prelude::*;

use super::super::block::{Block, Rows};
use super::super::echoes::GROUP;
use super::super::packed_scatterers::OUTSIDE;
use super::super::rest_grid::RestGrid;
use super::super::speckle::spans;
use super::super::speckle_tables::SAMPLES;
use super::super::walk::ScanlinePath;
use super::super::{BMode, echo_shader, lattice};
use super::echoes::Echoes;
use super::geometry::Geometry;
use super::setup::{List, Setup, Stage};

/// A lattice in a block: the words of `Job` in `speckle.wgsl`.
pub(super) type Job = [u32; 44];

/// Shading of scatterers, and the kernel that visits them.
#[derive(Debug)]
pub(super) struct Speckle {
    /// For each frame, shape `[n_lines, 3, n_samples + 1, 2]`.
    rays: wgpu::Buffer,
    /// Bytes of a frame's rays.
    n_bytes: wgpu::BufferSize,
    /// Amplitude of a scatterer, shape `[n_parts, SAMPLES]`.
    strengths: wgpu::Buffer,
    jobs: List,
    n_jobs: usize,
    stage: Stage,
}

impl Speckle {
    pub(super) fn new(setup: &Setup, echoes: &Echoes) -> Result<Self, DeviceError> {
        let rays = setup.numbers("rays", setup.n_shadings())?;
        let n_bytes = wgpu::BufferSize::new(4 * setup.n_shadings() as u64);
        let parts = setup.scanner.speckle.parts.iter();
        let strengths: Vec<f32> = parts.flat_map(|part| part.strengths).collect();
        let strengths = setup.gpu.filled("strengths of scatterers", &strengths)?;
        let jobs = List::new(setup.gpu, "lattices in blocks")?;
        let constants = format!(
            "const SAMPLES = {SAMPLES}u;\nconst STEPS = {:?}f;\nconst BETWEEN = {:?}f;\nconst OUTSIDE = {:?}f;\n",
            lattice::STEPS,
            echo_shader::BETWEEN,
            OUTSIDE,
        );
        let kernel = [include_str!("put.wgsl"), include_str!("speckle.wgsl")].concat();
        let buffers = [
            (Use::Write, &echoes.values),
            (Use::Read, &echoes.scales),
            (Use::Read, &jobs.buffer),
            (Use::Read, &rays),
            (Use::Read, &strengths),
        ];
        Ok(Self {
            stage: setup.stage("speckle", &(constants + &kernel), &buffers)?,
            rays,
            n_bytes: n_bytes.expect("there are lines and samples"),
            strengths,
            jobs,
            n_jobs: 0,
        })
    }

    pub(super) fn upload(
        &mut self,
        gpu: &Gpu,
        echoes: &Echoes,
        geometries: &[Geometry],
    ) -> Result<(), DeviceError> {
        self.upload_rays(gpu, geometries);
        self.n_jobs = geometries.iter().map(|geometry| geometry.jobs.len()).sum();
        let parts = geometries
            .iter()
            .map(|geometry| bytemuck::cast_slice(&geometry.jobs));
        if self.jobs.write(gpu, parts)? {
            let buffers = [
                &echoes.values,
                &echoes.scales,
                &self.jobs.buffer,
                &self.rays,
                &self.strengths,
            ];
            self.stage.rebind(gpu, &buffers);
        }
        Ok(())
    }

    /// Copies the rays of all frames to GPU memory, one frame after the other.
    fn upload_rays(&self, gpu: &Gpu, geometries: &[Geometry]) {
        let views = (0..geometries.len() as u64).map(|slot| {
            let start = slot * self.n_bytes.get();
            gpu.queue.write_buffer_with(&self.rays, start, self.n_bytes)
        });
        let views: Vec<_> = views.collect();
        let frames = views.into_par_iter().zip(geometries);
        frames.for_each(|(view, geometry)| {
            // A GPU without enough memory reports it after the submission.
            let Some(mut view) = view else { return };
            let bytes = bytemuck::cast_slice::<_, u8>(&geometry.rays);
            view.slice(..bytes.len()).copy_from_slice(bytes);
        });
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass) {
        self.stage.run_groups(pass, self.n_jobs);
    }
}

/// Lists the lattices in the blocks of a frame.
pub(super) fn list(
    scanner: &BMode,
    rest: &RestGrid,
    tracks: &[ScanlinePath],
    slot: usize,
    jobs: &mut Vec<Job>,
) {
    let (grid, speckle) = (&scanner.grid, &scanner.speckle);
    for first in (0..grid.n_lines).step_by(GROUP) {
        let lines = [first, (first + GROUP).min(grid.n_lines)];
        let near = &tracks[first..(first + GROUP + 1).min(grid.n_lines)];
        for (number, part) in speckle.parts_above_noise(near).iter().enumerate() {
            let ranges = part.ranges(grid);
            for lines in spans(grid, lines, ranges) {
                let block = Block::new(speckle, (grid, rest), lines, part.samples, ranges);
                let Some(block) = block else {
                    continue;
                };
                let rows = block.rows(part.level, lattice::origin(speckle.seed, part.level));
                jobs.push(job(&block, &rows, slot, [number, part.samples[0]]));
            }
        }
    }
}

fn job(block: &Block, rows: &Rows, slot: usize, [part, first_sample]: [usize; 2]) -> Job {
    let mut words = Vec::with_capacity(size_of::<Job>() / 4);
    let mut push = |numbers: &[f32]| words.extend(numbers.iter().map(|number| number.to_bits()));
    for axis in 0..3 {
        push(rows.steps[axis].as_slice());
        push(&[rows.zero[axis]]);
    }
    for (sides, room) in rows.sides.iter().zip(rows.room) {
        push(sides);
        push(&[room]);
    }
    push(&block.ranges);
    push(&block.lines);
    push(&[block.narrowness.start, block.narrowness.slope]);
    push(&[rows.middle]);
    words.push(part as u32);
    words.extend([rows.stride, rows.strides[0], rows.strides[1], rows.origin]);
    words.extend(rows.across.as_flattened().iter().map(|cell| *cell as u32));
    words.extend([slot as u32, rows.along as u32, first_sample as u32, 0]);
    words.try_into().expect("as many words as a job has")
}
