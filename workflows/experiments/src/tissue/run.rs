//! Runs a motion.

use std::time::Instant;

use insonate_tissue::TissueError;
use insonate_tissue::tool::Wrench;
use nalgebra::Vector3;

use super::discretized_body::{Discretization, DiscretizedBody};
use super::film::MotionFilm;
use super::momentum_balance::MomentumBalance;
use super::motions::MotionSetup;
use super::mpm::MpmSimulation;
use super::plan::MotionPlan;
use super::record::{MotionRecord, MotionSample};
use super::rigid_part::{Interaction, RigidPart, Role};
use super::simulation::{MovingTool, TissueSimulation, TissueSurface, ToolMode};
use super::summary::{LayerSummary, MotionSummary};
use super::xpbd::XpbdSimulation;
use crate::{ExperimentError, Progress};

/// Maximum time during which tools move at a constant velocity [s].
const MAX_STEP: f64 = 0.004;

/// Result of a motion.
#[derive(Debug)]
pub struct MotionRun {
    /// One sample per step.
    pub record: MotionRecord,
    /// Summary of the motion.
    pub summary: MotionSummary,
    /// Surface of the tissue at the end; `None` if nothing is left to draw.
    pub surface: Option<TissueSurface>,
}

/// Runs a motion and records its film.
///
/// A world that diverges ends the run early, as does a caller that interrupts. The summary reports it.
///
/// # Errors
/// If the settings are invalid, or the device is not available or does not support the motion.
pub fn run(
    plan: &MotionPlan,
    film: &mut MotionFilm,
    progress: Progress<'_>,
) -> Result<MotionRun, ExperimentError> {
    plan.check()?;
    let discretized = DiscretizedBody::new(plan)?;
    let setup = (plan.motion.setup)(plan, &discretized);
    let mut simulation: Box<dyn TissueSimulation> = match &discretized.discretization {
        Discretization::Particles(bodies) => {
            let room = setup.room(&discretized, plan.duration);
            let grips = setup
                .interacting()
                .any(|part| matches!(part.interaction, Interaction::Hold { .. }));
            Box::new(MpmSimulation::new(plan, &discretized, bodies, room, grips)?)
        }
        Discretization::Tetrahedra(body) => {
            Box::new(XpbdSimulation::new(plan, &discretized, body)?)
        }
    };
    simulate(plan, &discretized, &setup, &mut *simulation, film, progress)
}

/// Simulates all frames, or until the world diverges.
fn simulate(
    plan: &MotionPlan,
    discretized: &DiscretizedBody,
    setup: &MotionSetup,
    simulation: &mut dyn TissueSimulation,
    film: &mut MotionFilm,
    progress: Progress<'_>,
) -> Result<MotionRun, ExperimentError> {
    let gravity = Vector3::new(0.0, 0.0, -plan.gravity);
    let mut balance = MomentumBalance::open(simulation, gravity)?;
    let frame = plan.duration / plan.n_frames as f64;
    let steps_per_frame = (frame / MAX_STEP).ceil().max(1.0) as usize;
    let step = frame / steps_per_frame as f64;
    let mut record = MotionRecord::default();
    let mut seconds = 0.0;
    let mut n_done = 0;
    let mut diverged = None;
    let mut interrupted = false;
    film.take(setup, simulation, 0.0);
    'frames: for index in 0..plan.n_frames {
        let start = Instant::now();
        for inner in 0..steps_per_frame {
            let time = (index * steps_per_frame + inner) as f64 * step;
            match advance(simulation, setup, time, step, &mut balance) {
                Ok(sample) => record.samples.push(sample),
                Err(ExperimentError::Tissue(error @ TissueError::Diverged { .. })) => {
                    diverged = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error),
            }
            let n_steps = (plan.n_frames * steps_per_frame) as f64;
            if progress(record.samples.len() as f64 / n_steps).is_break() {
                interrupted = true;
                seconds += start.elapsed().as_secs_f64();
                break 'frames;
            }
        }
        seconds += start.elapsed().as_secs_f64();
        if diverged.is_some() {
            break;
        }
        n_done += 1;
        balance.compare(simulation)?;
        film.take(setup, simulation, n_done as f64 * frame);
    }
    if !interrupted {
        film.render_pending(setup);
    }
    let torn = simulation.torn()?;
    let one = |of_material: f64| (!plan.layers).then_some(of_material);
    let forces = ForceFigures::of(&record, setup, plan.duration);
    let summary = MotionSummary {
        motion: plan.motion.name,
        solver: plan.solver.name(),
        device: simulation.device(),
        threads: simulation.n_threads(),
        body: plan.body.name(),
        n_points: simulation.n_points(),
        n_elements: simulation.n_elements(),
        spacing_m: discretized.spacing,
        young_modulus_pa: one(plan.material.young_modulus),
        poisson_ratio: one(plan.material.poisson_ratio),
        density_kg_m3: one(plan.material.density),
        layers: discretized.layers.iter().map(LayerSummary::of).collect(),
        force_peak_n: forces.peak.norm(),
        force_mean_n: forces.mean,
        force_at_peak_n: forces.peak.into(),
        force_at_end_n: forces.end.into(),
        travel_m: record
            .samples
            .iter()
            .map(|sample| sample.travel)
            .fold(0.0, f64::max),
        mass_kg: simulation.mass(),
        mass_residual: balance.mass_residual(simulation),
        momentum_residual: balance.momentum_residual(),
        momentum_exchanged_n_s: balance.exchanged(),
        n_torn: torn.n_torn,
        n_pieces: torn.n_pieces,
        seconds_simulated: record.samples.len() as f64 * step,
        frames: n_done,
        steps_per_frame,
        ms_per_frame: 1e3 * seconds / n_done.max(1) as f64,
        diverged,
        interrupted,
    };
    Ok(MotionRun {
        record,
        summary,
        surface: simulation.surface().ok(),
    })
}

/// One step of all parts and the tissue.
fn advance(
    simulation: &mut dyn TissueSimulation,
    setup: &MotionSetup,
    time: f64,
    step: f64,
    balance: &mut MomentumBalance,
) -> Result<MotionSample, ExperimentError> {
    let interacting: Vec<&RigidPart> = setup.interacting().collect();
    let moving = |part: &&RigidPart| MovingTool {
        tool: part.at(time, step),
        mode: match part.interaction {
            Interaction::Hold { .. } if part.holds(time) => ToolMode::Holding,
            Interaction::Hold { .. } => ToolMode::Waiting,
            Interaction::Contact { .. } | Interaction::Nothing => ToolMode::Contact,
        },
    };
    let parts: Vec<MovingTool> = interacting.iter().map(moving).collect();
    let wrenches = simulation.step(&parts, step)?;
    balance.enter(&wrenches, simulation, step);
    let frame = (setup.frame)(time + step);
    // Wrenches are about the moving origins: to first order, about the origins in the middle of the step.
    let middle = (setup.frame)(time + 0.5 * step).translation.vector;
    let mut sample = MotionSample {
        time: time + step,
        tool: frame,
        travel: (setup.travel)(time + step),
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
        support_force: Vector3::zeros(),
    };
    for (part, Wrench { force, torque }) in interacting.iter().zip(&wrenches) {
        match part.role {
            Role::Instrument => {
                let arm = (part.path)(time + 0.5 * step).translation.vector - middle;
                sample.force += force;
                sample.torque += torque + arm.cross(force);
            }
            Role::Support => sample.support_force += force,
        }
    }
    Ok(sample)
}

/// Statistics of the forces in a record.
struct ForceFigures {
    peak: Vector3<f64>,
    mean: f64,
    end: Vector3<f64>,
}

impl ForceFigures {
    fn of(record: &MotionRecord, setup: &MotionSetup, duration: f64) -> Self {
        let moved = || {
            record
                .samples
                .iter()
                .filter(|sample| sample.time > setup.begins)
        };
        let peak = moved()
            .map(|sample| sample.force)
            .max_by(|a, b| a.norm().total_cmp(&b.norm()));
        let norms: Vec<f64> = moved().map(|sample| sample.force.norm()).collect();
        let last: Vec<Vector3<f64>> = record
            .samples
            .iter()
            .filter(|sample| sample.time > 0.9 * duration)
            .map(|sample| sample.force)
            .collect();
        Self {
            peak: peak.unwrap_or_default(),
            mean: norms.iter().sum::<f64>() / norms.len().max(1) as f64,
            end: last.iter().sum::<Vector3<f64>>() / last.len().max(1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use insonate_tissue::Divergence;

    use super::*;
    use crate::tissue::motions;
    use crate::tissue::simulation::TornElements;

    /// A mass that falls freely, has no contacts, and diverges after some steps.
    struct Falling {
        velocity: f64,
        steps_left: usize,
    }

    impl TissueSimulation for Falling {
        fn step(
            &mut self,
            parts: &[MovingTool],
            time: f64,
        ) -> Result<Vec<Wrench>, ExperimentError> {
            if self.steps_left == 0 {
                let reason = Divergence::NotFinite;
                return Err(TissueError::Diverged { reason, time }.into());
            }
            self.steps_left -= 1;
            self.velocity -= 9.81 * time;
            Ok(vec![Wrench::default(); parts.len()])
        }

        fn device(&self) -> String {
            "cpu".to_owned()
        }

        fn n_threads(&self) -> usize {
            1
        }

        fn n_points(&self) -> usize {
            1
        }

        fn n_elements(&self) -> usize {
            1
        }

        fn mass(&self) -> f64 {
            2.0
        }

        fn momentum(&self) -> Result<Vector3<f64>, ExperimentError> {
            Ok(Vector3::z() * (2.0 * self.velocity))
        }

        fn torn(&self) -> Result<TornElements, ExperimentError> {
            Ok(TornElements {
                n_torn: 0,
                n_pieces: 1,
            })
        }

        fn surface(&self) -> Result<TissueSurface, ExperimentError> {
            Err(ExperimentError::EmptyGrasp)
        }
    }

    fn fall(n_steps: usize) -> MotionRun {
        let motion = motions::Motion::by_name("push").unwrap();
        let mut plan = MotionPlan::new(motion, crate::tissue::TissueSolver::Xpbd);
        plan.n_frames = 10;
        let discretized = DiscretizedBody::new(&plan).unwrap();
        let setup = (motion.setup)(&plan, &discretized);
        let mut simulation = Falling {
            velocity: 0.0,
            steps_left: n_steps,
        };
        let film = &mut MotionFilm::none();
        simulate(
            &plan,
            &discretized,
            &setup,
            &mut simulation,
            film,
            &mut |_| ControlFlow::Continue(()),
        )
        .unwrap()
    }

    #[test]
    fn a_run_that_diverges_keeps_the_finished_steps() {
        let run = fall(120);
        assert_eq!((run.record.samples.len(), run.summary.frames), (120, 2));
        let reason = run.summary.diverged.unwrap();
        assert!(reason.contains("not a number"), "{reason}");
    }

    #[test]
    fn a_falling_mass_gains_its_momentum_from_gravity() {
        let run = fall(usize::MAX);
        assert!(run.summary.diverged.is_none() && run.surface.is_none());
        assert!(run.summary.momentum_residual < 1e-12, "{:?}", run.summary);
        assert!((run.summary.momentum_exchanged_n_s - 2.0 * 9.81 * 2.0).abs() < 1e-9);
    }
}
