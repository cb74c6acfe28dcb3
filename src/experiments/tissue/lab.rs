//! Runs a motion.

use std::time::Instant;

use insonate_tissue::TissueError;
use insonate_tissue::tool::Wrench;
use nalgebra::Vector3;

use super::film::MotionFilm;
use super::ledger::Ledger;
use super::motions::Stage;
use super::part::{Owner, Part, Touch};
use super::particles::Particles;
use super::plan::MotionPlan;
use super::record::{MotionRecord, MotionSample};
use super::specimen::{Matter, Specimen};
use super::summary::{LayerSummary, MotionSummary};
use super::tetrahedra::Tetrahedra;
use super::world::{Grip, Moving, Skin, World};
use crate::experiments::Progress;

/// Longest time in which tools move at one velocity [s].
const MAX_STEP: f64 = 0.004;

/// What came out of a motion.
#[derive(Debug)]
pub struct MotionRun {
    /// One sample a step.
    pub record: MotionRecord,
    /// Its figures.
    pub summary: MotionSummary,
    /// The tissue's surface at the end; none if nothing is left to draw.
    pub skin: Option<Skin>,
}

/// Runs a motion, filming it.
///
/// A world that diverges ends the run early, as a caller does that breaks off; the summary says so.
///
/// # Errors
/// Settings that cannot be; a device that cannot be had or does not serve the motion.
pub fn run(
    plan: &MotionPlan,
    film: &mut MotionFilm,
    progress: Progress<'_>,
) -> anyhow::Result<MotionRun> {
    plan.check()?;
    let specimen = Specimen::new(plan)?;
    let stage = (plan.motion.stage)(plan, &specimen);
    let mut world: Box<dyn World> = match &specimen.matter {
        Matter::Particles(bodies) => {
            let room = stage.room(&specimen, plan.duration);
            let grips = stage
                .felt()
                .any(|part| matches!(part.touch, Touch::Hold { .. }));
            Box::new(Particles::new(plan, &specimen, bodies, room, grips)?)
        }
        Matter::Tetrahedra(body) => Box::new(Tetrahedra::new(plan, &specimen, body)?),
    };
    conduct(plan, &specimen, &stage, &mut *world, film, progress)
}

/// Takes a world through all frames, or to where it diverges.
fn conduct(
    plan: &MotionPlan,
    specimen: &Specimen,
    stage: &Stage,
    world: &mut dyn World,
    film: &mut MotionFilm,
    progress: Progress<'_>,
) -> anyhow::Result<MotionRun> {
    let gravity = Vector3::new(0.0, 0.0, -plan.gravity);
    let mut ledger = Ledger::open(world, gravity)?;
    let frame = plan.duration / plan.n_frames as f64;
    let steps_per_frame = (frame / MAX_STEP).ceil().max(1.0) as usize;
    let step = frame / steps_per_frame as f64;
    let mut record = MotionRecord::default();
    let mut seconds = 0.0;
    let mut n_done = 0;
    let mut diverged = None;
    let mut interrupted = false;
    film.take(stage, world, 0.0);
    'frames: for index in 0..plan.n_frames {
        let start = Instant::now();
        for inner in 0..steps_per_frame {
            let time = (index * steps_per_frame + inner) as f64 * step;
            match advance(world, stage, time, step, &mut ledger) {
                Ok(sample) => record.samples.push(sample),
                Err(error) => match error.downcast_ref::<TissueError>() {
                    Some(TissueError::Diverged { .. }) => {
                        diverged = Some(error.to_string());
                        break;
                    }
                    _ => return Err(error),
                },
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
        ledger.compare(world)?;
        film.take(stage, world, n_done as f64 * frame);
    }
    if !interrupted {
        film.develop(stage);
    }
    let torn = world.torn()?;
    let one = |of_material: f64| (!plan.layers).then_some(of_material);
    let at_end = Ends::of(&record, stage, plan.duration);
    let summary = MotionSummary {
        motion: plan.motion.name,
        solver: plan.solver.name(),
        device: world.device(),
        threads: world.n_threads(),
        body: plan.body.name(),
        n_points: world.n_points(),
        n_elements: world.n_elements(),
        spacing_m: specimen.spacing,
        young_modulus_pa: one(plan.material.young_modulus),
        poisson_ratio: one(plan.material.poisson_ratio),
        density_kg_m3: one(plan.material.density),
        layers: specimen.layers.iter().map(LayerSummary::of).collect(),
        force_peak_n: at_end.peak.norm(),
        force_mean_n: at_end.mean,
        force_at_peak_n: at_end.peak.into(),
        force_at_end_n: at_end.end.into(),
        travel_m: record
            .samples
            .iter()
            .map(|sample| sample.travel)
            .fold(0.0, f64::max),
        mass_kg: world.mass(),
        mass_residual: ledger.mass_residual(world),
        momentum_residual: ledger.momentum_residual(),
        momentum_exchanged_n_s: ledger.exchanged(),
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
        skin: world.skin().ok(),
    })
}

/// One step of all parts and the tissue.
fn advance(
    world: &mut dyn World,
    stage: &Stage,
    time: f64,
    step: f64,
    ledger: &mut Ledger,
) -> anyhow::Result<MotionSample> {
    let felt: Vec<&Part> = stage.felt().collect();
    let moving = |part: &&Part| Moving {
        tool: part.at(time, step),
        grip: match part.touch {
            Touch::Hold { .. } if part.holds(time) => Grip::Holding,
            Touch::Hold { .. } => Grip::Waiting,
            Touch::Contact { .. } | Touch::Nothing => Grip::Contact,
        },
    };
    let parts: Vec<Moving> = felt.iter().map(moving).collect();
    let wrenches = world.step(&parts, step)?;
    ledger.enter(&wrenches, world, step);
    let frame = (stage.frame)(time + step);
    // Wrenches are about origins as they moved: about those of the middle of the step, to first order.
    let middle = (stage.frame)(time + 0.5 * step).translation.vector;
    let mut sample = MotionSample {
        time: time + step,
        tool: frame,
        travel: (stage.travel)(time + step),
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
        support_force: Vector3::zeros(),
    };
    for (part, Wrench { force, torque }) in felt.iter().zip(&wrenches) {
        match part.owner {
            Owner::Tool => {
                let arm = (part.path)(time + 0.5 * step).translation.vector - middle;
                sample.force += force;
                sample.torque += torque + arm.cross(force);
            }
            Owner::Support => sample.support_force += force,
        }
    }
    Ok(sample)
}

/// Forces that sum a record up.
struct Ends {
    peak: Vector3<f64>,
    mean: f64,
    end: Vector3<f64>,
}

impl Ends {
    fn of(record: &MotionRecord, stage: &Stage, duration: f64) -> Self {
        let moved = || {
            record
                .samples
                .iter()
                .filter(|sample| sample.time > stage.begins)
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
    use crate::experiments::tissue::motions;
    use crate::experiments::tissue::world::Torn;

    /// A mass that falls freely, feels nothing, and diverges after some steps.
    struct Falling {
        velocity: f64,
        steps_left: usize,
    }

    impl World for Falling {
        fn step(&mut self, parts: &[Moving], time: f64) -> anyhow::Result<Vec<Wrench>> {
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

        fn momentum(&self) -> anyhow::Result<Vector3<f64>> {
            Ok(Vector3::z() * (2.0 * self.velocity))
        }

        fn torn(&self) -> anyhow::Result<Torn> {
            Ok(Torn {
                n_torn: 0,
                n_pieces: 1,
            })
        }

        fn skin(&self) -> anyhow::Result<Skin> {
            anyhow::bail!("there is none")
        }
    }

    fn fall(n_steps: usize) -> MotionRun {
        let motion = motions::Motion::by_name("push").unwrap();
        let mut plan = MotionPlan::new(motion, crate::experiments::tissue::TissueSolver::Xpbd);
        plan.n_frames = 10;
        let specimen = Specimen::new(&plan).unwrap();
        let stage = (motion.stage)(&plan, &specimen);
        let mut world = Falling {
            velocity: 0.0,
            steps_left: n_steps,
        };
        let film = &mut MotionFilm::none();
        conduct(&plan, &specimen, &stage, &mut world, film, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    }

    #[test]
    fn a_run_that_diverges_keeps_what_was_done() {
        let run = fall(120);
        assert_eq!((run.record.samples.len(), run.summary.frames), (120, 2));
        let reason = run.summary.diverged.unwrap();
        assert!(reason.contains("not a number"), "{reason}");
    }

    #[test]
    fn what_falls_freely_has_got_its_momentum_from_gravity() {
        let run = fall(usize::MAX);
        assert!(run.summary.diverged.is_none() && run.skin.is_none());
        assert!(run.summary.momentum_residual < 1e-12, "{:?}", run.summary);
        assert!((run.summary.momentum_exchanged_n_s - 2.0 * 9.81 * 2.0).abs() < 1e-9);
    }
}
