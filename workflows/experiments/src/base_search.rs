//! Search for another base position of the robot if the probe cannot reach the skin.
//!
//! Moving the base moves the targets in the opposite direction in the arm's frame, so candidates need no new scene for inverse
//! kinematics.
//! Candidates that inverse kinematics accepts are tried in order of distance. The whole experiment must pass its verdict there.

use std::time::{Duration, Instant};

use insonate_models::Scene;
use insonate_sim::ik::{self, IkConfig};
use insonate_sim::verdict::check_start;
use insonate_sim::{Pose, SimError};
use nalgebra::Vector3;

use super::ExperimentError;
use super::advice::Advice;
use super::probe_scene::ProbeScene;

/// Spacing of the candidates [m].
const STEP: f64 = 0.1;

/// Number of candidates on each side along x, y and z.
const N_STEPS: [i32; 3] = [5, 5, 4];

/// Clearance between the base and the torso, seen from above [m].
const CLEARANCE: f64 = 0.1;

/// Maximum number of reachable candidates that are checked for a collision-free start.
const MAX_STARTS: usize = 40;

/// Maximum number of candidates that are simulated.
const MAX_TRIALS: usize = 6;

/// Coarse settings, because they only decide whether a pose can be reached.
const CONFIG: IkConfig = IkConfig {
    position_tolerance: 1e-4,
    angle_tolerance: 1e-3,
    max_iterations: 60,
    n_restarts: 3,
    margins: None,
};

/// Wall-clock time after which no further candidate is tried.
const LONGEST_SEARCH: Duration = Duration::from_mins(2);

/// Adds a working base position to an error about reach or about a start in collision: the nearest position at which `works` succeeds.
///
/// `targets` are the poses of the probe in the world that must be reached. `works` runs the whole experiment.
pub(super) fn advise(
    error: ExperimentError,
    scene: &Scene,
    targets: impl Fn(&ProbeScene<'_>) -> Result<Vec<Pose>, ExperimentError>,
    mut works: impl FnMut(&Scene) -> bool,
) -> ExperimentError {
    match &error {
        ExperimentError::Start(overlap) if overlap.is_self() => {
            return advised(error, Advice::CoarseShapes);
        }
        ExperimentError::Start(_)
        | ExperimentError::NoContact { .. }
        | ExperimentError::Sim(SimError::Unreachable { .. }) => {}
        _ => return error,
    }
    let begun = Instant::now();
    let mut n_tried = 0;
    let found = ProbeScene::new(scene).and_then(|probe_scene| {
        let targets = targets(&probe_scene)?;
        Ok(candidates(scene)
            .into_iter()
            .filter(|base| reaches(&probe_scene, scene, &targets, base))
            .take(MAX_STARTS)
            .filter(|base| starts_clear(scene, &targets[0], *base))
            .take(MAX_TRIALS)
            .take_while(|_| begun.elapsed() < LONGEST_SEARCH)
            .find(|&base| {
                n_tried += 1;
                works(&Scene {
                    robot_position: base,
                    ..scene.clone()
                })
            }))
    });
    let advice = match (found, n_tried) {
        (Ok(Some(base)), _) => Advice::Base(base),
        (_, 0) => Advice::NoBase,
        (_, n) => Advice::FailingBases(n),
    };
    advised(error, advice)
}

fn advised(error: ExperimentError, advice: Advice) -> ExperimentError {
    ExperimentError::Advised {
        error: Box::new(error),
        advice,
    }
}

/// Base positions around the current one and clear of the torso, nearest first, in whole centimetres [m].
fn candidates(scene: &Scene) -> Vec<[f64; 3]> {
    let base = scene.robot_position;
    let mut candidates = Vec::new();
    let [nx, ny, nz] = N_STEPS;
    for i in -nx..=nx {
        for j in -ny..=ny {
            for k in -nz..=nz {
                let at = |axis: usize, step: i32| {
                    ((base[axis] + f64::from(step) * STEP) * 100.0).round() / 100.0 + 0.0
                };
                let candidate = [at(0, i), at(1, j), at(2, k)];
                if (i, j, k) != (0, 0, 0) && candidate[2] >= 0.0 && is_off_torso(scene, candidate) {
                    candidates.push((i * i + j * j + k * k, candidate));
                }
            }
        }
    }
    candidates.sort_by_key(|&(square, _)| square);
    candidates.into_iter().map(|(_, base)| base).collect()
}

fn is_off_torso(scene: &Scene, base: [f64; 3]) -> bool {
    let Some(torso) = &scene.torso else {
        return true;
    };
    let [low, high] = torso.surface.bounds();
    (0..2).any(|axis| {
        let at = base[axis] - scene.torso_position[axis];
        at < low[axis] - CLEARANCE || at > high[axis] + CLEARANCE
    })
}

/// Whether the robot starts without collisions at the first target. The scene has no soft torso, because it then compiles fast; the
/// torso's surface is still checked.
fn starts_clear(scene: &Scene, target: &Pose, base: [f64; 3]) -> bool {
    let bare = Scene {
        robot_position: base,
        torso: None,
        ..scene.clone()
    };
    let skin = scene.torso.as_ref();
    let skin = skin.map(|torso| (&torso.surface, scene.torso_position));
    ProbeScene::new(&bare).is_ok_and(|mut moved| {
        let placed = moved.placement.place(&mut moved.physics, target);
        placed.is_ok() && check_start(&mut moved.physics, skin).is_ok()
    })
}

fn reaches(probe_scene: &ProbeScene<'_>, scene: &Scene, targets: &[Pose], base: &[f64; 3]) -> bool {
    let shift = Vector3::from(*base) - Vector3::from(scene.robot_position);
    let placement = &probe_scene.placement;
    targets.iter().all(|target| {
        let moved = Pose {
            position: target.position - shift,
            ..*target
        };
        ik::solve(
            &probe_scene.physics,
            &placement.arm,
            &placement.probe,
            &moved,
            &CONFIG,
        )
        .is_ok()
    })
}
