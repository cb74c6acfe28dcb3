//! Contract: a condensed body answers tools as the whole of its finite elements does, sideways too; it is a Kelvin–Voigt solid with Coulomb
//! friction; its forces balance; and it continues from a saved state.

use std::sync::Arc;

use insonate_tissue::SoftTissue;
use insonate_tissue::condensed::{Condensed, CondensedBody, CondensedModel, Layer};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

const MODULUS: f64 = 3e4;
const POISSON: f64 = 0.4;
const HEIGHT: f64 = 0.08;
const STEP: f64 = 0.002;

/// A box of 16 × 16 × 8 cm on the plane z = 0.
fn block(n: usize) -> TetMesh {
    let mut mesh =
        TetMesh::cuboid([HEIGHT, HEIGHT, 0.5 * HEIGHT], HEIGHT / n as f64).expect("a small mesh");
    for position in &mut mesh.positions {
        position[2] += 0.5 * HEIGHT;
    }
    mesh
}

fn lower(mesh: &TetMesh) -> Vec<u32> {
    (0..mesh.positions.len() as u32)
        .filter(|&i| mesh.positions[i as usize][2] < 1e-9)
        .collect()
}

fn model(n: usize) -> Arc<CondensedModel> {
    let mesh = block(n);
    Arc::new(
        CondensedModel::new(CondensedBody {
            fixed: lower(&mesh),
            mesh,
            poisson_ratio: POISSON,
            factors: Vec::new(),
            sample_spacing: 0.002,
        })
        .expect("a valid body"),
    )
}

/// Thickness of the layer [m], and the part of it that determines its stiffness for small displacements.
const THICKNESS: f64 = 0.003;
const PART: f64 = 0.3;

fn layer() -> Layer {
    Layer::new(THICKNESS, PART, MODULUS, POISSON)
}

/// Pressure of that layer at a compression [m], which ends at its thickness [Pa].
fn pressure(compression: f64) -> f64 {
    let law = |x: f64| MODULUS / PART * x / (1.0 - x);
    let (part, end) = (compression / THICKNESS, 0.8);
    if part < end {
        return law(part);
    }
    let slope = (law(end + 1e-6) - law(end - 1e-6)) / 2e-6;
    law(end) + slope * (part - end)
}

/// A body under a ball of a radius [m] that touches the skin, on a table.
fn stand(
    model: &Arc<CondensedModel>,
    damping_time: f64,
    friction: f64,
    shape: Shape,
    above: f64,
) -> Condensed {
    let mut body =
        Condensed::new(model.clone(), MODULUS, damping_time, layer()).expect("valid constants");
    let table = Tool {
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    };
    let ball = Tool {
        friction,
        position: Vector3::z() * (HEIGHT + above),
        ..Tool::new(shape)
    };
    body.tools_mut().extend([table, ball]);
    body
}

const BALL: Shape = Shape::Sphere { radius: 0.04 };
const PUNCH: Shape = Shape::Cylinder {
    radius: 0.02,
    half_length: 0.01,
};

/// Moves the tool by a distance [m] in a number of steps and returns the force on it [N].
fn push(body: &mut Condensed, by: Vector3<f64>, n_steps: usize) -> Vector3<f64> {
    body.tools_mut()[1].linear = by / (n_steps as f64 * STEP);
    for _ in 0..n_steps {
        body.step(STEP).expect("stable");
    }
    body.tools_mut()[1].linear = Vector3::zeros();
    body.wrench(1).force
}

/// Parts of an edge of a triangle in the oracle's grid.
const PARTS: usize = 16;

/// Force on a tool by descent on the energy of all vertices: the strain energy of each tetrahedron by Hooke's law, and the energy of the layer at
/// points of a fine grid on the upper side.
struct Oracle {
    mesh: TetMesh,
    free: Vec<bool>,
}

impl Oracle {
    fn new(n: usize) -> Self {
        let mesh = block(n);
        let free = mesh.positions.iter().map(|p| p[2] > 1e-9).collect();
        Self { mesh, free }
    }

    /// Gradient of the energy [N], and the force on the tool [N]. With a shear stiffness the skin sticks to the tool where it was below it at
    /// rest, with the punch on the skin at x = y = 0.
    fn gradient(
        &self,
        u: &[Vector3<f64>],
        tool: &Tool,
        shear: f64,
    ) -> (Vec<Vector3<f64>>, Vector3<f64>) {
        let mut gradient = vec![Vector3::zeros(); u.len()];
        let (mu, lambda) = (
            MODULUS / (2.0 * (1.0 + POISSON)),
            MODULUS * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)),
        );
        for (index, tet) in self.mesh.tets.iter().enumerate() {
            let [a, b, c, d] = self.mesh.corners(index);
            let rest = Matrix3::from_columns(&[b - a, c - a, d - a]);
            let [p, q, r, s] = tet.map(|i| u[i as usize]);
            let moved = Matrix3::from_columns(&[q - p, r - p, s - p]);
            let inverse = rest.try_inverse().expect("a real tetrahedron");
            let h = moved * inverse;
            let strain = (h + h.transpose()) * 0.5;
            let stress = strain * (2.0 * mu) + Matrix3::identity() * (lambda * strain.trace());
            let forces = stress * inverse.transpose() * (rest.determinant() / 6.0);
            for k in 0..3 {
                let force: Vector3<f64> = forces.column(k).into();
                gradient[tet[k + 1] as usize] += force;
                gradient[tet[0] as usize] -= force;
            }
        }
        let mut on_tool = Vector3::zeros();
        let boundary = self.mesh.boundary();
        for triangle in &boundary.surface.triangles {
            let corners = triangle.map(|i| boundary.vertices[i as usize] as usize);
            let rest = corners.map(|i| Vector3::from(self.mesh.positions[i]));
            if rest.iter().any(|p| p.z < HEIGHT - 1e-9) {
                continue;
            }
            let area = 0.5 * (rest[1] - rest[0]).cross(&(rest[2] - rest[0])).norm();
            let now: [Vector3<f64>; 3] = std::array::from_fn(|k| rest[k] + u[corners[k]]);
            let mut weights = Vec::new();
            for i in 0..PARTS {
                for j in 0..PARTS - i {
                    for offset in [1.0 / 3.0, 2.0 / 3.0] {
                        let (a, b) = (
                            (i as f64 + offset) / PARTS as f64,
                            (j as f64 + offset) / PARTS as f64,
                        );
                        if a + b < 1.0 - 1e-9 {
                            weights.push([a, b, 1.0 - a - b]);
                        }
                    }
                }
            }
            let part = area / weights.len() as f64;
            for weights in &weights {
                let point: Vector3<f64> = (0..3).map(|k| now[k] * weights[k]).sum();
                let found = tool.shape.surface(&(point - tool.position));
                if found.distance < 0.0 {
                    let at_rest: Vector3<f64> = (0..3).map(|k| rest[k] * weights[k]).sum();
                    let start = Vector3::z() * (HEIGHT + 0.01);
                    let slip = (point - at_rest) - (tool.position - start);
                    let along = slip - found.normal * found.normal.dot(&slip);
                    let force = (found.normal * -pressure(-found.distance) + along * shear) * part;
                    // The gradient of the energy is the force on the tool.
                    on_tool += force;
                    for k in 0..3 {
                        gradient[corners[k]] += force * weights[k];
                    }
                }
            }
        }
        for (gradient, free) in gradient.iter_mut().zip(&self.free) {
            if !free {
                *gradient = Vector3::zeros();
            }
        }
        (gradient, on_tool)
    }

    /// Force on the last of the tools [N], which follow each other.
    fn force(&self, tools: &[Tool], shear: f64) -> Vector3<f64> {
        let mut u = vec![Vector3::zeros(); self.mesh.positions.len()];
        tools.iter().fold(Vector3::zeros(), |_, tool| {
            self.balance(&mut u, tool, shear)
        })
    }

    /// Displacements of least energy: conjugate gradients (Polak–Ribière) with a secant search along each direction.
    fn balance(&self, u: &mut [Vector3<f64>], tool: &Tool, shear: f64) -> Vector3<f64> {
        let dot = |a: &[Vector3<f64>], b: &[Vector3<f64>]| {
            a.iter().zip(b).map(|(a, b)| a.dot(b)).sum::<f64>()
        };
        let along = |u: &[Vector3<f64>], d: &[Vector3<f64>], length: f64| -> Vec<Vector3<f64>> {
            u.iter().zip(d).map(|(u, d)| u + d * length).collect()
        };
        let (mut gradient, mut force) = self.gradient(u, tool, shear);
        let mut direction: Vec<_> = gradient.iter().map(|g| -g).collect();
        let start = dot(&gradient, &gradient);
        for _ in 0..3000 {
            let mut slope = dot(&gradient, &direction);
            let mut length = 0.0;
            let mut probe = 1e-7 / dot(&direction, &direction).sqrt();
            for _ in 0..3 {
                let next = dot(
                    &self
                        .gradient(&along(u, &direction, length + probe), tool, shear)
                        .0,
                    &direction,
                );
                let change = -slope * probe / (next - slope);
                if !change.is_finite() {
                    break;
                }
                length += change;
                slope = dot(
                    &self.gradient(&along(u, &direction, length), tool, shear).0,
                    &direction,
                );
                probe = 0.01 * change;
                if slope.abs() < 1e-3 * dot(&gradient, &direction).abs() {
                    break;
                }
            }
            u.copy_from_slice(&along(u, &direction, length));
            let (next, felt) = self.gradient(u, tool, shear);
            let beta = (dot(&next, &next) - dot(&next, &gradient)) / dot(&gradient, &gradient);
            for (d, g) in direction.iter_mut().zip(&next) {
                *d = *d * beta.max(0.0) - g;
            }
            (gradient, force) = (next, felt);
            if dot(&gradient, &gradient) < 1e-10 * start {
                return force;
            }
        }
        panic!("no balance: {force:?}");
    }
}

#[test]
fn a_press_is_that_of_the_whole_mesh() {
    let n = 3;
    let depth = 0.006;
    let mut body = stand(&model(n), 0.0, 0.0, BALL, 0.04);
    let force = push(&mut body, Vector3::z() * -depth, 20).z;
    let tool = Tool {
        position: Vector3::z() * (HEIGHT + 0.04 - depth),
        ..Tool::new(BALL)
    };
    let whole = Oracle::new(n).force(&[tool], 0.0).z;
    println!("condensed {force:.4} N, whole mesh {whole:.4} N");
    // The sample points differ.
    assert!((force / whole - 1.0).abs() < 0.01, "{force} {whole}");
}

#[test]
fn sideways_the_skin_resists_as_the_whole_mesh_does() {
    let n = 3;
    let (depth, aside) = (0.004, 0.002);
    let mut body = stand(&model(n), 0.0, 10.0, PUNCH, 0.01);
    let pressed = push(&mut body, Vector3::z() * -depth, 20).z;
    let force = push(&mut body, Vector3::x() * aside, 20);
    // In small moves, so that points at the punch's edge stay below its face.
    let down = (1..=8).map(|part| Vector3::z() * (-depth * f64::from(part) / 8.0));
    let across = (1..=4).map(|part| Vector3::new(aside * f64::from(part) / 4.0, 0.0, -depth));
    let tools: Vec<Tool> = down
        .chain(across)
        .map(|moved| Tool {
            position: Vector3::z() * (HEIGHT + 0.01) + moved,
            ..Tool::new(PUNCH)
        })
        .collect();
    let whole = Oracle::new(n).force(&tools, layer().shear);
    println!("condensed {force:.3?} N, whole mesh {whole:.3?} N");
    assert!(
        (force - whole).norm() < 0.02 * whole.norm(),
        "{force} {whole}"
    );
    // A half-space that is bonded to a disc has 2 (1 − ν) / (2 − ν) = 0.75 of the normal stiffness sideways (Mindlin 1949; Johnson 1985,
    // Sec. 7.2); a layer on a table and the layer of the contact have less.
    let ratio = (-force.x / aside) / (pressed / depth);
    assert!((0.45..0.75).contains(&ratio), "{ratio}");
}

#[test]
fn the_force_of_a_press_has_the_damping_of_a_kelvin_voigt_solid() {
    let (tau, depth, speed) = (0.0133, 0.005, 0.05);
    let n_steps = (depth / speed / STEP).round() as usize;
    let mut slow = stand(&model(4), 0.0, 0.0, PUNCH, 0.01);
    let mut fast = stand(&model(4), tau, 0.0, PUNCH, 0.01);
    let elastic = push(&mut slow, Vector3::z() * -depth, n_steps).z;
    let total = push(&mut fast, Vector3::z() * -depth, n_steps).z;
    // A flat punch keeps its contact: the force is k d + τ k v, the layer's compliance aside.
    let wanted = elastic * (1.0 + tau * speed / depth);
    println!("elastic {elastic:.3} N, at 5 cm/s {total:.3} N, wanted {wanted:.3} N");
    assert!((total / wanted - 1.0).abs() < 0.02, "{total} {wanted}");
    for _ in 0..100 {
        fast.step(STEP).expect("stable");
    }
    let held = fast.wrench(1).force.z;
    assert!((held / elastic - 1.0).abs() < 3e-3, "{held} {elastic}");
}

#[test]
fn a_dragged_ball_slides_with_coulomb_s_friction() {
    let mut body = stand(&model(4), 0.005, 0.3, BALL, 0.04);
    push(&mut body, Vector3::z() * -0.006, 20);
    let force = push(&mut body, Vector3::x() * 0.03, 300);
    // The skin in front of the ball rises, so that its normal force leans back a little.
    let ratio = -force.x / force.z;
    println!("drag {ratio:.3} of the normal force");
    assert!((0.28..0.4).contains(&ratio), "{ratio}");
}

#[test]
fn forces_and_torques_balance() {
    let mut body = stand(&model(4), 0.0133, 0.5, BALL, 0.04);
    body.tools_mut()[1].rotation = UnitQuaternion::from_euler_angles(0.2, 0.1, 0.3);
    push(&mut body, Vector3::new(0.004, -0.002, -0.006), 30);
    let (table, ball) = (body.wrench(0), body.wrench(1));
    let arm = body.tools_mut()[1].position - body.tools_mut()[0].position;
    assert!(ball.force.z > 1.0);
    assert!((table.force + ball.force).norm() < 1e-12 * ball.force.norm());
    assert!((table.torque + ball.torque + arm.cross(&ball.force)).norm() < 1e-12);
    // Pressures over areas are the wrench.
    let sum: Vector3<f64> = body
        .contacts()
        .iter()
        .map(|contact| contact.traction * contact.area)
        .sum();
    assert!((sum + ball.force).norm() < 1e-9 * ball.force.norm());
}

#[test]
fn released_tissue_returns_to_its_shape() {
    let mut body = stand(&model(4), 0.0133, 0.5, BALL, 0.04);
    let rest = body.positions();
    push(&mut body, Vector3::z() * -0.01, 30);
    let deepest = |body: &Condensed| {
        let moved = body.positions();
        moved
            .iter()
            .zip(&rest)
            .map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm())
            .fold(0.0, f64::max)
    };
    assert!(deepest(&body) > 0.006);
    push(&mut body, Vector3::z() * 0.02, 200);
    assert_eq!(body.wrench(1).force, Vector3::zeros());
    assert!(deepest(&body) < 1e-6);
}

/// Deeper than the elements are wide, the neighbouring skin wraps around the tool, and the force grows without a jump.
#[test]
fn a_press_of_half_the_height_is_smooth() {
    let finger = Shape::Capsule {
        radius: 0.015,
        half_length: 0.05,
    };
    let mut body = stand(&model(4), 0.0133, 0.5, finger, 0.065);
    let mut forces = vec![0.0];
    for _ in 0..100 {
        let force = push(&mut body, Vector3::z() * -0.0004, 10);
        forces.push(force.z);
    }
    let jumps = forces.windows(2).map(|pair| pair[1] - pair[0]);
    let (least, most) = jumps.fold((f64::MAX, 0.0_f64), |(least, most), jump| {
        (least.min(jump), most.max(jump))
    });
    println!("{} N at 40 mm; {least} to {most} N in 0.4 mm", forces[100]);
    let mean = forces[100] / 100.0;
    assert!(least > 0.0 && most < 3.0 * mean, "{least} {most} {mean}");
}

#[test]
fn a_saved_state_continues_with_the_same_bits() {
    let model = model(4);
    let mut body = stand(&model, 0.0133, 0.5, BALL, 0.04);
    push(&mut body, Vector3::new(0.001, 0.0, -0.004), 15);
    let saved = body.save();
    let mut other = stand(&model, 0.0133, 0.5, BALL, 0.04);
    other.tools_mut()[1] = body.tools_mut()[1].clone();
    other.restore(&saved).expect("a state of this body");
    for body in [&mut body, &mut other] {
        push(body, Vector3::new(0.003, 0.001, -0.002), 15);
    }
    assert_eq!(body.save(), other.save());
    assert_eq!(body.wrench(1), other.wrench(1));
    assert_eq!(body.positions(), other.positions());
    for length in [0, 7, 30, saved.len() - 1] {
        assert!(other.restore(&saved[..length]).is_err());
    }
    let problem = stand(&self::model(3), 0.0, 0.0, BALL, 0.04)
        .restore(&saved)
        .expect_err("another body");
    assert!(
        problem.to_string().contains("vertices of the skin"),
        "{problem}"
    );
}

#[test]
fn invalid_bodies_are_refused() {
    let mesh = block(2);
    let valid = CondensedBody {
        fixed: lower(&mesh),
        mesh,
        poisson_ratio: POISSON,
        factors: Vec::new(),
        sample_spacing: 0.004,
    };
    let refused = |body: CondensedBody| {
        CondensedModel::new(body)
            .expect_err("it is invalid")
            .to_string()
    };
    let loose = refused(CondensedBody {
        fixed: Vec::new(),
        ..valid.clone()
    });
    assert!(loose.contains("hold"), "{loose}");
    for (field, body) in [
        (
            "poisson_ratio",
            CondensedBody {
                poisson_ratio: 0.5,
                ..valid.clone()
            },
        ),
        (
            "factors",
            CondensedBody {
                factors: vec![1.0; 3],
                ..valid.clone()
            },
        ),
        (
            "fixed",
            CondensedBody {
                fixed: vec![1_000_000],
                ..valid.clone()
            },
        ),
        (
            "sample_spacing",
            CondensedBody {
                sample_spacing: f64::NAN,
                ..valid.clone()
            },
        ),
    ] {
        let problem = refused(body);
        assert!(problem.contains(field), "{field}: {problem}");
    }
}
