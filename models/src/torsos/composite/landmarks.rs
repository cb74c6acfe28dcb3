//! Landmarks on the front of a human torso, as visible sites.

use insonate_meshes::TriangleMesh;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::mapping::{Rest, rotation_from_z};
use crate::mjcf::Site;

/// Name, position across and along the patient as fractions of the half sizes, radius [m].
type Mark = (&'static str, [f64; 2], f64);

/// For the trunk of a man. Its skin already has a navel.
pub(super) const MAN: [Mark; 2] = [
    ("nipple_right", [-0.62, 0.46], 0.0085),
    ("nipple_left", [0.62, 0.46], 0.0085),
];

/// For the shape `human`.
pub(super) const HUMAN: [Mark; 3] = [
    ("nipple_right", [-0.45, 0.42], 0.008),
    ("nipple_left", [0.45, 0.42], 0.008),
    ("navel", [0.0, -0.34], 0.007),
];

/// Half thickness of a mark, and height of its centre above the particles' surface, which makes it visible through the skin [m].
const THICKNESS: f64 = 0.0025;
const LIFT: f64 = 0.001;

/// A mark, and the index of the particle that it is attached to.
pub(super) struct Landmark {
    pub(super) particle: usize,
    pub(super) site: Site,
}

/// The landmarks on a surface in the torso's frame. The vertices of the surface are the particles.
pub(super) fn landmarks(
    marks: &[Mark],
    surface: &TriangleMesh,
    rest: &Rest,
    half: [f64; 3],
) -> Vec<Landmark> {
    let place = |(name, [across, along], radius): &Mark| {
        let point = surface.highest_at(across * half[0], along * half[2])?;
        let position = Vector3::from(point.position);
        let gap = |vertex: &[f64; 3]| (Vector3::from(*vertex) - position).norm();
        let (particle, vertex) = surface
            .positions
            .iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)))?;
        // The torso's x, y, z are the shell's x, -z, y.
        let [x, y, z]: [f64; 3] = (position - Vector3::from(*vertex)).into();
        let [w, i, j, k] = rotation_from_z(rest.axes[particle]);
        let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
        let offset = rotation.inverse_transform_vector(&Vector3::new(x, z, -y));
        let site = Site::new(name)
            .pos([offset.x, offset.y, offset.z + LIFT])
            .set("type", "ellipsoid")
            .set("size", [*radius, *radius, THICKNESS])
            .rgba([0.62, 0.36, 0.30, 1.0]);
        Some(Landmark { particle, site })
    };
    marks.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lattice::Lattice;
    use super::super::surface::surface;
    use super::*;
    use crate::mjcf::Element;
    use crate::torsos::{Shape, TorsoConfig};

    #[test]
    fn every_landmark_lies_within_a_cell_of_its_particle() {
        let config = TorsoConfig {
            shape: Shape::Human,
            ..TorsoConfig::default()
        };
        let lattice = Lattice::new(config.count);
        let rest = Rest::new(&config, &lattice);
        let found = landmarks(
            &HUMAN,
            &surface(&lattice, &rest, rest.depth()),
            &rest,
            config.half_size(),
        );
        assert_eq!(found.len(), HUMAN.len());
        for landmark in found {
            let site = Element::from(landmark.site);
            let offset = Vector3::from(site.array("pos").unwrap());
            assert!(offset.norm() < config.spacing, "{}", site.label());
            assert!(
                lattice.points[landmark.particle][1] == config.count[1] - 1,
                "on the front"
            );
        }
    }
}
