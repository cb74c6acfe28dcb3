//! What the processor finds for a frame: where beam space was at rest, what its lines met, and what the GPU is to make of it.

use super::super::contact::contact;
use super::super::grid::Grid;
use super::super::paths::Paths;
use super::super::points::{self, Located};
use super::super::rest_grid::RestGrid;
use super::super::trace::Trace;
use super::super::walk::{Track, Walk};
use super::super::{Acoustics, BMode, Frame, View};
use super::{echoes, speckle};
use crate::parts::Workers;

/// The geometry of a frame.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    rest: RestGrid,
    paths: Paths,
    points: Vec<Located>,
    pub(super) tracks: Vec<Track>,
    coupled: Vec<bool>,
    /// Units per 1 of the echoes.
    pub(super) scale: f32,
    /// Of the probe, of boundaries and wires: see `echoes.wgsl`.
    pub(super) echoes: Vec<[u32; 4]>,
    /// Lattices in blocks: see `speckle.wgsl`.
    pub(super) jobs: Vec<speckle::Job>,
}

impl Geometry {
    pub(super) fn new(grid: &Grid) -> Self {
        Self {
            rest: RestGrid::default(),
            paths: Paths::new(grid),
            points: Vec::new(),
            tracks: vec![Track::new(grid); grid.n_lines],
            coupled: vec![false; grid.n_lines],
            scale: 1.0,
            echoes: Vec::new(),
            jobs: Vec::new(),
        }
    }

    /// Finds it for the frame in a slot of the submission.
    pub(super) fn trace(&mut self, scanner: &BMode, view: &View, slot: usize) {
        let (grid, carrier) = (&scanner.grid, scanner.carrier);
        let acoustics = scanner.acoustics(view);
        contact(view, grid, &mut self.coupled);
        self.rest.locate(view, grid, Workers::All);
        let trace = Trace::new(view, grid, &self.rest, carrier, &acoustics);
        self.paths.trace(&trace, &self.coupled, Workers::All);
        let walk = Walk::new(grid, &acoustics, scanner.settings.noise);
        let tracks = &mut self.tracks;
        walk.lines(&self.paths, &trace, &self.coupled, tracks, Workers::All);
        points::locate(view, grid, &mut self.points);
        self.describe(scanner, view, &acoustics, slot);
    }

    /// Writes down what the GPU needs of it.
    fn describe(&mut self, scanner: &BMode, view: &View, acoustics: &[Acoustics], slot: usize) {
        self.echoes.clear();
        let (tracks, points) = (&self.tracks, &self.points);
        let most = echoes::list(
            scanner,
            tracks,
            &self.coupled,
            points,
            slot,
            &mut self.echoes,
        );
        self.scale = echoes::scale(most, acoustics);
        self.jobs.clear();
        speckle::list(scanner, view, tracks, slot, &mut self.jobs);
    }

    /// Fills a frame with an envelope [dB], and what lines met.
    pub(super) fn fill(&self, frame: &mut Frame, envelope: &[f32]) {
        frame.envelope.copy_from_slice(envelope);
        frame.coupled.copy_from_slice(&self.coupled);
        for (labels, track) in frame
            .labels
            .chunks_exact_mut(frame.n_samples)
            .zip(&self.tracks)
        {
            labels.copy_from_slice(&track.labels);
        }
    }
}
