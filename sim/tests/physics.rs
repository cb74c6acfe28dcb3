//! Contract: a step equals MuJoCo's own, derived quantities belong to the current state, resets go to the right keyframe,
//! and a divergence stops the state instead of being hidden by MuJoCo's automatic reset.

#![expect(clippy::float_cmp, reason = "copied numbers are equal to the last bit")]

use std::f64::consts::PI;
use std::sync::Arc;

use insonate_sim::{DivergenceReason, MjData, Physics, SimError, compile};

const PENDULUM: &str = "<mujoco><option timestep='0.001' integrator='RK4'/><worldbody>
    <body name='bob' pos='0 0 2'><joint name='hinge' axis='0 1 0'/>
    <geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.02'/></body></worldbody></mujoco>";

const TWO_BALLS: &str =
    "<mujoco><option integrator='implicitfast'/><worldbody><geom type='plane' size='1 1 1'/>
    <body pos='0 0 0.3'><freejoint/><geom size='0.1'/></body>
    <body name='second' pos='0.05 0 0.6'><freejoint/><geom size='0.1'/></body></worldbody>
    <keyframe><key name='home' time='3' qpos='0 0 1 1 0 0 0  0.5 0 1 1 0 0 0'/>
    <key name='high' qpos='0 0 5 1 0 0 0  0.5 0 5 1 0 0 0'/></keyframe></mujoco>";

#[test]
fn a_pendulum_keeps_its_energy() {
    let xml = PENDULUM.replace(
        "<worldbody>",
        "<option><flag energy='enable'/></option><worldbody>",
    );
    let mut physics = Physics::from_xml(&xml).unwrap();
    physics.qpos_mut()[0] = 1.0;
    physics.forward();
    let energy = |physics: &Physics| physics.data().energy().iter().sum::<f64>();
    let start = energy(&physics);
    physics.step_n(5000).unwrap();
    // RK4 at 1 ms loses far less than a micro-joule in 5 s; Euler would lose several percent.
    assert!((energy(&physics) - start).abs() < 1e-6 * start.abs());
}

#[test]
fn a_pendulum_has_its_small_angle_period() {
    let mut physics = Physics::from_xml(PENDULUM).unwrap();
    let gravity = 9.81;
    let model = physics.model_arc();
    let mass = model.body_mass()[1];
    let center = -model.body_ipos()[1][2];
    let inertia = model.body_inertia()[1][0] + mass * center * center;
    let period = 2.0 * PI * (inertia / (mass * gravity * center)).sqrt();
    physics.qpos_mut()[0] = 1e-3;
    physics
        .step_n((period / 4.0 / 0.001).round() as usize)
        .unwrap();
    // A quarter period ends at zero; half a timestep of rounding is 1e-3 * 2 pi / period * 0.5 ms.
    assert!(
        physics.qpos()[0].abs() < 1e-3 * 2.0 * PI / period * 0.6e-3,
        "{}",
        physics.qpos()[0]
    );
}

#[test]
fn free_fall_follows_the_parabola() {
    let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
    physics.reset_to("high").unwrap();
    physics.step_n(250).unwrap();
    let time = physics.time();
    // Semi-implicit Euler falls g t dt / 2 further than the parabola.
    let fall = 0.5 * 9.81 * time * (time + physics.timestep());
    assert!((5.0 - physics.qpos()[2] - fall).abs() < 1e-9);
}

#[test]
fn a_step_equals_mj_step_bit_for_bit() {
    let model = compile(TWO_BALLS).unwrap();
    let mut raw = MjData::new(Arc::clone(&model));
    raw.reset_keyframe(0).unwrap();
    let mut physics = Physics::new(model).unwrap();
    for _ in 0..1000 {
        raw.step();
        physics.step().unwrap();
    }
    assert_eq!(raw.qpos(), physics.qpos());
    assert_eq!(raw.qvel(), physics.qvel());
}

#[test]
fn poses_belong_to_the_present_qpos_after_a_step() {
    let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
    physics.step_n(10).unwrap();
    assert_eq!(physics.data().xpos()[1][2], physics.qpos()[2]);
}

#[test]
fn contact_forces_carry_the_weight() {
    let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
    physics.step_n(2000).unwrap();
    let weight = 9.81 * physics.model().totalmass();
    // The plane is the first side, so forces on the balls point up.
    let force: f64 = physics
        .contacts()
        .iter()
        .map(|c| c.force_in_world()[2])
        .sum();
    assert!((force - weight).abs() < 1e-3 * weight, "{force} {weight}");
}

#[test]
fn resets_go_to_their_keyframes() {
    let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
    assert_eq!((physics.qpos()[2], physics.time()), (1.0, 3.0));
    physics.reset_to("high").unwrap();
    assert_eq!(physics.qpos()[2], 5.0);
    physics.step_n(10).unwrap();
    physics.reset();
    assert_eq!(physics.qpos()[2], 1.0);
    let error = physics.reset_to("hihg").unwrap_err();
    assert!(matches!(error, SimError::UnknownName { .. }));
    assert!(error.to_string().contains("high"), "{error}");
}

#[test]
fn writing_the_state_is_seen_by_the_next_step() {
    let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
    physics.qpos_mut()[2] = 4.0;
    physics.step().unwrap();
    // Stale contacts of the old position would push the ball.
    assert!((physics.qvel()[2] + 9.81 * physics.timestep()).abs() < 1e-12);
}

#[test]
fn divergence_is_reported_and_stops_the_state() {
    let check = |poison: fn(&mut Physics), expected: DivergenceReason| {
        let mut physics = Physics::from_xml(TWO_BALLS).unwrap();
        physics.step_n(5).unwrap();
        let time = physics.time();
        poison(&mut physics);
        let divergence = physics.step().unwrap_err();
        assert_eq!(divergence.reason, expected);
        assert_eq!(divergence.time, time);
        assert_eq!(physics.step(), Err(divergence));
        assert_eq!(physics.diverged(), Some(divergence));
        physics.reset();
        assert_eq!(physics.diverged(), None);
        physics.step_n(5).unwrap();
    };
    check(
        |physics| physics.qpos_mut()[2] = f64::NAN,
        DivergenceReason::Qpos(2),
    );
    check(
        |physics| physics.qvel_mut()[8] = f64::INFINITY,
        DivergenceReason::Qvel(8),
    );
    check(
        |physics| physics.xfrc_applied_mut()[1][0] = f64::NAN,
        DivergenceReason::Qacc(0),
    );
    // MuJoCo's own handler would have written its warnings here.
    assert!(!std::path::Path::new("MUJOCO_LOG.TXT").exists());
}

#[test]
fn a_control_that_is_not_a_number_is_a_divergence() {
    let xml = PENDULUM.replace(
        "</mujoco>",
        "<actuator><motor joint='hinge'/></actuator></mujoco>",
    );
    let mut physics = Physics::from_xml(&xml).unwrap();
    physics.ctrl_mut()[0] = f64::NAN;
    assert_eq!(
        physics.step().unwrap_err().reason,
        DivergenceReason::Ctrl(0)
    );
}

#[test]
fn one_thread_and_two_threads_give_the_same_bits() {
    let model = compile(TWO_BALLS).unwrap();
    let run = |model: Arc<_>| {
        let mut physics = Physics::new(model).unwrap();
        physics.step_n(1500).unwrap();
        physics.qpos().to_vec()
    };
    let alone = run(Arc::clone(&model));
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(Arc::clone(&model)));
        let second = scope.spawn(|| run(Arc::clone(&model)));
        (first.join().unwrap(), second.join().unwrap())
    });
    assert_eq!(alone, first);
    assert_eq!(alone, second);
}

/// A ball of one tonne, half a metre inside the floor, is thrown out with far more than 10 kN.
#[test]
fn an_implausible_contact_force_stops_the_simulation() {
    let xml = r#"<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 -.4"><freejoint/><geom size=".1" mass="1000"/></body></worldbody></mujoco>"#;
    let mut physics = Physics::from_xml(xml).unwrap();
    let divergence = physics.step_n(10).unwrap_err();
    assert!(matches!(divergence.reason, DivergenceReason::ContactForce(force) if force > 1e4));
    assert!(
        divergence.to_string().contains("is beyond 10000 N"),
        "{divergence}"
    );
    assert_eq!(physics.step().unwrap_err(), divergence);
}
