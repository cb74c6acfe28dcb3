//! B-mode on GPUs of any vendor, for many views at once.
//!
//! Phantoms and deformations may be user code, so the CPU makes the geometry of each frame: contact, rest points, and the paths of lines.
//! The GPU does the rest for all frames in one submission, with a WGSL kernel for each stage.
//!
//! - **The same picture.** Scatterers are the same as in [`BMode`], with the same integers and tabulated strengths. Arithmetic differs by
//!   rounding, by the coarser cosines of the CPU (3e-4), and by the fixed point of echoes, whose step is about −120 dB relative to the
//!   speckle of liver.
//! - **Determinism.** Echoes are sums of integers, so the order of threads has no effect. One GPU with one driver gives the same bits on
//!   each run, and the bits of a frame do not depend on the other frames of a batch.

mod beam_filter;
mod echoes;
mod geometry;
mod pulse_filter;
mod receiver;
mod scan_conversion;
mod setup;
mod speckle;

use std::time::{Duration, Instant};

use insonate_gpu::{DeviceError, Gpu, Staging};
use insonate_settings::check_range;
use rayon::prelude::*;

use super::{BMode, Frame, Settings, View};
use crate::UltrasoundError;
use crate::transducer::Transducer;
use beam_filter::BeamFilter;
use echoes::Echoes;
use geometry::Geometry;
use pulse_filter::PulseFilter;
use receiver::Receiver;
use scan_conversion::ScanConversion;
use setup::Setup;
use speckle::Speckle;

/// A scanner whose frames are made on a GPU.
#[derive(Debug)]
pub struct GpuBMode {
    gpu: Gpu,
    scanner: BMode,
    /// Largest number of frames of one submission.
    n_at_once: usize,
    echoes: Echoes,
    speckle: Speckle,
    pulse: PulseFilter,
    beam: BeamFilter,
    receiver: Receiver,
    conversion: Option<ScanConversion>,
    staging: Staging,
    // State of the current frames.
    geometries: Vec<Geometry>,
    frames: Vec<Frame>,
    pictures: Vec<Vec<u8>>,
    geometry_time: Duration,
}

impl GpuBMode {
    /// Creates a scanner for a number of frames at once, or for as many as fit on the GPU. With a picture size [pixels] it also makes pictures.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a setting is out of range. [`UltrasoundError::Gpu`]: the GPU lacks memory, or it is lost.
    pub fn new(
        gpu: &Gpu,
        transducer: &Transducer,
        settings: &Settings,
        n_frames: usize,
        size: Option<usize>,
    ) -> Result<Self, UltrasoundError> {
        check_range("frames at once", n_frames as f64, [1.0, 4096.0], "")?;
        if let Some(compounding) = settings.compounding {
            let allowed = "1 on a GPU: compound on the CPU";
            return Err(UltrasoundError::setting(
                "views of compounding",
                compounding.n_views,
                allowed,
            ));
        }
        let scanner = BMode::new(transducer, settings)?;
        let converter = size.map(|size| scanner.scan_converter(size)).transpose()?;
        let setup = Setup::new(gpu, &scanner, converter.as_ref(), n_frames)?;
        let echoes = Echoes::new(&setup)?;
        let speckle = Speckle::new(&setup, &echoes)?;
        let pulse = PulseFilter::new(&setup, &echoes)?;
        let beam = BeamFilter::new(&setup, &pulse)?;
        let receiver = Receiver::new(&setup, &beam)?;
        let conversion = converter
            .map(|converter| ScanConversion::new(&setup, &receiver, &converter))
            .transpose()?;
        let n_bytes = receiver.n_bytes() + conversion.as_ref().map_or(0, ScanConversion::n_bytes);
        let n_at_once = setup.n_frames;
        let staging = gpu.staging(n_at_once as u64 * n_bytes)?;
        Ok(Self {
            gpu: gpu.clone(),
            geometries: vec![Geometry::new(&scanner); n_at_once],
            n_at_once,
            echoes,
            speckle,
            pulse,
            beam,
            receiver,
            conversion,
            staging,
            scanner,
            frames: Vec::new(),
            pictures: Vec::new(),
            geometry_time: Duration::ZERO,
        })
    }

    /// The same scanner on the CPU.
    pub fn scanner(&self) -> &BMode {
        &self.scanner
    }

    /// Largest number of frames of one submission.
    pub fn n_at_once(&self) -> usize {
        self.n_at_once
    }

    /// Makes a frame of each view; its number selects the noise, like the index of [`BMode::frame`].
    ///
    /// More frames than [`Self::n_at_once()`] are made in several submissions.
    ///
    /// # Errors
    /// [`UltrasoundError::Gpu`]: the GPU is lost or out of memory.
    pub fn frames(&mut self, views: &[(View, u64)]) -> Result<&[Frame], UltrasoundError> {
        if views.iter().any(|(view, _)| !view.shafts().is_empty()) {
            let allowed = "none on a GPU: make frames with needles on the CPU";
            return Err(UltrasoundError::setting(
                "shafts of a view",
                "some",
                allowed,
            ));
        }
        self.frames.resize(views.len(), self.scanner.frame.clone());
        self.pictures.resize_with(views.len(), Vec::new);
        self.geometry_time = Duration::ZERO;
        for (part, views) in views.chunks(self.n_at_once).enumerate() {
            self.submit(views)?;
            self.take(part * self.n_at_once, views.len())?;
        }
        Ok(&self.frames)
    }

    /// Pictures of the last frames, shape `[size, size]` each; empty if no picture size was given.
    pub fn pictures(&self) -> &[Vec<u8>] {
        &self.pictures
    }

    /// CPU time of the geometry of the last frames.
    pub fn geometry_time(&self) -> Duration {
        self.geometry_time
    }

    /// Submits the work for views, at most [`Self::n_at_once()`].
    fn submit(&mut self, views: &[(View, u64)]) -> Result<(), DeviceError> {
        let (gpu, n) = (&self.gpu, views.len());

        // Contact, rest points, loss, delay and boundaries, on the CPU.
        let start = Instant::now();
        let geometries = &mut self.geometries[..n];
        let shots = geometries.par_iter_mut().zip(views).enumerate();
        shots.for_each(|(slot, (geometry, (view, _)))| geometry.trace(&self.scanner, view, slot));
        self.geometry_time += start.elapsed();

        self.echoes.upload(gpu, geometries)?;
        self.speckle.upload(gpu, &self.echoes, geometries)?;
        self.pulse.upload(gpu, geometries);
        self.beam.upload(gpu, geometries);
        self.receiver.upload(gpu, &self.scanner, views);

        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.echoes.clear(&mut encoder, n);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        // Echoes of the probe, boundaries and wires.
        self.echoes.run(&mut pass);
        // Speckle.
        self.speckle.run(&mut pass);
        // The pulse, along lines.
        self.pulse.run(&mut pass, n);
        // The beam, across lines.
        self.beam.run(&mut pass, n);
        // Noise, gain, envelope and logarithm.
        self.receiver.run(&mut pass, n);
        if let Some(conversion) = &self.conversion {
            conversion.run(&mut pass, n);
        }
        drop(pass);
        let pictures = self.conversion.as_ref().map(|it| it.region(n));
        let regions = [Some(self.receiver.region(n)), pictures];
        let regions: Vec<_> = regions.into_iter().flatten().collect();
        self.staging.take(&mut encoder, &regions);
        gpu.queue.submit([encoder.finish()]);
        gpu.check()
    }

    /// Reads the results of the submitted views into the frames from `first` on.
    fn take(&mut self, first: usize, n: usize) -> Result<(), DeviceError> {
        let n_levels = self.receiver.n_bytes() as usize;
        let n_picture = self
            .conversion
            .as_ref()
            .map_or(0, |it| it.n_bytes() as usize);
        let n_pixels = self.conversion.as_ref().map_or(0, |it| it.n_pixels);
        let conversion = self.conversion.as_ref();
        let frames = self.frames[first..][..n].par_iter_mut();
        let pictures = self.pictures[first..][..n].par_iter_mut();
        let made = frames.zip(pictures).zip(&self.geometries).enumerate();
        self.staging.read_with(&self.gpu, |bytes| {
            let (levels, seen) = bytes.split_at(n * n_levels);
            made.for_each(|(slot, ((frame, picture), geometry))| {
                let own = &levels[slot * n_levels..][..n_levels];
                geometry.fill(frame, bytemuck::cast_slice(own));
                picture.clear();
                picture.extend_from_slice(&seen[slot * n_picture..][..n_pixels]);
                if let Some(conversion) = conversion {
                    conversion.greys.apply(picture);
                }
            });
        })
    }
}
