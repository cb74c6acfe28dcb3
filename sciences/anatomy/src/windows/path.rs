//! A path over the skin along which a probe sees an organ.
//!
//! The probe's face must lie on windows, off bones near the skin and off planes that cut the body off, wherever it turns: the disc around
//! its middle. The path is in the core of the largest such region: places away from its rim. It is the shortest one on the skin
//! between the two places of the core that are farthest apart.

use insonate_meshes::{Distances, GeodesicGraph, TriangleMesh};
use insonate_settings::check_ranges;
use nalgebra::Vector3;

use super::{Place, WindowMap};
use crate::AnatomyError;
use crate::patient::Patient;

/// Distance of a vertex of the skin from the place of the map that stands for it, in distances of places: others are on the back.
const BELOW: f64 = 3.0;
/// Least distances of the core from the rim of a region, relative to that of the innermost place: the first one in which a path is as long
/// as the face.
const CORES: [f64; 3] = [0.5, 0.25, 0.0];
/// Least front component of the normal of skin that a probe reaches from the front.
const FACING: f64 = 0.7;

/// What a path needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSettings {
    /// Radius of the probe's face: half of its longer side [m].
    pub face_radius: f64,
    /// Depth up to which bones press against the face [m].
    pub bone_depth: f64,
    /// Least share of open rays.
    pub least_open: f64,
    /// Largest tilt of the best ray, because the probe is held along the skin's normal [rad].
    pub most_tilt: f64,
    /// Shortest and longest path [m].
    pub lengths: [f64; 2],
    /// Lowest and highest coordinates, left and head, that the robot may use [m].
    pub bounds: [[f64; 2]; 2],
}

impl Default for PathSettings {
    fn default() -> Self {
        Self {
            face_radius: 0.03,
            bone_depth: 0.01,
            least_open: 0.5,
            most_tilt: 15.0_f64.to_radians(),
            lengths: [0.02, 0.3],
            bounds: [[f64::NEG_INFINITY; 2], [f64::INFINITY; 2]],
        }
    }
}

/// A path over the skin.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowPath {
    /// Places: left, head, front [m].
    pub points: Vec<[f64; 3]>,
    /// Length on the skin [m].
    pub length: f64,
    /// Number of places of the map on which the face may lie.
    pub n_places: usize,
}

/// What speaks against a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    /// The organ is not below the place.
    Far,
    /// Bone or gas is before the organ.
    Blocked,
    Bone,
    Cut,
    Edge,
}

impl PathSettings {
    fn check(&self) -> Result<(), AnatomyError> {
        let rows = [
            ("face_radius", self.face_radius, [0.001, 0.1], "m"),
            ("bone_depth", self.bone_depth, [0.0, 0.1], "m"),
            ("least_open", self.least_open, [0.0, 1.0], ""),
            ("most_tilt", self.most_tilt, [0.0, 1.0], "rad"),
            ("lengths[0]", self.lengths[0], [0.005, 1.0], "m"),
            ("lengths[1]", self.lengths[1], [self.lengths[0], 1.0], "m"),
        ];
        Ok(check_ranges("", rows)?)
    }

    /// What speaks against the middle of the face on a place, apart from bones around it.
    fn obstacle(&self, place: &Place) -> Option<Obstacle> {
        let [left, head, _] = place.position;
        let [low, high] = self.bounds;
        let is_within = (low[0]..=high[0]).contains(&left) && (low[1]..=high[1]).contains(&head);
        let sees = place
            .sight
            .is_some_and(|sight| sight.tilt <= self.most_tilt + 1e-9);
        match () {
            () if place.n_rays[0] == 0 => Some(Obstacle::Far),
            () if !sees || place.open() < self.least_open => Some(Obstacle::Blocked),
            () if place.cut < self.face_radius => Some(Obstacle::Cut),
            () if !is_within => Some(Obstacle::Edge),
            () => None,
        }
    }
}

impl WindowMap {
    /// A path on windows, on the skin of the patient of the map.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`]: a setting is outside of its range. [`AnatomyError::NoWindow`]: the face fits nowhere, with the reason.
    pub fn path(
        &self,
        patient: &Patient,
        settings: &PathSettings,
    ) -> Result<WindowPath, AnatomyError> {
        settings.check()?;
        let is_free = self.free(settings)?;
        let skin = &patient.skin;
        let normals = skin.vertex_normals();
        let step = self.left.get(1).map_or(0.005, |next| next - self.left[0]);
        let is_on = |vertex: usize| {
            let place = skin.positions[vertex];
            let found = self.index_at(place[0], place[1]);
            found.filter(|n| is_free[*n]).is_some_and(|n| {
                let own = self.places[n]
                    .as_ref()
                    .map(|own| Vector3::from(own.position));
                let far = own.map_or(f64::INFINITY, |own| (own - Vector3::from(place)).norm());
                far < BELOW * step && normals[vertex][2] > FACING
            })
        };
        let is_on: Vec<bool> = (0..skin.positions.len()).map(is_on).collect();
        let graph = GeodesicGraph::new(skin, |triangle| {
            let corners = skin.triangles[triangle];
            corners.iter().all(|vertex| is_on[*vertex as usize])
        });
        let n_places = is_free.iter().filter(|own| **own).count();
        let no_window = |reason: String| AnatomyError::NoWindow {
            organ: self.organ.clone(),
            reason,
        };
        let [shortest, longest] = settings.lengths;
        let tries = CORES.map(|share| graph_path(skin, &core(&graph, is_on.len(), share), longest));
        let long = tries
            .iter()
            .flatten()
            .find(|path| length(path) >= 2.0 * settings.face_radius);
        let longest = || {
            let all = tries.iter().flatten();
            all.max_by(|a, b| length(a).total_cmp(&length(b)))
        };
        let points = long.or_else(longest).cloned().ok_or_else(|| {
            no_window(
                "the places for the probe's face are narrower than the triangles of the skin"
                    .to_owned(),
            )
        })?;
        let length = length(&points);
        if length < shortest {
            return Err(no_window(format!(
                "the longest path on which the probe's face fits has {:.0} mm; a scan needs {:.0} mm",
                1e3 * length,
                1e3 * shortest
            )));
        }
        Ok(WindowPath {
            points,
            length,
            n_places,
        })
    }

    /// Whether the face may lie on each place.
    ///
    /// # Errors
    /// [`AnatomyError::NoWindow`] if it may lie on none, with what was in the way.
    fn free(&self, settings: &PathSettings) -> Result<Vec<bool>, AnatomyError> {
        let n = self.left.len();
        let step = self.left.get(1).map_or(0.005, |next| next - self.left[0]);
        let reach = (settings.face_radius / step).floor() as isize;
        let near_bone = |place: usize, middle: &Place| {
            let (row, column) = (place / n, place % n);
            let around = (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| (i, j)));
            let mut around = around.filter_map(|(i, j)| {
                let row = row
                    .checked_add_signed(i)
                    .filter(|row| *row < self.head.len())?;
                let column = column.checked_add_signed(j).filter(|column| *column < n)?;
                self.places[row * n + column].as_ref()
            });
            let centre = Vector3::from(middle.position);
            around.any(|own| {
                let far = (Vector3::from(own.position) - centre).norm();
                far <= settings.face_radius && own.bone < settings.bone_depth
            })
        };
        let mut counts = [0; 5];
        let mut is_free = vec![false; self.places.len()];
        for (index, place) in self.places.iter().enumerate() {
            let Some(place) = place else { continue };
            let mut obstacle = settings.obstacle(place);
            if obstacle.is_none() && near_bone(index, place) {
                obstacle = Some(Obstacle::Bone);
            }
            match obstacle {
                None => is_free[index] = true,
                Some(obstacle) => counts[obstacle as usize] += 1,
            }
        }
        if is_free.contains(&true) {
            return Ok(is_free);
        }
        let [_, blocked, bone, cut, edge] = counts;
        let degrees = settings.most_tilt.to_degrees();
        let reason = if blocked + bone + cut + edge == 0 {
            "the organ is not below the skin of the front, within reach".to_owned()
        } else {
            format!(
                "of {} places above the organ, {blocked} have bone, gas or a tilt above {degrees:.0} degrees in the way, {bone} have bone below the face within {:.0} mm, {cut} are at a plane that cuts the body off, and {edge} are outside of the torso",
                blocked + bone + cut + edge,
                1e3 * settings.bone_depth
            )
        };
        Err(AnatomyError::NoWindow {
            organ: self.organ.clone(),
            reason,
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

/// The path between the ends of the largest region of some vertices.
fn graph_path(skin: &TriangleMesh, is_on: &[bool], longest: f64) -> Option<Vec<[f64; 3]>> {
    let graph = GeodesicGraph::new(skin, |triangle| {
        let corners = skin.triangles[triangle];
        corners.iter().all(|vertex| is_on[*vertex as usize])
    });
    let (from, to) = ends(&graph, longest)?;
    graph.path(&from, to)
}

/// Whether each of the vertices is in the core of the largest region: at least a share as far from the rim as the innermost one.
fn core(graph: &GeodesicGraph<'_>, n: usize, share: f64) -> Vec<bool> {
    let mut is_core = vec![false; n];
    let regions = graph.regions();
    let Some(region) = largest(&regions) else {
        return is_core;
    };
    let from_rim = graph.distances_from(&graph.rim());
    let most = region.iter().map(|vertex| from_rim.to(*vertex));
    let most = most.fold(0.0, f64::max);
    for vertex in region {
        is_core[*vertex as usize] = from_rim.to(*vertex) >= share * most;
    }
    is_core
}

/// The region with the most vertices; of equal ones the first.
fn largest(regions: &[Vec<u32>]) -> Option<&Vec<u32>> {
    regions.iter().rev().max_by_key(|region| region.len())
}

/// The ends of the path: of the largest region the place that is farthest from another one, and the one that is farthest from that.
fn ends(graph: &GeodesicGraph<'_>, longest: f64) -> Option<(Distances, u32)> {
    let regions = graph.regions();
    let region = largest(&regions)?;
    let start = graph.distances(region[0]);
    let from = farthest(&start, region, f64::INFINITY)?;
    let distances = graph.distances(from);
    let to = farthest(&distances, region, longest)?;
    Some((distances, to))
}

/// The vertex of a region that is farthest away, but not farther than `most` [m].
fn farthest(distances: &Distances, region: &[u32], most: f64) -> Option<u32> {
    let near = region
        .iter()
        .copied()
        .filter(|vertex| distances.to(*vertex) <= most);
    near.max_by(|a, b| distances.to(*a).total_cmp(&distances.to(*b)).then(b.cmp(a)))
}

fn length(points: &[[f64; 3]]) -> f64 {
    let pairs = points.windows(2);
    pairs
        .map(|pair| (Vector3::from(pair[1]) - Vector3::from(pair[0])).norm())
        .sum()
}
