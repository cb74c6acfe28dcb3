//! Contract: OSC moves the probe according to its gains, wanted twist and wrench, joint impedance holds joints, and joint velocity moves
//! them, all within torque limits.

mod scene;

use insonate_sim::controllers::{
    Controller, JointImpedance, JointImpedanceConfig, JointVelocity, JointVelocityConfig, OscPose,
    OscPoseConfig, OscTarget, StiffnessFrame,
};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, Physics, Pose, Twist, Wrench, ik};
use nalgebra::{DVector, Vector3};
use scene::{BED_TOP, Bed, Chain, PANDA, UR5E};

/// The arm with its face 10 cm above the bed, pointing down.
fn above(chain: &Chain) -> (Physics, ProbeFrame, Pose) {
    let mut physics = Physics::from_xml(&scene::xml(chain, Bed::default())).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let center = Vector3::new(0.0, 0.0, BED_TOP + 0.1);
    let pose = Pose::with_z_axis(center, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).expect("the bed is in reach");
    (physics, probe, pose)
}

fn run(physics: &mut Physics, controller: &mut impl Controller, seconds: f64) {
    for _ in 0..(seconds / physics.timestep()).round() as usize {
        controller.control(physics);
        physics.step().expect("a controlled arm stays finite");
    }
}

#[test]
fn osc_holds_still_without_a_target() {
    for chain in [PANDA, UR5E] {
        let (mut physics, probe, pose) = above(&chain);
        let mut osc = OscPose::new(&physics, OscPoseConfig::default()).unwrap();
        run(&mut physics, &mut osc, 1.0);
        let now = probe.world_from_probe(&physics);
        assert!((now.position - pose.position).norm() < 1e-4);
        assert!(now.rotation.angle_to(&pose.rotation) < 1e-4);
    }
}

#[test]
fn osc_converges_to_a_pose() {
    for chain in [PANDA, UR5E] {
        for uncouple_pos_ori in [true, false] {
            let (mut physics, probe, pose) = above(&chain);
            let config = OscPoseConfig {
                uncouple_pos_ori,
                ..OscPoseConfig::default()
            };
            let mut osc = OscPose::new(&physics, config).unwrap();
            let goal = Pose::with_z_axis(
                pose.position + Vector3::new(0.06, -0.05, 0.04),
                Vector3::new(0.2, 0.1, -1.0),
                Vector3::new(1.0, 0.2, 0.0),
            );
            osc.set_target(&physics, OscTarget::Pose(goal));
            // With uncoupled inertias, position and orientation disturb each other and settle later than their own 0.3 s.
            run(&mut physics, &mut osc, 5.0);
            let now = probe.world_from_probe(&physics);
            assert!((now.position - goal.position).norm() < 1e-3);
            assert!(now.rotation.angle_to(&goal.rotation) < 1e-3);
        }
    }
}

#[test]
fn coupled_osc_follows_the_critically_damped_solution() {
    let (mut physics, probe, pose) = above(&PANDA);
    let config = OscPoseConfig {
        uncouple_pos_ori: false,
        ..OscPoseConfig::default()
    };
    let mut osc = OscPose::new(&physics, config).unwrap();
    let offset = Vector3::new(0.0, 0.03, 0.0);
    let goal = Pose {
        position: pose.position + offset,
        ..pose
    };
    osc.set_target(&physics, OscTarget::Pose(goal));
    let omega = 150.0_f64.sqrt();
    for _ in 0..40 {
        run(&mut physics, &mut osc, 0.01);
        let time = physics.time();
        let expected = 0.03 * (1.0 + omega * time) * (-omega * time).exp();
        let left = (goal.position - probe.world_from_probe(&physics).position).y;
        // The tolerance of half a millimetre covers joint damping (0.1 N·m·s/rad) and the 2 ms steps, which the formula ignores.
        assert!(
            (left - expected).abs() < 5e-4,
            "{time} s: {left} instead of {expected}"
        );
    }
}

#[test]
fn osc_deltas_are_scaled_and_cut() {
    let (physics, _, pose) = above(&PANDA);
    let mut osc = OscPose::new(&physics, OscPoseConfig::default()).unwrap();
    osc.set_target(&physics, OscTarget::Delta([1.0, -0.5, 7.0, 0.0, 0.0, 0.4]));
    let moved = osc.goal().position - pose.position;
    assert!((moved - Vector3::new(0.05, -0.025, 0.05)).norm() < 1e-5);
    let turned = (osc.goal().rotation * pose.rotation.inverse()).scaled_axis();
    assert!((turned - Vector3::new(0.0, 0.0, 0.2)).norm() < 1e-5);
}

#[test]
fn the_null_space_posture_comes_back_without_moving_the_probe() {
    let (mut physics, probe, pose) = above(&PANDA);
    let mut osc = OscPose::new(&physics, OscPoseConfig::default()).unwrap();
    let arm = Arm::new(physics.model()).unwrap();
    let posture = arm.positions(&physics);
    // A push on the elbow for 0.3 s.
    for _ in 0..150 {
        physics.xfrc_applied_mut()[6][1] = 30.0;
        run(&mut physics, &mut osc, 0.002);
    }
    physics.xfrc_applied_mut()[6][1] = 0.0;
    let pushed = (arm.positions(&physics) - &posture).amax();
    run(&mut physics, &mut osc, 3.0);
    assert!(
        pushed > 0.05,
        "the push must move the elbow for this to mean anything, {pushed}"
    );
    assert!((arm.positions(&physics) - &posture).amax() < 0.1 * pushed);
    assert!((probe.world_from_probe(&physics).position - pose.position).norm() < 1e-3);
}

#[test]
fn a_far_goal_saturates_the_motors_without_divergence() {
    let (mut physics, _, pose) = above(&PANDA);
    let mut osc = OscPose::new(&physics, OscPoseConfig::default()).unwrap();
    let goal = Pose {
        position: pose.position + Vector3::new(3.0, 0.0, 1.0),
        ..pose
    };
    osc.set_target(&physics, OscTarget::Pose(goal));
    for _ in 0..500 {
        run(&mut physics, &mut osc, 0.002);
        for (torque, limit) in physics.ctrl().iter().zip(PANDA.torques) {
            assert!(torque.abs() <= *limit);
        }
    }
}

#[test]
fn joint_impedance_converges_and_holds_against_a_push() {
    for chain in [PANDA, UR5E] {
        let (mut physics, _, _) = above(&chain);
        let arm = Arm::new(physics.model()).unwrap();
        let mut impedance = JointImpedance::new(&physics, JointImpedanceConfig::default()).unwrap();
        let goal = arm.positions(&physics).add_scalar(0.05);
        impedance.set_target(&physics, goal.clone());
        run(&mut physics, &mut impedance, 3.0);
        assert!((arm.positions(&physics) - &goal).amax() < 1e-3);
        // A steady torque on the first joint displaces it by torque / stiffness.
        let dof = arm.joints[0].dof;
        physics.data_mut().qfrc_applied_mut()[dof] = 4.0;
        run(&mut physics, &mut impedance, 3.0);
        let given = arm.positions(&physics)[0] - goal[0];
        assert!((given - 4.0 / 200.0).abs() < 1e-4, "{given}");
    }
}

#[test]
fn a_goal_that_moves_is_followed_without_lag_when_its_twist_is_given() {
    let velocity = Vector3::new(0.03, -0.02, 0.01);
    let lag = |goal_twist: Twist| {
        let (mut physics, probe, pose) = above(&PANDA);
        let mut osc = OscPose::new(&physics, OscPoseConfig::default()).unwrap();
        osc.goal_twist = goal_twist;
        let goal = |time: f64| Pose {
            position: pose.position + velocity * time,
            ..pose
        };
        for _ in 0..1000 {
            let now = goal(physics.time());
            osc.set_target(&physics, OscTarget::Pose(now));
            run(&mut physics, &mut osc, 0.002);
        }
        (goal(physics.time()).position - probe.world_from_probe(&physics).position).norm()
    };
    let without = lag(Twist::default());
    let with = lag(Twist {
        linear: velocity,
        angular: Vector3::zeros(),
    });
    // A critically damped spring lags by 2 v / sqrt(k).
    let expected = 2.0 * velocity.norm() / 150.0_f64.sqrt();
    assert!(
        (without - expected).abs() < 0.1 * expected,
        "{without} {expected}"
    );
    // The remaining lag is due to the joints' own damping.
    assert!(with < 0.1 * expected, "{with} {expected}");
}

#[test]
fn the_fed_forward_wrench_balances_a_push() {
    let (mut physics, probe, pose) = above(&PANDA);
    let config = OscPoseConfig {
        uncouple_pos_ori: false,
        ..OscPoseConfig::default()
    };
    let mut osc = OscPose::new(&physics, config).unwrap();
    let force = Vector3::new(4.0, -3.0, 10.0);
    let torque = Vector3::new(0.2, 0.1, -0.1);
    for (axis, value) in force.iter().chain(torque.iter()).enumerate() {
        physics.xfrc_applied_mut()[probe.body][axis] = *value;
    }
    let drift = |physics: &Physics| {
        let now = probe.world_from_probe(physics);
        (now.position - pose.position).norm() + now.rotation.angle_to(&pose.rotation)
    };
    run(&mut physics, &mut osc, 2.0);
    let given = drift(&physics);
    assert!(given > 5e-3, "{given}");
    for _ in 0..1000 {
        // The push acts at the body's centre of mass.
        let center = Vector3::from(physics.data().xipos()[probe.body]);
        let arm = center - probe.world_from_probe(&physics).position;
        osc.feed_forward = Wrench {
            force: -force,
            torque: -(torque + arm.cross(&force)),
        };
        run(&mut physics, &mut osc, 0.002);
    }
    assert!(drift(&physics) < 1e-4, "{} of {given}", drift(&physics));
}

#[test]
fn stiffness_follows_the_goals_axes() {
    let torques = |stiffness: [f64; 6], frame: StiffnessFrame| {
        let (mut physics, _, pose) = above(&PANDA);
        let config = OscPoseConfig {
            stiffness,
            stiffness_frame: frame,
            ..OscPoseConfig::default()
        };
        let mut osc = OscPose::new(&physics, config).unwrap();
        // The goal's x axis is the world's y, its y the world's x, its z down.
        let goal = Pose::with_z_axis(
            pose.position + Vector3::new(0.01, 0.02, -0.03),
            -Vector3::z(),
            Vector3::y(),
        );
        osc.set_target(&physics, OscTarget::Pose(goal));
        physics.qvel_mut()[1] = 0.1;
        physics.forward();
        osc.control(&mut physics);
        DVector::from_column_slice(physics.ctrl())
    };
    let in_goal = torques([100.0, 40.0, 10.0, 3.0, 2.0, 1.0], StiffnessFrame::Goal);
    let in_world = torques([40.0, 100.0, 10.0, 2.0, 3.0, 1.0], StiffnessFrame::World);
    assert!((&in_goal - in_world).amax() < 1e-9);
    let other = torques([100.0, 40.0, 10.0, 3.0, 2.0, 1.0], StiffnessFrame::World);
    assert!((in_goal - other).amax() > 0.1);
}

#[test]
fn joints_reach_their_velocities_independently() {
    for chain in [PANDA, UR5E] {
        let (mut physics, _, _) = above(&chain);
        let arm = Arm::new(physics.model()).unwrap();
        let gain = 20.0;
        let mut control = JointVelocity::new(&physics, JointVelocityConfig { gain }).unwrap();
        let n = arm.n_joints();
        let target = DVector::from_fn(n, |joint, _| 0.1 * (joint as f64 - 2.0));
        control.set_target(&physics, target.clone());
        for _ in 0..100 {
            run(&mut physics, &mut control, 0.002);
            let share = 1.0 - (-gain * physics.time()).exp();
            let error = (arm.velocities(&physics) - &target * share).amax();
            // The joints' own damping (0.1 N·m·s/rad) and the finite steps leave a small error.
            assert!(error < 0.03, "{} s: {error}", physics.time());
        }
        let error = (arm.velocities(&physics) - &target).amax();
        assert!(error < 0.03, "{error}");
        control.reset(&physics);
        run(&mut physics, &mut control, 1.0);
        assert!(arm.velocities(&physics).amax() < 1e-3);
    }
}
