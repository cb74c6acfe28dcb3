//! The receiver.

use insonate_gpu::{DeviceError, Gpu, Region, Use};

use super::super::receiver::SILENCE;
use super::super::{BMode, View};
use super::beam_filter::BeamFilter;
use super::setup::{Setup, Stage};

/// Envelopes.
#[derive(Debug)]
pub(super) struct Receiver {
    /// Start of the noise of each sample of each frame.
    starts: wgpu::Buffer,
    /// For each frame, shape `[n_lines, n_samples]` [dB].
    pub(super) levels: wgpu::Buffer,
    n_places: usize,
    stage: Stage,
}

impl Receiver {
    pub(super) fn new(setup: &Setup, beam: &BeamFilter) -> Result<Self, DeviceError> {
        let receiver = &setup.scanner.receiver;
        let gain = setup.gpu.filled("gain", &receiver.gain)?;
        let noise = setup.gpu.filled("noise", &receiver.noise)?;
        let starts = setup.numbers("starts of noise", setup.scanner.grid.n_samples)?;
        let levels = setup.numbers("envelopes", setup.n_places())?;
        let buffers = [
            (Use::Read, &beam.seen),
            (Use::Read, &gain),
            (Use::Read, &noise),
            (Use::Read, &starts),
            (Use::Write, &levels),
        ];
        let silence = format!("const SILENCE = {SILENCE:?}f;\n");
        let text = silence + include_str!("receiver.wgsl");
        Ok(Self {
            stage: setup.stage("receiver", &text, &buffers)?,
            n_places: setup.n_places(),
            starts,
            levels,
        })
    }

    pub(super) fn upload(&self, gpu: &Gpu, scanner: &BMode, views: &[(View, u64)]) {
        let start = |index, sample| scanner.receiver.start(index, sample) as u32;
        let samples = 0..scanner.grid.n_samples;
        let starts: Vec<u32> = views
            .iter()
            .flat_map(|(_, index)| samples.clone().map(|sample| start(*index, sample)))
            .collect();
        gpu.queue
            .write_buffer(&self.starts, 0, bytemuck::cast_slice(&starts));
    }

    pub(super) fn run(&self, pass: &mut wgpu::ComputePass, n_frames: usize) {
        self.stage.run(pass, n_frames * self.n_places);
    }

    /// Bytes of a frame's envelope.
    pub(super) fn n_bytes(&self) -> u64 {
        4 * self.n_places as u64
    }

    /// The envelopes of the first frames.
    pub(super) fn region(&self, n_frames: usize) -> Region<'_> {
        Region {
            buffer: &self.levels,
            start: 0,
            len: n_frames as u64 * self.n_bytes(),
        }
    }
}
