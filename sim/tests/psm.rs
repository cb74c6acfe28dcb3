//! Contract: the PSM that MuJoCo steps equals the analytic model: frames to 1e-9 m, inverse dynamics to 1e-8, friction at
//! sliding speed. Its loops stay closed and its remote centre does not move. Computed torque follows the spiral five times as well as
//! PD with gravity. The loads of the counterweight equal the paper's.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_dvrk::{JOINT_NAMES, JointVector, Psm, classic};
use insonate_models::robots::psm::{self, Instrument, PsmConfig};
use insonate_models::{Scene, probes};
use insonate_sim::controllers::Controller;
use insonate_sim::psm::{
    ComputedTorque, ComputedTorqueConfig, JointMotion, JointState, PdGravity, PdGravityConfig,
    PsmArm, PsmStep, frictionless_torque, model_of,
};
use insonate_sim::{CompiledScene, Physics};

/// Length of a physics step [s].
const TIMESTEP: f64 = 0.0005;

fn scene(config: PsmConfig) -> Physics {
    let mut scene = Scene::new(psm::configured(config), probes::c5_2(), None);
    scene.timestep = TIMESTEP;
    let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
    Physics::from_scene(&compiled).unwrap()
}

/// Numbers from -1 to 1 from a seed (SplitMix64).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    2.0 * ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
}

/// A posture within the workspace.
fn posture(seed: &mut u64) -> JointVector {
    let middle = [0.0, 0.0, 0.12, 0.0, 0.0, -0.3, 0.3];
    let half = [1.4, 0.85, 0.11, 2.0, 1.2, 0.25, 0.25];
    JointVector::from_fn(|joint, _| middle[joint] + half[joint] * uniform(seed))
}

fn random(seed: &mut u64, scale: f64) -> JointVector {
    JointVector::from_fn(|joint, _| uniform(seed) * if joint == 2 { 0.2 * scale } else { scale })
}

#[test]
fn frames_equal_the_table() {
    let mut physics = scene(PsmConfig::default());
    let arm = PsmArm::new(physics.model()).unwrap();
    let analytic = classic();
    let bodies = [
        (1, "yaw_link"),
        (2, "pitch_link"),
        (4, "lower_bar"),
        (5, "upper_bar"),
        (6, "rail"),
        (7, "support"),
        (8, "carriage"),
        (9, "counterweight"),
        (10, "shaft"),
        (11, "wrist"),
        (12, "jaw_a"),
        (13, "jaw_b"),
    ];
    let mut seed = 3;
    for _ in 0..100 {
        let q = posture(&mut seed);
        arm.set_state(&mut physics, &q, &JointVector::zeros());
        let frames = analytic.forward_kinematics(&q);
        for (frame, body) in bodies {
            let found = arm.base_from_body(&physics, body).unwrap();
            let apart = (found.translation.vector - frames[frame].translation.vector).norm();
            let turned = (found.rotation.matrix() - frames[frame].rotation.matrix()).norm();
            assert!(apart < 1e-9 && turned < 1e-9, "{body}: {apart} m, {turned}");
        }
        assert!(arm.remote_center_error(&physics) < 1e-9);
    }
}

/// MuJoCo's inertia times `acceleration` plus its bias, projected on the joints.
fn projected(physics: &Physics, arm: &PsmArm, acceleration: &JointVector) -> JointVector {
    let (model, data) = (physics.model(), physics.data());
    let full = arm.expand(acceleration, physics.qvel().len());
    let mut force = data.qfrc_bias().to_vec();
    for row in 0..force.len() {
        let start = model.m_rowadr()[row] as usize;
        for address in start..start + model.m_rownnz()[row] as usize {
            let column = model.m_colind()[address] as usize;
            let entry = data.m()[address];
            force[row] += entry * full[column];
            if column != row {
                force[column] += entry * full[row];
            }
        }
    }
    arm.reduce(&force) - arm.reduce(data.qfrc_spring())
}

#[test]
fn inverse_dynamics_equals_newton_euler() {
    for counterweight in [true, false] {
        let mut physics = scene(PsmConfig {
            counterweight,
            ..PsmConfig::default()
        });
        let arm = PsmArm::new(physics.model()).unwrap();
        let compiled = model_of(physics.model()).unwrap();
        let published = if counterweight {
            classic()
        } else {
            classic().without_counterweight()
        };
        let (mut seed, mut worst) = (11, [0.0_f64; 2]);
        for _ in 0..1000 {
            let (q, dq, ddq) = (
                posture(&mut seed),
                random(&mut seed, 2.0),
                random(&mut seed, 10.0),
            );
            arm.set_state(&mut physics, &q, &dq);
            let found = projected(&physics, &arm, &ddq);
            for (psm, worst) in [&compiled, &published].into_iter().zip(&mut worst) {
                let expected = frictionless_torque(psm, &q, &dq, &ddq);
                *worst = worst.max((found - expected).norm() / expected.norm());
            }
        }
        assert!(worst[0] < 1e-8, "against its own numbers: {worst:?}");
        assert!(worst[1] < 1e-8, "against the published ones: {worst:?}");
    }
}

#[test]
fn friction_at_sliding_speed_is_the_identified_one() {
    let mut physics = scene(PsmConfig::default());
    let arm = PsmArm::new(physics.model()).unwrap();
    let analytic = model_of(physics.model()).unwrap();
    let dq = JointVector::from([0.4, -0.3, 0.05, 0.5, 0.4, -0.3, 0.35]);
    let q = JointVector::from([0.1, 0.2, 0.12, 0.1, 0.1, -0.3, 0.3]);
    arm.set_state(&mut physics, &q, &dq);
    let mut controller = ComputedTorque::new(&physics, ComputedTorqueConfig::default()).unwrap();
    let mut last = None;
    for index in 0..50 {
        let wanted = JointState {
            q: q + dq * (f64::from(index) * TIMESTEP),
            dq,
            ddq: JointVector::zeros(),
        };
        controller.set_target(&physics, wanted);
        controller.control(&mut physics);
        last = Some(PsmStep::take(&arm, &mut physics).unwrap());
    }
    let step = last.unwrap();
    let offsets = analytic.friction(&JointVector::zeros());
    let expected = analytic.friction(&step.dq) - offsets;
    let apart = step.friction + expected;
    assert!(apart.norm() < 1e-3 * expected.norm(), "{apart}");
    assert!(
        (step.dq - dq).norm() < 1e-3,
        "the arm keeps its speed: {}",
        step.dq
    );
    assert!((classic().friction(&dq) - analytic.friction(&dq)).norm() < 1e-9);
}

struct Followed {
    rms_error: JointVector,
    rms_torque_difference: JointVector,
    rms_torque: JointVector,
    remote_center_error: f64,
    closure_error: f64,
}

/// Follows `motion` for `duration` [s]; torques are compared with `reference`.
fn follow<C: Controller<Target = JointState>>(
    physics: &mut Physics,
    mut controller: C,
    motion: &JointMotion,
    duration: f64,
    reference: &Psm,
) -> Followed {
    let arm = PsmArm::new(physics.model()).unwrap();
    let psm = model_of(physics.model()).unwrap();
    let start = motion.at(&psm, 0.0).unwrap();
    arm.set_state(physics, &start.q, &start.dq);
    let n_steps = (duration / TIMESTEP).round() as usize;
    let mut sums = [JointVector::zeros(); 3];
    let (mut remote_center_error, mut closure_error) = (0.0_f64, 0.0_f64);
    for index in 0..n_steps {
        let wanted = motion.at(&psm, index as f64 * TIMESTEP).unwrap();
        controller.set_target(physics, wanted);
        controller.control(physics);
        let step = PsmStep::take(&arm, physics).unwrap();
        let expected = frictionless_torque(reference, &step.q, &step.dq, &step.ddq);
        sums[0] += (wanted.q - step.q).map(|x| x * x);
        sums[1] += (step.moving_torque() - expected).map(|x| x * x);
        sums[2] += expected.map(|x| x * x);
        remote_center_error = remote_center_error.max(arm.remote_center_error(physics));
        closure_error = closure_error.max(arm.closure_error(physics));
    }
    let [rms_error, rms_torque_difference, rms_torque] =
        sums.map(|sum| (sum / n_steps as f64).map(f64::sqrt));
    Followed {
        rms_error,
        rms_torque_difference,
        rms_torque,
        remote_center_error,
        closure_error,
    }
}

#[test]
fn torques_and_counterweight_loads_equal_the_paper() {
    for (motion, with) in [
        (JointMotion::line(), [0.65, 0.1, 0.048]),
        (JointMotion::spiral(), [0.57, 0.27, 0.3]),
    ] {
        let mut gap = [0.0; 2];
        for (index, counterweight) in [true, false].into_iter().enumerate() {
            let mut physics = scene(PsmConfig {
                counterweight,
                ..PsmConfig::default()
            });
            let controller =
                ComputedTorque::new(&physics, ComputedTorqueConfig::default()).unwrap();
            let done = follow(&mut physics, controller, &motion, 2.0, &classic());
            eprintln!(
                "{counterweight}: error {} difference {} of {} rcm {} closure {}",
                done.rms_error.transpose(),
                done.rms_torque_difference.transpose(),
                done.rms_torque.transpose(),
                done.remote_center_error,
                done.closure_error
            );
            gap[index] = done.rms_torque_difference[2];
            assert!(done.remote_center_error < 1e-4 && done.closure_error < 1e-4);
            if counterweight {
                for (joint, bound) in with.into_iter().enumerate() {
                    assert!(
                        done.rms_torque_difference[joint] < bound,
                        "{}: {}",
                        JOINT_NAMES[joint],
                        done.rms_torque_difference
                    );
                }
            }
        }
        assert!(gap[1] > 1.0 && gap[0] < 0.01, "{gap:?}");
    }
}

#[test]
fn computed_torque_follows_the_spiral_five_times_as_well() {
    let motion = JointMotion::spiral();
    let error = |computed: bool| {
        let mut physics = scene(PsmConfig::default());
        let psm = model_of(physics.model()).unwrap();
        if computed {
            let controller =
                ComputedTorque::new(&physics, ComputedTorqueConfig::default()).unwrap();
            follow(&mut physics, controller, &motion, 2.7, &psm).rms_error
        } else {
            let controller = PdGravity::new(&physics, PdGravityConfig::default()).unwrap();
            follow(&mut physics, controller, &motion, 2.7, &psm).rms_error
        }
    };
    let (computed, pd) = (error(true), error(false));
    eprintln!("{} {}", computed.transpose(), pd.transpose());
    for joint in 0..7 {
        assert!(
            pd[joint] > 5.0 * computed[joint],
            "{}: {} against {}",
            JOINT_NAMES[joint],
            computed[joint],
            pd[joint]
        );
    }
}

#[test]
fn the_remote_center_stays_put_under_load_everywhere() {
    let mut physics = scene(PsmConfig {
        instrument: Instrument::FenestratedGrasper,
        counterweight: true,
    });
    let arm = PsmArm::new(physics.model()).unwrap();
    let mut seed = 5;
    for _ in 0..20 {
        let q = posture(&mut seed);
        physics.reset();
        arm.set_state(&mut physics, &q, &JointVector::zeros());
        let mut controller = PdGravity::new(&physics, PdGravityConfig::default()).unwrap();
        for _ in 0..100 {
            controller.control(&mut physics);
            physics.step().unwrap();
        }
        let error = arm.remote_center_error(&physics);
        assert!(error < 1e-4, "{error} m at {q}");
        assert!((arm.positions(&physics) - q).norm() < 0.05);
    }
}
