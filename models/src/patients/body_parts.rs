//! Head, arms and legs of a patient: rigid, with meshes for rendering and a few capsules for collision.

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use super::figure::Figure;
use super::physique::Physique;
use crate::mjcf::{Body, Geom, Material, Mesh, Mjcf};

/// Colours of skin, hair and clothes.
const SKIN: [f64; 4] = [0.85, 0.65, 0.54, 1.0];
const HAIR: [f64; 4] = [0.2, 0.14, 0.1, 1.0];
const CLOTH: [f64; 4] = [0.27, 0.36, 0.46, 1.0];
/// Cell sizes of the grids from which the meshes are made [m].
const COARSE: f64 = 0.011;
const MIDDLE: f64 = 0.007;
const FINE: f64 = 0.0055;
/// Distance to the soft skin below which rigid skin is moved inward, and greatest displacement [m].
const NEAR: f64 = 0.02;
const DIVE: f64 = 0.007;
/// Depth below the soft skin at which rigid skin is cut off [m].
const HIDDEN: f64 = 0.003;
/// Depth of the rigid skin below the soft one where the soft one ends [m], and the distance over which it increases to [`DIVE`] [m].
const SEAM: f64 = 0.0008;
const SEAM_WIDTH: f64 = 0.03;

/// Adds materials and meshes to the assets, and returns the body that carries them.
pub(crate) fn body_parts(physique: &Physique, mjcf: &mut Mjcf) -> Body {
    let figure = Figure::new(physique);
    for (name, rgba, specular) in [
        ("limbs", SKIN, 0.12),
        ("hair", HAIR, 0.1),
        ("cloth", CLOTH, 0.03),
    ] {
        mjcf.asset().add(
            Material::new(name)
                .rgba(rgba)
                .specular(specular)
                .shininess(0.25),
        );
    }
    let mut body = Body::new("body_parts");
    for (name, material, surface) in surfaces(&figure) {
        mjcf.asset().add(
            Mesh::of_surface(name, &surface.mesh)
                .normal(surface.normals)
                .set("inertia", "shell"),
        );
        body = body.with(
            Geom::mesh(name)
                .material(material)
                .contype(0)
                .conaffinity(0)
                .group(2),
        );
    }
    body.with_all(colliders(&figure))
}

/// A mesh with smooth normals, for rendering.
#[derive(Default)]
struct VisualMesh {
    mesh: TriangleMesh,
    /// Normals of the vertices, flat `[n, 3]`.
    normals: Vec<f64>,
}

impl VisualMesh {
    /// The zero surface of a field in a box, from a grid of cell size `cell` [m].
    fn of_field(
        room: [[f64; 3]; 2],
        cell: f64,
        field: impl Fn(&Vector3<f64>) -> f64,
        keep: impl Fn(&Vector3<f64>) -> bool,
        moved: impl Fn(Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        let mut mesh = TriangleMesh::isosurface(room, cell, &field);
        let wanted: Vec<bool> = mesh
            .positions
            .iter()
            .map(|&position| keep(&moved(position.into())))
            .collect();
        mesh.triangles
            .retain(|triangle| triangle.iter().any(|&vertex| wanted[vertex as usize]));
        mesh.remove_unused_vertices();
        let normals = mesh.positions.iter().flat_map(|&position| {
            let slope = slope(&field, &position.into());
            let normal = slope.try_normalize(1e-9).unwrap_or_else(Vector3::z);
            // Three decimals keep the document short.
            <[f64; 3]>::from(normal).map(|x| (x * 1e3).round() / 1e3)
        });
        Self {
            normals: normals.collect(),
            mesh: mesh.map(|position| moved(position.into()).into()),
        }
    }

    fn append(&mut self, other: Self) {
        let first = self.mesh.positions.len() as u32;
        self.mesh.positions.extend(other.mesh.positions);
        let triangles = other.mesh.triangles.into_iter();
        self.mesh
            .triangles
            .extend(triangles.map(|triangle| triangle.map(|vertex| vertex + first)));
        self.normals.extend(other.normals);
    }
}

/// Gradient of a field.
fn slope(field: impl Fn(&Vector3<f64>) -> f64, point: &Vector3<f64>) -> Vector3<f64> {
    const STEP: f64 = 5e-4;
    Vector3::from_fn(|axis, _| {
        let [mut before, mut after] = [*point; 2];
        before[axis] -= STEP;
        after[axis] += STEP;
        (field(&after) - field(&before)) / (2.0 * STEP)
    })
}

/// Name, material and surface of the rendered meshes, in the torso's frame.
fn surfaces(figure: &Figure) -> [(&'static str, &'static str, VisualMesh); 3] {
    let body = |point: &Vector3<f64>| figure.body(point);
    let trunk = |point: &Vector3<f64>| figure.trunk.distance((*point).into());
    let at = |y: f64| figure.notch([0.0, y, 0.0]).y;
    let (chin, wrists, fingers) = (at(0.06), at(-0.61), at(-0.84));
    let crown = at(0.36);
    let feet = figure.crotch([0.0, -0.93, 0.0]).y;
    let waistband = figure.crotch([0.0, 0.06, 0.0]).y;
    let side = figure.arm_reach();
    let high = figure.scaled(0.33);
    let hands = figure.scaled(0.24);
    let boxed =
        |from: f64, to: f64, half_width: f64| [[-half_width, from, -0.01], [half_width, to, high]];
    let unmoved = |point: Vector3<f64>| point;
    // Where the trunk is on the surface, its soft skin is visible. There the rigid skin is moved below the soft one, and follows its relief.
    // Beyond the rims of the soft skin, only the rigid skin is there.
    let dive = |point: Vector3<f64>| {
        let near = 1.0 - trunk(&point).clamp(0.0, NEAR) / NEAR;
        if near == 0.0 {
            return point;
        }
        let outward = slope(trunk, &point).try_normalize(1e-9);
        let outward = outward.unwrap_or_else(Vector3::z);
        let below_rim = (figure.trunk.rim() - point.y.abs()) / SEAM_WIDTH;
        let depth = SEAM + (DIVE - SEAM) * below_rim.clamp(0.0, 1.0);
        let fading = (-below_rim.min(0.0).powi(2)).exp();
        let relief = figure.trunk.fine_relief(point.x, point.y) * fading * outward.z.max(0.0);
        let mut moved = point - outward * (depth * near * near);
        moved.z += relief * near;
        moved
    };
    let shows = |point: &Vector3<f64>| {
        let is_clothed = point.y > waistband && point.y < waistband + figure.scaled(0.09);
        let is_end = point.y > figure.trunk.rim() - 0.5 * SEAM_WIDTH;
        (is_end || trunk(point) > -HIDDEN) && !(is_clothed && point.x.abs() < 0.9 * hands)
    };
    // Head and hands have finer grids. Each grid overlaps the next, because meshes are open at the ends of their grids.
    let mut limbs = VisualMesh::of_field(
        boxed(feet, chin + COARSE, side),
        COARSE,
        body,
        |point| {
            let is_hand = point.y < wrists - COARSE && point.y > fingers && point.x.abs() > hands;
            !is_hand && shows(point)
        },
        dive,
    );
    limbs.append(VisualMesh::of_field(
        boxed(chin, crown, figure.scaled(0.12)),
        MIDDLE,
        body,
        |_| true,
        unmoved,
    ));
    for [from, to] in [[-side, -hands], [hands, side]] {
        let room = [[from, fingers, -0.01], [to, wrists, figure.scaled(0.09)]];
        limbs.append(VisualMesh::of_field(room, FINE, body, shows, unmoved));
    }
    let hips = figure.crotch([0.0, 0.14, 0.0]).y;
    let thighs = figure.crotch([0.0, -0.19, 0.0]).y;
    let shorts = VisualMesh::of_field(
        boxed(thighs, hips, side),
        0.75 * COARSE,
        |point| figure.trunks(point),
        |_| true,
        unmoved,
    );
    let [hair_side, hair_end] = figure.hair_extent();
    let hair = VisualMesh::of_field(
        boxed(at(hair_end), at(0.38), figure.scaled(hair_side)),
        FINE,
        |point| figure.hair(point),
        |_| true,
        unmoved,
    );
    [
        ("limbs", "limbs", limbs),
        ("hair", "hair", hair),
        ("shorts", "cloth", shorts),
    ]
}

/// Shapes for collision with the robot: capsules on both sides, and the head.
fn colliders(figure: &Figure) -> Vec<Geom> {
    let [_, upper, fore, wrist] = figure.arm_bones();
    let [thigh, _, _, shank] = figure.leg_bones();
    let mut geoms = vec![
        Geom::ellipsoid([0.078, 0.115, 0.1].map(|half| figure.scaled(half)))
            .name("head")
            .pos(figure.skull([0.0, 0.2, 0.148]).into()),
    ];
    let [[shoulder, _], [_, elbow]] = [figure.arm_bones()[0].capsule().0, upper.capsule().0];
    let [belly, hand] = [fore.capsule().0[0], wrist.capsule().0[1]];
    for (name, [from, to], radius) in [
        ("upper_arm", [shoulder, elbow], upper.capsule().1),
        ("forearm", [belly, hand], wrist.capsule().1),
        ("thigh", thigh.capsule().0, thigh.capsule().1),
        (
            "shank",
            [thigh.capsule().0[1], shank.capsule().0[1]],
            shank.capsule().1,
        ),
    ] {
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let place = |point: Vector3<f64>| [sign * point.x, point.y, point.z];
            geoms.push(
                Geom::capsule_between(place(from), place(to), radius)
                    .name(&format!("{name}_{side}")),
            );
        }
    }
    geoms
        .into_iter()
        .map(|geom| geom.contype(0).conaffinity(1).group(3))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patients::Sex;

    #[test]
    fn every_adult_has_a_rigid_head_limbs_and_shorts() {
        for physique in [
            Physique::default(),
            Physique::reference(Sex::Female),
            Physique::drawn(3),
        ] {
            let figure = Figure::new(&physique);
            let [limbs, hair, shorts] = surfaces(&figure).map(|(_, _, surface)| surface.mesh);
            for surface in [&limbs, &hair, &shorts] {
                surface.check_shape().expect("no triangle is degenerate");
            }
            let [low, high] = limbs.bounds();
            let length = high[1] - low[1];
            assert!((length / physique.height - 1.02).abs() < 0.06, "{length}");
            assert!(low[2] > -0.01 && high[0] < 0.36, "{low:?} {high:?}");
            // The middle of the trunk belongs to the soft skin.
            let over = limbs.highest_at(0.0, 0.0);
            assert!(over.is_none(), "{over:?}");
        }
    }
}
