//! A path over the skin along which a probe sees an organ.
//!
//! The probe's face must lie on windows, off bones near the skin and off planes that cut the body off, wherever it turns: the disc around
//! its middle. The path is a shortest path on the skin between two of these places, smoothed, which nowhere leaves them and turns slowly
//! enough for the probe. Of the longest ones it is the one that is farthest from the rim of the window.

use insonate_meshes::{GeodesicGraph, HeightIndex};
use insonate_settings::check_ranges;
use nalgebra::Vector3;

use super::chords::Chord;
use super::smooth::{blurred, length, smooth, turning};
use super::{Place, WindowMap};
use crate::AnatomyError;
use crate::patient::Patient;

/// Margin around the window in which paths on the skin are searched [m].
const MARGIN: f64 = 0.03;
/// Distance of the skin from the nearest place below which it belongs to the front, in distances of places.
const BELOW: f64 = 3.0;

/// Length of the next lines over that of the longest one that gave no path.
const SHORTER: f64 = 0.8;

/// What a path needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSettings {
    /// Radius of the probe's face: half of its longer side [m].
    pub face_radius: f64,
    /// Depth up to which bones press against the face [m].
    pub bone_depth: f64,
    /// Largest share of the face with such a bone below.
    pub most_bone: f64,
    /// Least share of open rays.
    pub least_open: f64,
    /// Largest tilt of the best ray, because the probe is held along the skin's normal [rad].
    pub most_tilt: f64,
    /// Least front component of the normal of skin that a probe reaches from the front.
    pub least_front: f64,
    /// Shortest and longest path [m].
    pub lengths: [f64; 2],
    /// Largest curvature of the path within the skin [1/m].
    pub most_curvature: f64,
    /// Lowest and highest coordinates, left and head, that the robot may use [m].
    pub bounds: [[f64; 2]; 2],
}

impl Default for PathSettings {
    fn default() -> Self {
        Self {
            face_radius: 0.03,
            bone_depth: 0.01,
            most_bone: 0.0,
            least_open: 0.5,
            most_tilt: 15.0_f64.to_radians(),
            least_front: 0.7,
            lengths: [0.02, 0.3],
            most_curvature: 25.0,
            bounds: [[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]],
        }
    }
}

impl PathSettings {
    pub(super) fn check(&self) -> Result<(), AnatomyError> {
        let rows = [
            ("face_radius", self.face_radius, [0.001, 0.1], "m"),
            ("bone_depth", self.bone_depth, [0.0, 0.1], "m"),
            ("most_bone", self.most_bone, [0.0, 1.0], ""),
            ("least_open", self.least_open, [0.0, 1.0], ""),
            ("most_tilt", self.most_tilt, [0.0, 1.0], "rad"),
            ("least_front", self.least_front, [0.1, 1.0], ""),
            ("lengths[0]", self.lengths[0], [0.005, 1.0], "m"),
            ("lengths[1]", self.lengths[1], [self.lengths[0], 1.0], "m"),
            ("most_curvature", self.most_curvature, [0.1, 1000.0], "1/m"),
        ];
        Ok(check_ranges("", rows)?)
    }
}

/// A path over the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowPath {
    /// Points about a millimetre apart: left, head, front [m].
    pub points: Vec<[f64; 3]>,
    /// Length on the skin [m].
    pub length: f64,
    /// Largest curvature within the skin [1/m].
    pub curvature: f64,
    /// Mean and largest tilt of the best rays along the path [rad].
    pub tilts: [f64; 2],
    /// Mean of the losses of the best rays, on the way there and back [dB].
    pub loss: f64,
    /// Mean share of open rays.
    pub open: f64,
}

impl WindowMap {
    /// A path on windows, on the skin of the patient of the map.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`]: a setting is outside of its range. [`AnatomyError::NoWindow`]: the face fits nowhere, or only along a
    /// path that is too short or turns too fast, with the reason.
    pub fn path(
        &self,
        patient: &Patient,
        settings: &PathSettings,
    ) -> Result<WindowPath, AnatomyError> {
        let is_free = self.free(settings)?;
        let [shortest, mut longest] = settings.lengths;
        let mut chords = self.chords(&is_free, [shortest, longest]);
        if chords.is_empty() {
            let area = 1e4 * self.area(&is_free);
            return Err(self.no_window(format!(
                "the probe's face fits on {area:.1} cm² of skin, along which no straight path has the {:.0} mm that a scan needs",
                1e3 * shortest
            )));
        }
        let skin = &patient.skin;
        let heights = HeightIndex::new(skin);
        let in_front = self.in_front(patient, &is_free);
        let graph = GeodesicGraph::new(skin, |triangle| {
            let corners = skin.triangles[triangle];
            corners.iter().all(|vertex| in_front[*vertex as usize])
        });
        while !chords.is_empty() {
            let tries = chords.iter();
            let mut paths = tries.filter_map(|chord| self.along(&graph, &heights, chord, &is_free));
            if let Some(path) = paths.find(|path| path.curvature <= settings.most_curvature) {
                return Ok(path);
            }
            let lengths = chords.iter().map(|chord| chord.length);
            longest = SHORTER * lengths.fold(0.0, f64::max);
            chords = self.chords(&is_free, [shortest, longest]);
        }
        Err(self.no_window(format!(
            "each shortest path on the skin between places for the probe's face leaves them, or turns within less than {:.0} mm",
            1e3 / settings.most_curvature
        )))
    }

    /// Whether each vertex of the skin is in front of the body, and near the free places.
    fn in_front(&self, patient: &Patient, is_free: &[bool]) -> Vec<bool> {
        let n = self.left.len();
        let free = || (0..is_free.len()).filter(|place| is_free[*place]);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for place in free() {
            let own = [self.left[place % n], self.head[place / n]];
            for axis in 0..2 {
                low[axis] = low[axis].min(own[axis] - MARGIN);
                high[axis] = high[axis].max(own[axis] + MARGIN);
            }
        }
        let is_in = |vertex: &[f64; 3]| {
            let mut axes = 0..2;
            let is_near = axes.all(|axis| (low[axis]..=high[axis]).contains(&vertex[axis]));
            let place = self.at(vertex[0], vertex[1]).filter(|_| is_near);
            place.is_some_and(|place| {
                let far = (Vector3::from(place.position) - Vector3::from(*vertex)).norm();
                far < BELOW * self.step()
            })
        };
        patient.skin.positions.iter().map(is_in).collect()
    }

    /// The smooth shortest path between the ends of a line; `None` if it leaves the free places.
    fn along(
        &self,
        graph: &GeodesicGraph<'_>,
        heights: &HeightIndex,
        chord: &Chord,
        is_free: &[bool],
    ) -> Option<WindowPath> {
        let vertex = |end: usize| {
            let place = Vector3::from(self.places[end]?.position);
            graph.nearest(place)
        };
        let [from, to] = chord.ends.map(vertex);
        let shortest = graph.path(&graph.distances(from?), to?)?;
        let shortest: Vec<_> = shortest.into_iter().map(Vector3::from).collect();
        let on_skin = |point: &Vector3<f64>| {
            let found = heights.highest_at(point.x, point.y)?;
            Some((Vector3::from(found.position), Vector3::from(found.normal)))
        };
        let curve = smooth(&shortest);
        let found: Option<Vec<_>> = curve.iter().map(on_skin).collect();
        let (points, normals): (Vec<_>, Vec<_>) = found?.into_iter().unzip();
        // The facets of a skin are no turns of the path.
        let normals = blurred(&normals, length(&curve) / (curve.len() - 1) as f64);
        let normals: Vec<_> = normals.iter().map(Vector3::normalize).collect();
        let place = |point: &Vector3<f64>| {
            let index = self.index_at(point.x, point.y)?;
            self.places[index].filter(|_| is_free[index])
        };
        let places: Option<Vec<Place>> = points.iter().map(place).collect();
        let places = places?;
        let sights = || places.iter().filter_map(|place| place.sight);
        let n = sights().count().max(1) as f64;
        Some(WindowPath {
            length: length(&points),
            curvature: turning(&curve, &normals),
            tilts: [
                sights().map(|sight| sight.tilt).sum::<f64>() / n,
                sights().map(|sight| sight.tilt).fold(0.0, f64::max),
            ],
            loss: sights().map(|sight| sight.loss).sum::<f64>() / n,
            open: places.iter().map(Place::open).sum::<f64>() / places.len() as f64,
            points: points.into_iter().map(Into::into).collect(),
        })
    }

    /// Index of the place that stands for one seen from the front.
    pub(super) fn index_at(&self, left: f64, head: f64) -> Option<usize> {
        let nearest = |axis: &[f64], x: f64| {
            let step = axis.get(1)? - axis[0];
            let n = ((x - axis[0]) / step).round();
            (n >= 0.0 && n < axis.len() as f64).then_some(n as usize)
        };
        Some(nearest(&self.head, head)? * self.left.len() + nearest(&self.left, left)?)
    }
}
