//! Places of a map on which the face of a probe may lie.

use nalgebra::Vector3;

use super::{PathSettings, Place, WindowMap};
use crate::AnatomyError;

/// Free places around a blocked one, of eight, from which on it counts as a gap.
const MOST_SIDES: usize = 5;

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
            () if !is_within || place.normal[2] < self.least_front => Some(Obstacle::Edge),
            () => None,
        }
    }
}

impl WindowMap {
    /// Whether the face may lie on each place.
    ///
    /// # Errors
    /// [`AnatomyError::Setting`]: a setting is outside of its range. [`AnatomyError::NoWindow`] if it may lie on none, with what was in the
    /// way.
    pub fn free(&self, settings: &PathSettings) -> Result<Vec<bool>, AnatomyError> {
        settings.check()?;
        let mut counts = [0; 5];
        let [mut is_free, mut is_blocked] = [(); 2].map(|()| vec![false; self.places.len()]);
        for (index, place) in self.places.iter().enumerate() {
            let Some(place) = place else { continue };
            let mut obstacle = settings.obstacle(place);
            if obstacle.is_none() && self.bone_share(index, place, settings) > settings.most_bone {
                obstacle = Some(Obstacle::Bone);
            }
            match obstacle {
                None => is_free[index] = true,
                Some(obstacle) => counts[obstacle as usize] += 1,
            }
            is_blocked[index] = obstacle == Some(Obstacle::Blocked);
        }
        if is_free.contains(&true) {
            return Ok(self.without_gaps(&is_free, &is_blocked));
        }
        let [_, blocked, bone, cut, edge] = counts;
        let degrees = settings.most_tilt.to_degrees();
        let all = blocked + bone + cut + edge;
        let reason = if all == 0 {
            "the organ is not below the skin of the front, within reach".to_owned()
        } else {
            format!(
                "of {all} places above the organ, {blocked} have bone, gas or a tilt above {degrees:.0} degrees in the way, {bone} have bone below the face within {:.0} mm, {cut} are at a plane that cuts the body off, and {edge} are outside of the front of the torso",
                1e3 * settings.bone_depth
            )
        };
        Err(self.no_window(reason))
    }

    /// Free places, with the blocked ones that have free places on most sides: rays just pass or meet the corners of voxels.
    fn without_gaps(&self, is_free: &[bool], is_blocked: &[bool]) -> Vec<bool> {
        let n = self.left.len();
        let n_free_around = |index: usize| {
            let (row, column) = (index / n, index % n);
            let rows = row.saturating_sub(1)..=(row + 1).min(self.head.len() - 1);
            let around = rows.flat_map(|row| {
                let columns = column.saturating_sub(1)..=(column + 1).min(n - 1);
                columns.map(move |column| row * n + column)
            });
            around.filter(|index| is_free[*index]).count()
        };
        let is_gap = |index: usize| is_blocked[index] && n_free_around(index) >= MOST_SIDES;
        (0..is_free.len())
            .map(|index| is_free[index] || is_gap(index))
            .collect()
    }

    /// Area of the skin on which the face may lie [m²].
    pub fn area(&self, is_free: &[bool]) -> f64 {
        let cell = self.step().powi(2);
        let places = self.places.iter().zip(is_free);
        let free = places.filter_map(|(place, is_free)| place.as_ref().filter(|_| *is_free));
        free.map(|place| cell / place.normal[2]).sum()
    }

    /// Share of the places below the face that have a bone near the skin.
    fn bone_share(&self, index: usize, middle: &Place, settings: &PathSettings) -> f64 {
        let n = self.left.len();
        let reach = (settings.face_radius / self.step()).floor() as isize;
        let (row, column) = (index / n, index % n);
        let centre = Vector3::from(middle.position);
        let (mut n_below, mut n_bone) = (0.0, 0.0);
        for (i, j) in (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| (i, j))) {
            let row = row
                .checked_add_signed(i)
                .filter(|own| *own < self.head.len());
            let column = column.checked_add_signed(j).filter(|own| *own < n);
            let (Some(row), Some(column)) = (row, column) else {
                continue;
            };
            let Some(place) = &self.places[row * n + column] else {
                continue;
            };
            if (Vector3::from(place.position) - centre).norm() <= settings.face_radius {
                n_below += 1.0;
                n_bone += f64::from(u8::from(place.bone < settings.bone_depth));
            }
        }
        n_bone / n_below
    }

    /// Distance of the places [m].
    pub(super) fn step(&self) -> f64 {
        self.left.get(1).map_or(0.005, |next| next - self.left[0])
    }

    pub(super) fn no_window(&self, reason: String) -> AnatomyError {
        AnatomyError::NoWindow {
            organ: self.organ.clone(),
            reason,
        }
    }
}
