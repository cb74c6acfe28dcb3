//! Contract: the raw calls return correct values, checked against algebra and finite differences.

#![expect(clippy::float_cmp, reason = "a capped distance is exactly the cap")]

use insonate_sim::{Physics, ffi};

const ARM: &str = "<mujoco><worldbody><geom name='wall' type='box' pos='2 0 0' size='0.1 1 1'/>
    <body name='a'><joint axis='0 0 1'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05'/>
    <body name='b' pos='0.5 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.3 0.1 0' size='0.05'/>
    <body name='c' pos='0.3 0.1 0'><joint axis='1 0 0.3'/><geom name='tip' size='0.1' pos='0 0.2 0'/>
    </body></body></body></worldbody></mujoco>";

fn arm(qpos: [f64; 3]) -> Physics {
    let mut physics = Physics::from_xml(ARM).expect("the scene is valid");
    physics.qpos_mut().copy_from_slice(&qpos);
    physics.forward();
    physics
}

/// World position of the point at `local` in body `c` and the rotation of `c`, row-major.
fn point_of_c(physics: &Physics, local: [f64; 3]) -> ([f64; 3], [f64; 9]) {
    let (position, rotation) = (physics.data().xpos()[3], physics.data().xmat()[3]);
    let world = |row: usize| {
        position[row]
            + (0..3)
                .map(|col| rotation[3 * row + col] * local[col])
                .sum::<f64>()
    };
    ([world(0), world(1), world(2)], rotation)
}

#[test]
fn jacobian_equals_finite_difference() {
    let (qpos, local, h) = ([0.3, -0.7, 1.1], [0.1, 0.2, -0.3], 1e-6);
    let physics = arm(qpos);
    let (point, _) = point_of_c(&physics, local);
    let (mut jacp, mut jacr) = (vec![0.0; 9], vec![0.0; 9]);
    ffi::jac_point(physics.data(), &point, 3, &mut jacp, &mut jacr);
    for dof in 0..3 {
        let shifted = |sign: f64| {
            let mut qpos = qpos;
            qpos[dof] += sign * h;
            point_of_c(&arm(qpos), local)
        };
        let ((plus, rotation_plus), (minus, rotation_minus)) = (shifted(1.0), shifted(-1.0));
        // Rdot R^T = [w]x, so w = (S21, S02, S10).
        let rate = |row: usize, col: usize| {
            (0..3)
                .map(|k| {
                    (rotation_plus[3 * row + k] - rotation_minus[3 * row + k]) / (2.0 * h)
                        * physics.data().xmat()[3][3 * col + k]
                })
                .sum::<f64>()
        };
        let omega = [rate(2, 1), rate(0, 2), rate(1, 0)];
        for row in 0..3 {
            let velocity = (plus[row] - minus[row]) / (2.0 * h);
            assert!((jacp[3 * row + dof] - velocity).abs() < 1e-8);
            assert!((jacr[3 * row + dof] - omega[row]).abs() < 1e-8);
        }
    }
}

#[test]
fn solving_undoes_multiplying_for_several_vectors() {
    let mut physics = arm([0.3, -0.7, 1.1]);
    let vectors = [1.0, 2.0, -0.5, 0.25, -4.0, 3.0];
    let mut forces = [0.0; 6];
    let mut inertia = [0.0; 9];
    physics.data().full_m(&mut inertia).unwrap();
    for (force, vector) in forces.chunks_mut(3).zip(vectors.chunks(3)) {
        for (force, row) in force.iter_mut().zip(inertia.chunks(3)) {
            *force = row.iter().zip(vector).map(|(m, x)| m * x).sum();
        }
    }
    let mut solved = [0.0; 6];
    ffi::solve_m(physics.data_mut(), &mut solved, &forces);
    for (solved, vector) in solved.iter().zip(vectors) {
        assert!((solved - vector).abs() < 1e-10);
    }
}

#[test]
fn geom_distance_of_a_sphere_and_a_wall() {
    let mut physics = arm([0.0, 0.0, 0.0]);
    let tip = physics.data().geom_xpos()[3];
    let (distance, segment) = ffi::geom_distance(physics.data_mut(), [3, 0], 10.0);
    // The wall's near side is at x = 1.9; the sphere's radius is 0.1.
    assert!((distance - (1.9 - tip[0] - 0.1)).abs() < 1e-6, "{distance}");
    assert!((segment[3] - 1.9).abs() < 1e-6);
    assert_eq!(ffi::geom_distance(physics.data_mut(), [3, 0], 0.5).0, 0.5);
}

#[test]
fn the_schema_lists_mjcf() {
    let schema = ffi::schema_text().unwrap();
    for word in [
        "mujoco",
        "compiler",
        "solreffriction",
        "flexcomp",
        "keyframe",
    ] {
        assert!(schema.contains(word), "{word}");
    }
}
