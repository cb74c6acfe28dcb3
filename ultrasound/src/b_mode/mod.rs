//! B-mode: frames of the deformed medium, one stage per file.
//!
//! A point's echo is its amplitude times the carrier's phase, put into the nearest place of the lines beside it; beam and pulse pass over
//! these as separable filters (COLE: Gao 2009, doi:10.1109/TUFFC.2009.1032).
//! Depth in a picture is the time of arrival times the speed that the scanner assumes.

mod acoustics;
mod batch;
mod beam_filter;
mod block;
mod contact;
mod echoes;
mod frame;
mod grid;
mod lattice;
mod points;
mod pulse_filter;
mod receiver;
mod ring_down;
mod scan_conversion;
mod scene;
mod settings;
mod speckle;
mod walk;

use rayon::prelude::*;

pub use frame::Frame;
pub use scan_conversion::ScanConverter;
pub use scene::View;
pub use settings::Settings;

use crate::UltrasoundError;
use crate::beam::Pulse;
use crate::transducer::Transducer;
use acoustics::Acoustics;
use beam_filter::BeamFilter;
use contact::contact;
use echoes::{Carrier, Echoes, GROUP};
use grid::Grid;
use points::Located;
use pulse_filter::PulseFilter;
use receiver::Receiver;
use ring_down::ring_down;
use speckle::Speckle;
use walk::{Track, Walk};

/// A scanner: a transducer, its settings, and what follows from them.
#[derive(Clone, Debug)]
pub struct BMode {
    settings: Settings,
    grid: Grid,
    frequency: f64,
    carrier: Carrier,
    speckle: Speckle,
    pulse: PulseFilter,
    beam: BeamFilter,
    receiver: Receiver,
    // Of the frame in work.
    tracks: Vec<Track>,
    echoes: Vec<Echoes>,
    points: Vec<Located>,
    pulsed: Vec<Vec<f32>>,
    frame: Frame,
}

impl BMode {
    /// A scanner.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a setting is out of range.
    pub fn new(transducer: &Transducer, settings: &Settings) -> Result<Self, UltrasoundError> {
        settings.check()?;
        let pulse = Pulse::new(transducer);
        let (frequency, speed) = (pulse.mean_frequency(), settings.speed_of_sound);
        let grid = Grid::new(transducer, settings, &pulse);
        let carrier = Carrier::new(&grid, frequency, speed);
        let filter = PulseFilter::new(&grid, carrier, &pulse, speed);
        let lengths = [filter.energy(carrier), pulse.width(speed) as f32];
        let beam = BeamFilter::new(&grid);
        let per_cell = settings.scatterers_per_cell as f32;
        let Grid {
            n_lines, n_samples, ..
        } = grid;
        Ok(Self {
            frequency,
            carrier,
            speckle: Speckle::new(
                &grid,
                &beam.energy(),
                lengths,
                per_cell,
                settings.speckle_seed,
            ),
            pulse: filter,
            beam,
            receiver: Receiver::new(&grid, settings, frequency),
            tracks: vec![Track::new(&grid); n_lines],
            echoes: vec![Echoes::new(&grid); n_lines.div_ceil(GROUP)],
            points: Vec::new(),
            pulsed: vec![vec![0.0; 2 * n_samples]; n_lines],
            frame: Frame::new(n_lines, n_samples, f64::from(grid.step)),
            grid,
            settings: settings.clone(),
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Frequency at which materials attenuate [Hz]: the mean of the pulse's.
    pub fn frequency(&self) -> f64 {
        self.frequency
    }

    /// Makes a frame; `index` chooses the noise.
    ///
    /// The same view, settings and index give the same bits for any number of threads.
    pub fn frame(&mut self, view: &View, index: u64) -> &Frame {
        let carrier = self.carrier;
        let Self {
            grid,
            frame,
            tracks,
            echoes,
            ..
        } = self;
        let acoustics = view.materials().iter();
        let acoustics: Vec<Acoustics> = acoustics
            .map(|material| Acoustics::of(material, self.frequency, self.settings.speed_of_sound))
            .collect();
        let walk = Walk {
            view,
            grid,
            carrier,
            acoustics: &acoustics,
        };

        // (face, medium) => lines that couple
        contact(view, grid, &mut frame.coupled);

        // Loss, delay and boundaries on the way of each line.
        let groups = tracks
            .par_chunks_mut(GROUP)
            .zip(echoes.par_iter_mut())
            .enumerate();
        groups.for_each(|(group, (tracks, echoes))| {
            echoes.clear();
            for (own, track) in tracks.iter_mut().enumerate() {
                let line = group * GROUP + own;
                let is_coupled = frame.coupled[line];
                ring_down(carrier, is_coupled, own, echoes);
                if is_coupled {
                    walk.line(line, track, echoes);
                } else {
                    track.darken();
                }
            }
        });

        // Echoes of wires and of the tissue's grain.
        points::locate(view, grid, &mut self.points);
        echoes
            .par_iter_mut()
            .enumerate()
            .for_each(|(group, echoes)| {
                let first = group * GROUP;
                points::add(&self.points, grid, carrier, tracks, first, echoes);
                self.speckle.add(view, grid, carrier, tracks, first, echoes);
            });
        for group in 1..echoes.len() {
            let (before, after) = echoes.split_at_mut(group);
            after[0].take_over(&before[group - 1]);
        }

        // The pulse, along each line.
        let lines = self.pulsed.par_iter_mut().enumerate().with_min_len(4);
        lines.for_each(|(line, iq)| self.pulse.apply(&echoes[line / GROUP], line % GROUP, iq));

        // The beam, across lines; then what the receiver does.
        let n_samples = grid.n_samples;
        let envelopes = frame.envelope.par_chunks_mut(n_samples);
        let labels = frame.labels.par_chunks_mut(n_samples);
        let lines = envelopes
            .zip(labels)
            .zip(tracks.par_iter())
            .enumerate()
            .with_min_len(4);
        lines.for_each_init(
            || vec![0.0; 2 * n_samples],
            |iq, (line, ((envelope, labels), track))| {
                self.beam.apply(&self.pulsed, line, iq);
                self.receiver.amplify(index, line, iq);
                Receiver::detect(iq, envelope);
                labels.copy_from_slice(&track.labels);
            },
        );
        &self.frame
    }

    /// Turns frames into square pictures of `size` pixels.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a size beyond 2 to 4096.
    pub fn scan_converter(&self, size: usize) -> Result<ScanConverter, UltrasoundError> {
        UltrasoundError::check_range("size of the picture", size as f64, [2.0, 4096.0], "pixels")?;
        let white = -self.settings.gain as f32;
        let range = self.settings.dynamic_range as f32;
        Ok(ScanConverter::new(&self.grid, size, white, range))
    }
}
