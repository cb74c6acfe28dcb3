//! B-mode: frames of the deformed medium, one stage per file.
//!
//! The echo of a point is its amplitude times the phase of the carrier. It is added to the nearest place of the two neighbouring scanlines.
//! Beam and pulse are then applied as separable filters (COLE: Gao 2009, doi:10.1109/TUFFC.2009.1032).
//! The depth in a picture is the time of arrival times the speed of sound that the scanner assumes.

mod acoustics;
mod aperture;
mod batch;
mod beam_filter;
mod block;
mod compounding;
mod contact;
mod echo_shader;
mod echoes;
mod fading;
mod frame;
mod front;
#[cfg(feature = "gpu")]
mod gpu;
mod grey_map;
mod grid;
mod iq;
mod lattice;
mod legs;
mod packed_scatterers;
mod path;
mod paths;
mod persistence;
mod points;
mod pulse_filter;
mod receiver;
mod rest_grid;
mod ring_down;
mod scan_conversion;
mod scene;
mod settings;
mod shading;
mod shaft;
mod speckle;
mod speckle_tables;
mod tail;
mod tgc;
mod trace;
mod walk;

pub use compounding::Compounding;
pub use frame::Frame;
#[cfg(feature = "gpu")]
pub use gpu::GpuBMode;
pub use grey_map::GreyMap;
pub use iq::Iq;
pub use persistence::Persistence;
pub use scan_conversion::ScanConverter;
pub use scene::View;
pub use settings::Settings;
pub use shaft::{Filling, Shaft};
pub use tgc::Tgc;

use crate::UltrasoundError;
use crate::beam::FWHM_OVER_SIGMA;
use crate::parallel::Workers;
use crate::transducer::Transducer;
use acoustics::Acoustics;
use aperture::{Aperture, Light};
use beam_filter::BeamFilter;
use compounding::Compound;
use contact::contact;
use echoes::{Carrier, Echoes, GROUP, ROW};
use fading::Fading;
use grid::Grid;
use insonate_settings::check_range;
use legs::Media;
use paths::Paths;
use points::Located;
use pulse_filter::PulseFilter;
use receiver::Receiver;
use rest_grid::RestGrid;
use ring_down::rounds;
use shaft::{Shadow, ShaftEchoes};
use speckle_tables::Speckle;
use trace::{Slice, Trace};
use walk::{PathTracer, ScanlinePath};

/// A scanner: a transducer, its settings, and the tables that follow from them.
#[derive(Clone, Debug)]
pub struct BMode {
    settings: Settings,
    workers: Workers,
    grid: Grid,
    frequency: f64,
    carrier: Carrier,
    speckle: Speckle,
    pulse: PulseFilter,
    /// Standard deviation of the pulse along the lines [m].
    pulse_sigma: f32,
    beam: BeamFilter,
    receiver: Receiver,
    aperture: Aperture,
    // State of the current frame.
    rest: RestGrid,
    paths: Paths,
    tracks: Vec<ScanlinePath>,
    lights: [Light; 3],
    fading: Fading,
    echoes: Vec<(Echoes, speckle::Scratch)>,
    points: Vec<Located>,
    /// For each group, shape `[n_samples, ROW]`.
    pulsed: Vec<Vec<f32>>,
    /// Envelope, shape `[n_samples, n_lines]`.
    levels: Vec<f32>,
    frame: Frame,
    /// Views in other directions.
    compound: Option<Box<Compound>>,
}

impl BMode {
    /// Creates a scanner.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: a setting is out of range.
    pub fn new(transducer: &Transducer, settings: &Settings) -> Result<Self, UltrasoundError> {
        let mut scanner = Self::steered(transducer, settings, 0.0)?;
        let compound = Compound::new(transducer, settings, &scanner.grid)?;
        scanner.compound = compound.map(Box::new);
        Ok(scanner)
    }

    /// A scanner of one direction, at an angle from the normal of a linear array [rad].
    fn steered(
        transducer: &Transducer,
        settings: &Settings,
        angle: f64,
    ) -> Result<Self, UltrasoundError> {
        settings.check_for(transducer)?;
        let transducer = &settings.tuned(transducer);
        let pulse = settings.pulse(transducer);
        let (frequency, speed) = (pulse.mean_frequency(), settings.speed_of_sound);
        let grid = Grid::new(transducer, settings, &pulse, angle);
        let carrier = Carrier::new(&grid, frequency, speed);
        let filter = PulseFilter::new(&grid, carrier, speed);
        let lengths = [pulse.width(speed) as f32, filter.reach(carrier)];
        let beam = BeamFilter::new(&grid);
        let energy = |sample| filter.energy(carrier, grid.pulse(sample, 0));
        let energies: Vec<f32> = (0..grid.n_samples).map(energy).collect();
        let aperture = Aperture::new(transducer, &settings.zones(), &grid, speed);
        let Grid {
            n_lines, n_samples, ..
        } = grid;
        Ok(Self {
            frequency,
            carrier,
            speckle: Speckle::new(&grid, [&beam.energy(), &energies], lengths, settings),
            receiver: Receiver::new(&grid, settings, frequency, &filter),
            pulse: filter,
            pulse_sigma: (pulse.width(speed) / FWHM_OVER_SIGMA) as f32,
            beam,
            fading: Fading::new(&grid),
            lights: [(); 3].map(|()| Light::new(&aperture)),
            aperture,
            rest: RestGrid::default(),
            paths: Paths::new(&grid),
            tracks: vec![ScanlinePath::default(); n_lines],
            echoes: Vec::new(),
            points: Vec::new(),
            pulsed: vec![vec![0.0; ROW * n_samples]; n_lines.div_ceil(GROUP)],
            levels: vec![0.0; n_samples * n_lines],
            frame: Frame::new(n_lines, n_samples, f64::from(grid.step)),
            grid,
            settings: settings.clone(),
            workers: Workers::All,
            compound: None,
        })
    }

    /// Makes frames on the calling thread only. Use it with many scanners or small frames.
    #[must_use]
    pub fn on_own_thread(mut self) -> Self {
        self.workers = Workers::Own;
        if let Some(compound) = &mut self.compound {
            compound.use_own_thread();
        }
        self
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Frequency at which attenuation is evaluated [Hz]: the mean frequency of the pulse.
    pub fn frequency(&self) -> f64 {
        self.frequency
    }

    /// Position of a sample of a line in the probe's frame, with the speed of sound that the scanner assumes.
    pub fn point(&self, line: usize, sample: usize) -> crate::deformation::Point {
        self.grid
            .point(line as f32, sample as f32 * self.grid.step, 0.0)
    }

    /// The last frame.
    pub fn last(&self) -> &Frame {
        &self.frame
    }

    /// The line and the sample that show a rest point; `None` if the point lies outside of the slice.
    ///
    /// The slice is as thick as the full width of the beam at half its maximum, plus `margin` [m] on either side.
    pub fn sample_of(
        &self,
        view: &View,
        rest: &crate::deformation::Point,
        margin: f64,
    ) -> Option<[usize; 2]> {
        let point = view.probe(rest)?;
        let [line, range] = self.grid.locate(&point);
        let [line, sample] = [(line + 0.5).floor(), (range / self.grid.step).floor()];
        let is_inside = |place: f32, n: usize| place >= 0.0 && place < n as f32;
        if !is_inside(line, self.grid.n_lines) || !is_inside(sample, self.grid.n_samples) {
            return None;
        }
        let [line, sample] = [line as usize, sample as usize];
        let half_width = (2.0 * std::f32::consts::LN_2).sqrt() * self.grid.sigma_elevation[sample];
        (point.y.abs() <= half_width + margin as f32).then_some([line, sample])
    }

    /// Makes a frame; `index` selects the noise.
    ///
    /// The same view, settings and index give the same bits with any number of threads.
    pub fn frame(&mut self, view: &View, index: u64) -> &Frame {
        self.make_frame(view, index);
        if let Some(compound) = &mut self.compound {
            compound.add_views(view, index, &mut self.frame, self.workers);
        }
        &self.frame
    }

    /// Makes the frame of the scanner's own direction.
    fn make_frame(&mut self, view: &View, index: u64) {
        let media = self.walk(view, Slice::Thick);
        let (carrier, workers) = (self.carrier, self.workers);
        let Self {
            grid,
            frame,
            rest,
            tracks,
            fading,
            beam,
            echoes,
            ..
        } = self;
        let rest = &*rest;

        // The pulse and the width of the beam behind the attenuation.
        fading.take(grid, tracks);
        beam.widen(grid, &fading.widenings);
        let (fading, beam) = (&*fading, &*beam);

        // Echoes of the probe, boundaries, wires and tissue, then the pulse along each line.
        points::locate(view, grid, &mut self.points);
        let n_wires = self.points.len();
        let shafts = ShaftEchoes {
            grid,
            fading,
            carrier,
            speed_of_sound: self.settings.speed_of_sound as f32,
            pulse: self.pulse_sigma,
        };
        shafts.locate(view, &mut self.points);
        let (wires, steel) = self.points.split_at(n_wires);
        let f_number = self.settings.focusing.receive_f_number as f32;
        let shadow = Shadow::of(view, grid, f_number);
        let share = self.pulsed.len().div_ceil(4 * workers.count());
        let n_parts = self.pulsed.len().div_ceil(share);
        echoes.resize_with(n_parts, || (Echoes::new(grid), speckle::Scratch::new(grid)));
        let mut parts: Vec<_> = self.pulsed.chunks_mut(share).zip(echoes).collect();
        workers.for_each(
            &mut parts,
            1,
            || (),
            |(), part, (groups, (echoes, scratch))| {
                for (own, pulsed) in groups.iter_mut().enumerate() {
                    let first = (part * share + own) * GROUP;
                    echoes.clear();
                    let lines = tracks[first..].iter().zip(&frame.coupled[first..]);
                    for (line, (track, is_coupled)) in lines.take(GROUP).enumerate() {
                        // Neighbouring lines get the same echoes: they add up over the width of the beam.
                        let boundaries = track.boundaries.iter().copied();
                        for [range, amplitude] in rounds(*is_coupled).chain(boundaries) {
                            let share = amplitude / fading.together(grid, range);
                            let range = grid.received((first + line) as f32, range);
                            echoes.add(line, carrier, range, share);
                        }
                    }
                    let tracks = (&media, &tracks[..]);
                    points::add(wires, grid, carrier, tracks, first, echoes);
                    self.speckle
                        .add((grid, rest), carrier, tracks, first, scratch, echoes);
                    // A needle is in front of its own shadow.
                    echoes.shade(grid, &shadow, first);
                    points::add(steel, grid, carrier, tracks, first, echoes);
                    self.pulse.apply(fading, echoes, pulsed);
                }
            },
        );

        // The beam across lines, then the receiver.
        let n_lines = grid.n_lines;
        let scratch = || {
            (
                vec![0.0; 2 * (n_lines + 2 * beam.reach())],
                vec![0.0; 2 * n_lines],
            )
        };
        workers.for_each_part(
            &mut self.levels,
            n_lines,
            32,
            scratch,
            |(row, seen), sample, levels| {
                let own = &mut row[2 * beam.reach()..][..2 * n_lines];
                side_by_side(&self.pulsed, sample, own);
                beam.apply(sample, row, seen);
                self.receiver.detect(index, sample, seen, levels);
            },
        );

        // Frames store line by line.
        frame.take(&self.levels, workers);
    }

    /// Materials along the lines, without a picture: updates `labels` and `coupled` of the frame and keeps its envelope; much faster.
    pub fn labels(&mut self, view: &View) -> &Frame {
        self.walk(view, Slice::Thin);
        &self.frame
    }

    /// Walks all lines; returns the media along them.
    fn walk(&mut self, view: &View, slice: Slice) -> Media {
        let (carrier, workers) = (self.carrier, self.workers);
        let acoustics = self.acoustics(view);
        let Self {
            grid,
            frame,
            rest,
            paths,
            tracks,
            lights,
            ..
        } = self;

        // (face, medium) => lines that couple
        contact(view, grid, &mut frame.coupled);

        // Rest points of beam space.
        rest.locate(view, grid, workers);

        // Paths of the rays of each line.
        let coupled = &frame.coupled;
        let trace = Trace::new(view, grid, rest, carrier, &acoustics).in_slice(slice);
        let traced = vec![coupled.contains(&true); coupled.len()];
        paths.trace(&trace, &traced, workers);

        // Loss, delay and boundaries along each line.
        let walk = PathTracer::new((grid, &self.aperture), &acoustics, self.settings.noise);
        walk.lines(
            paths,
            &trace,
            &frame.coupled,
            (tracks, lights, &mut frame.labels),
            workers,
        );
        walk.media
    }

    /// The view's materials at the carrier frequency.
    fn acoustics(&self, view: &View) -> Vec<Acoustics> {
        let of = |material| Acoustics::of(material, self.frequency, self.settings.speed_of_sound);
        view.materials().iter().map(of).collect()
    }

    /// A converter of frames to square pictures of `size` pixels.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the size is outside of 2 to 4096.
    pub fn scan_converter(&self, size: usize) -> Result<ScanConverter, UltrasoundError> {
        check_range("size of the picture", size as f64, [2.0, 4096.0], "pixels")?;
        let white = -self.settings.gain as f32;
        let range = self.settings.dynamic_range as f32;
        let map = self.settings.grey_map;
        Ok(ScanConverter::new(&self.grid, size, [white, range], map))
    }
}

/// Collects one sample of all lines from the groups; the last numbers of a group belong to the first line of the next one.
fn side_by_side(groups: &[Vec<f32>], sample: usize, row: &mut [f32]) {
    const WIDTH: usize = 2 * GROUP;
    let mut before = [0.0; 2];
    for (group, lines) in groups.iter().zip(row.chunks_mut(WIDTH)) {
        let from = &group[sample * ROW..][..ROW];
        lines.copy_from_slice(&from[..lines.len()]);
        lines[0] += before[0];
        lines[1] += before[1];
        before = [from[WIDTH], from[WIDTH + 1]];
    }
}
