//! Geometry of a frame, made on the CPU: rest points of beam space, paths of lines, and the work lists of the GPU.

use super::super::aperture::Light;
use super::super::beam_filter::BeamFilter;
use super::super::contact::contact;
use super::super::fading::Fading;
use super::super::legs::Media;
use super::super::paths::Paths;
use super::super::points::{self, Located};
use super::super::rest_grid::RestGrid;
use super::super::trace::Trace;
use super::super::walk::{PathTracer, ScanlinePath};
use super::super::{Acoustics, BMode, Frame, View};
use super::{echoes, speckle};
use crate::pack::LANES;
use crate::parallel::Workers;

/// The geometry of a frame.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    rest: RestGrid,
    paths: Paths,
    points: Vec<Located>,
    tracks: Vec<ScanlinePath>,
    lights: [Light; 3],
    /// Materials of the middle rays, shape `[n_lines, n_samples]`.
    labels: Vec<u8>,
    /// Pulse and beam.
    pub(super) fading: Fading,
    pub(super) beam: BeamFilter,
    /// Amplitudes of diffuse echoes on each line's rays and the excess of their shown depth [m], shape `[n_lines, 3, n_samples + 1]`.
    pub(super) rays: Vec<[f32; 2]>,
    coupled: Vec<bool>,
    /// Units per 1 of the echoes.
    pub(super) scale: f32,
    /// Echoes of the probe, boundaries and wires: see `echoes.wgsl`.
    pub(super) echoes: Vec<[u32; 4]>,
    /// Lattices in blocks: see `speckle.wgsl`.
    pub(super) jobs: Vec<speckle::Job>,
}

impl Geometry {
    pub(super) fn new(scanner: &BMode) -> Self {
        let grid = &scanner.grid;
        Self {
            rest: RestGrid::default(),
            paths: Paths::new(grid),
            points: Vec::new(),
            tracks: vec![ScanlinePath::default(); grid.n_lines],
            lights: scanner.lights.clone(),
            fading: scanner.fading.clone(),
            beam: scanner.beam.clone(),
            labels: vec![0; grid.n_lines * grid.n_samples],
            rays: vec![[0.0; 2]; 3 * grid.n_lines * (grid.n_samples + 1)],
            coupled: vec![false; grid.n_lines],
            scale: 1.0,
            echoes: Vec::new(),
            jobs: Vec::new(),
        }
    }

    /// Computes the geometry of the frame in a slot of the submission.
    pub(super) fn trace(&mut self, scanner: &BMode, view: &View, slot: usize) {
        let (grid, carrier) = (&scanner.grid, scanner.carrier);
        let acoustics = scanner.acoustics(view);
        contact(view, grid, &mut self.coupled);
        self.rest.locate(view, grid, Workers::All);
        let trace = Trace::new(view, grid, &self.rest, carrier, &acoustics);
        let traced = vec![self.coupled.contains(&true); self.coupled.len()];
        self.paths.trace(&trace, &traced, Workers::All);
        let walk = PathTracer::new(
            (grid, &scanner.aperture),
            &acoustics,
            scanner.settings.noise,
        );
        let lines = (&mut self.tracks[..], &mut self.lights, &mut self.labels[..]);
        walk.lines(&self.paths, &trace, &self.coupled, lines, Workers::All);
        self.fading.take(grid, &self.tracks);
        self.beam.widen(grid, &self.fading.widenings);
        self.shade(&walk.media, grid.n_samples + 1);
        points::locate(view, grid, &mut self.points);
        self.describe(scanner, (&acoustics, &walk.media), slot);
    }

    /// Stores the diffuse amplitudes and delays of the rays' legs.
    fn shade(&mut self, media: &Media, n: usize) {
        let (mut amplitudes, mut delays) = (vec![0.0; n + LANES], vec![0.0; n + LANES]);
        let rays = self.tracks.iter().flat_map(|track| &track.rays);
        for (legs, pairs) in rays.zip(self.rays.chunks_exact_mut(n)) {
            media.diffuse(legs, [0, n], &mut amplitudes, &mut delays);
            for ((pair, amplitude), delay) in pairs.iter_mut().zip(&amplitudes).zip(&delays) {
                *pair = [*amplitude, *delay];
            }
        }
    }

    /// Stores the work lists of the GPU.
    fn describe(
        &mut self,
        scanner: &BMode,
        (acoustics, media): (&[Acoustics], &Media),
        slot: usize,
    ) {
        self.echoes.clear();
        let (tracks, points) = (&self.tracks, &self.points);
        let lines = (&self.coupled[..], &self.fading);
        let list = &mut self.echoes;
        let most = echoes::list(scanner, (media, tracks), lines, points, slot, list);
        self.scale = echoes::scale(most, acoustics);
        self.jobs.clear();
        speckle::list(scanner, &self.rest, tracks, slot, &mut self.jobs);
    }

    /// Fills a frame with an envelope [dB], labels and contact.
    pub(super) fn fill(&self, frame: &mut Frame, envelope: &[f32]) {
        frame.envelope.copy_from_slice(envelope);
        frame.coupled.copy_from_slice(&self.coupled);
        frame.labels.copy_from_slice(&self.labels);
    }
}
