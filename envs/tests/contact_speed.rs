//! Contract: a hard contact is measured, penalised once and not a success; a gentle one has no penalty and the greater
//! return. The costs of an episode add up to its peaks divided by their limits.

use insonate_envs::probe::{ContactMeter, ForceAxis, SceneModel, SceneSettings, SceneState};
use insonate_envs::{Env, ResetOptions, tasks};
use insonate_models::torsos::TorsoConfig;
use nalgebra::{UnitQuaternion, Vector3};

/// Result of an episode in which the script approaches at some speed.
struct ContactPeak {
    /// Maximum contact speed [m/s].
    speed: f64,
    /// Penalty of the reward for it.
    charge: f64,
    success: f64,
    return_: f64,
}

/// The script's contact at `approach` [m/s].
fn touch(task: &str, approach: &str, weight: f64) -> ContactPeak {
    let sets = [
        ("action.mode", "hybrid_force"),
        ("action.hybrid_force.approach_speed", approach),
    ];
    let factory = tasks::factory(task, &sets).expect("the settings are right");
    let mut env = factory.make().expect("the scene compiles");
    let spec = env.spec().clone();
    let mut observation = vec![0.0; spec.observation_space.len()];
    let mut metrics = vec![0.0; spec.metrics.len()];
    env.reset(3, &ResetOptions::default(), &mut observation)
        .expect("an episode begins");
    let at = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
    let term = at(&spec.reward_terms, "contact_speed").expect("the task has the term");
    let (mut charge, mut return_) = (0.0, 0.0);
    let mut costs = vec![0.0; spec.costs.len()];
    loop {
        let step = env
            .step(&vec![0.0; spec.action_space.len()], &mut observation)
            .expect("the script is possible");
        charge += env.reward_terms()[term];
        return_ += step.reward;
        for (sum, cost) in costs.iter_mut().zip(env.costs()) {
            assert!(*cost >= 0.0, "{task}, {approach} m/s: {cost}");
            *sum += cost;
        }
        if step.is_over() {
            break;
        }
    }
    env.metrics(&mut metrics);
    let metric = |name: &str| metrics[at(&spec.metrics, name).expect("the task has the metric")];
    let speed = metric("contact_speed_m_s");
    let wanted = -weight * (speed / 0.1 - 0.5).max(0.0);
    assert!(
        (charge - wanted).abs() < 1e-9,
        "{task}, {approach} m/s: touched at {speed} m/s, charged {charge}, not {wanted}"
    );
    let cost = |name: &str| costs[at(&spec.costs, name).expect("the task has the cost")];
    let mut shares = vec![
        ("contact_speed", speed / 0.1),
        ("force_rate", metric("force_rate_n_s") / 200.0),
    ];
    // Overshoot that a success may have [N].
    let room = [("probe-sweep", 10.0), ("probe-press", 3.0)];
    let room = room.iter().find(|(known, _)| *known == task);
    shares.extend(room.map(|(_, room)| ("peak_force", metric("overshoot_n") / room)));
    for (name, share) in shares {
        let sum = cost(name);
        assert!(
            (sum - share).abs() < 1e-9,
            "{task}, {approach} m/s: {name} costs {sum}, not {share}"
        );
    }
    ContactPeak {
        speed,
        charge,
        success: metric("success"),
        return_,
    }
}

#[test]
fn a_hard_touch_is_charged_once_and_a_soft_one_is_free() {
    for (task, weight) in [
        ("probe-sweep", 200.0),
        ("probe-press", 100.0),
        ("probe-reach", 75.0),
    ] {
        let soft = touch(task, "0.02", weight);
        assert!(
            (0.015..0.025).contains(&soft.speed),
            "{task}: {}",
            soft.speed
        );
        assert!(
            soft.charge == 0.0 && soft.success == 1.0,
            "{task}: {} {}",
            soft.charge,
            soft.success
        );
        let hard = touch(task, "0.09", weight);
        assert!((0.06..0.1).contains(&hard.speed), "{task}: {}", hard.speed);
        assert!(hard.charge < 0.0, "{task}: {}", hard.charge);
        assert!(
            soft.return_ > hard.return_,
            "{task}: {} {}",
            soft.return_,
            hard.return_
        );
    }
}

#[test]
fn a_hard_touch_is_not_a_success() {
    let ContactPeak { speed, success, .. } = touch("probe-sweep", "0.3", 200.0);
    assert!(speed > 0.1 && success == 0.0, "{speed} {success}");
}

#[test]
fn a_probe_that_turns_is_measured_along_its_own_axis() {
    let config = TorsoConfig::default();
    let model = SceneModel::new(&SceneSettings::default(), Some(&config)).expect("it compiles");
    let mut state = SceneState::new(model).expect("the scene has a probe");
    // 40° from the goal's axis, which ultrasound tasks allow.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 40_f64.to_radians());
    state.probe.world_from_probe.rotation = state.goal.world_from_probe.rotation * turn;
    let axis = state.probe.world_from_probe.z_axis();
    let mut meter = ContactMeter::along(ForceAxis::Probe);
    state.probe.twist.linear = 0.12 * axis;
    meter.update(&state);
    // Contact, with a force that increases by 0.1 N per physics step.
    state.probe.in_contact = true;
    let timestep = state.physics.timestep();
    for step in 0..100 {
        state.probe.force = -0.1 * f64::from(step) * axis;
        meter.update(&state);
    }
    let metrics = meter.force_metrics();
    let speed = metrics.contact_speed_m_s;
    assert!((speed - 0.12).abs() < 1e-12, "{speed} m/s");
    let (rate, wanted) = (metrics.force_rate_n_s, 0.1 / timestep);
    assert!(
        (rate - wanted).abs() < 1e-9 * wanted,
        "{rate} N/s, not {wanted} N/s"
    );
}
