//! Contract: the arm's Jacobian, inertia and bias equal MuJoCo's, and inverse kinematics brings the probe to the requested
//! pose within the joint limits, with the same result every time.

mod scene;

use insonate_sim::controllers::JointSpace;
use insonate_sim::ik::{self, IkConfig};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, Physics, Pose, SimError, ffi};
use nalgebra::Vector3;
use scene::{BED_TOP, Bed, Chain, PANDA, UR5E};

fn load(chain: &Chain) -> (Physics, Arm, ProbeFrame) {
    let physics = Physics::from_xml(&scene::xml(chain, Bed::default())).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    (physics, arm, probe)
}

#[test]
fn the_jacobian_is_mujocos() {
    for chain in [PANDA, UR5E] {
        let (physics, arm, probe) = load(&chain);
        let point = [0.1, -0.2, 1.3];
        let nv = ffi::nv(physics.data());
        let (mut jacp, mut jacr) = (vec![0.0; 3 * nv], vec![0.0; 3 * nv]);
        ffi::jac_point(physics.data(), &point, probe.body, &mut jacp, &mut jacr);
        let jacobian = arm.jacobian(&physics, &point.into(), probe.body);
        for (column, joint) in arm.joints.iter().enumerate() {
            for row in 0..3 {
                assert!((jacobian[(row, column)] - jacp[row * nv + joint.dof]).abs() < 1e-12);
                assert!((jacobian[(row + 3, column)] - jacr[row * nv + joint.dof]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn joints_beyond_the_point_do_not_move_it() {
    let (physics, arm, _) = load(&PANDA);
    // Body 4 is the third link, so joints 4 to 7 are beyond it.
    let jacobian = arm.jacobian(&physics, &Vector3::new(0.3, 0.4, 0.5), 5);
    assert!(jacobian.columns(0, 3).iter().any(|value| value.abs() > 0.1));
    assert!(jacobian.columns(3, 4).amax() < 1e-15);
}

#[test]
fn the_inertia_is_mujocos() {
    let (physics, arm, _) = load(&PANDA);
    let nv = ffi::nv(physics.data());
    let mut full = vec![0.0; nv * nv];
    physics.data().full_m(&mut full).unwrap();
    let inertia = JointSpace::new(&physics).unwrap().inertia;
    for (row, a) in arm.joints.iter().enumerate() {
        for (column, b) in arm.joints.iter().enumerate() {
            assert!(
                (inertia[row * arm.n_joints() + column] - full[a.dof * nv + b.dof]).abs() < 1e-12
            );
        }
    }
}

#[test]
fn the_bias_leaves_only_the_acceleration_of_damping() {
    let (mut physics, arm, _) = load(&PANDA);
    for (dof, rate) in [0.3, -0.2, 0.5, 0.4, -0.6, 0.2, 0.7]
        .into_iter()
        .enumerate()
    {
        physics.qvel_mut()[1 + dof] = rate;
    }
    physics.forward();
    let bias = arm.bias(&physics);
    assert!(
        bias.amax() > 1e-3,
        "the arm must move for this to mean anything"
    );
    let damping = arm.velocities(&physics) * 0.1;
    assert!(!arm.apply(&mut physics, (bias + damping).as_slice()));
    physics.forward();
    assert!(
        physics.data().qacc()[1..]
            .iter()
            .all(|qacc| qacc.abs() < 1e-9)
    );
}

#[test]
fn torques_are_cut_at_the_motors_limits() {
    let (mut physics, arm, _) = load(&PANDA);
    assert!(arm.apply(&mut physics, &[-500.0; 7]));
    let cut: Vec<f64> = PANDA.torques.iter().map(|limit| -limit).collect();
    assert_eq!(physics.ctrl(), cut);
}

#[test]
fn an_actuator_that_is_not_a_motor_is_named() {
    let xml = scene::xml(&PANDA, Bed::default()).replacen(
        "<motor name='robot/joint3' joint='robot/joint3' ctrlrange='-80 80' ctrllimited='true'/>",
        "<position name='servo' joint='robot/joint3'/>",
        1,
    );
    let error = Arm::new(Physics::from_xml(&xml).unwrap().model()).unwrap_err();
    assert!(
        matches!(&error, SimError::NotTorque { actuator } if actuator == "servo"),
        "{error}"
    );
}

#[test]
fn inverse_kinematics_reaches_poses_over_the_bed() {
    for chain in [PANDA, UR5E] {
        let (mut physics, arm, probe) = load(&chain);
        for (x, y, tilt) in [
            (0.0, 0.0, 0.0),
            (0.1, 0.12, 0.4),
            (-0.1, -0.15, -0.4),
            (0.0, 0.1, 0.3),
        ] {
            let down = Vector3::new(tilt, 0.3 * tilt, -1.0);
            let center = Vector3::new(x, y, BED_TOP + 0.02);
            let target = Pose::with_z_axis(center, down, Vector3::x());
            ik::place(&mut physics, &arm, &probe, &target).unwrap();
            let pose = probe.world_from_probe(&physics);
            assert!((pose.position - target.position).norm() < 1e-5);
            assert!(pose.rotation.angle_to(&target.rotation) < 1e-5);
            for (position, [low, high]) in arm.positions(&physics).iter().zip(&arm.position_range) {
                assert!(position >= low && position <= high);
            }
        }
    }
}

#[test]
fn inverse_kinematics_repeats_to_the_bit() {
    let (physics, arm, probe) = load(&UR5E);
    let target = Pose::with_z_axis(Vector3::new(0.1, 0.1, 1.0), -Vector3::z(), Vector3::x());
    let solve = || ik::solve(&physics, &arm, &probe, &target, &IkConfig::default()).unwrap();
    assert_eq!(solve(), solve());
}

#[test]
fn out_of_reach_is_an_error_with_the_distance() {
    let (mut physics, arm, probe) = load(&PANDA);
    let target = Pose::with_z_axis(Vector3::new(2.0, 0.0, 1.0), -Vector3::z(), Vector3::x());
    let error = ik::place(&mut physics, &arm, &probe, &target).unwrap_err();
    let SimError::Unreachable { position_error, .. } = error else {
        panic!("{error}")
    };
    assert!(position_error > 1.0, "{position_error}");
}
