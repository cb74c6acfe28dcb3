//! Limits that end a run early: too large a force on any part of the robot, and too slow a simulation.

use std::time::{Duration, Instant};

use insonate_sim::verdict::RunWatch;

use super::{ExperimentError, Sample};

/// Wall-clock time before the speed is checked [s], so that start-up and a busy machine do not end a run.
const PATIENCE: f64 = 20.0;

/// Limits that are checked at every step.
#[derive(Debug)]
pub(super) struct Guard {
    /// Maximum force between any part of the robot and what it touches [N].
    max_force: f64,
    /// Minimum ratio of simulated time to wall-clock time.
    real_time: f64,
    begun: Instant,
}

impl Guard {
    /// Makes a guard; wall-clock time counts from now.
    pub(super) fn new(max_force: f64, real_time: f64) -> Self {
        Self {
            max_force,
            real_time,
            begun: Instant::now(),
        }
    }

    /// Fails if a step exceeded a limit. `aside` is wall-clock time that does not count as simulation.
    pub(super) fn check(
        &self,
        sample: &Sample,
        watch: &RunWatch,
        aside: Duration,
    ) -> Result<(), ExperimentError> {
        let [x, y, z] = sample.contact_force;
        let force = (x * x + y * y + z * z).sqrt();
        if force > self.max_force || force.is_nan() {
            return Err(ExperimentError::ProbeForce {
                force,
                time: sample.time,
                limit: self.max_force,
            });
        }
        self.check_rest(sample.time, watch, aside)
    }

    /// Checks a step at a simulated time [s] without the probe's force.
    pub(super) fn check_rest(
        &self,
        time: f64,
        watch: &RunWatch,
        aside: Duration,
    ) -> Result<(), ExperimentError> {
        if let Some(touch) = watch.other_contact()
            && (touch.force > self.max_force || touch.force.is_nan())
        {
            return Err(ExperimentError::ArmForce {
                body: touch.body.clone(),
                other: touch.other.clone(),
                force: touch.force,
                time: touch.time,
                limit: self.max_force,
            });
        }
        let wall = self.begun.elapsed().saturating_sub(aside).as_secs_f64();
        let speed = time / wall;
        if wall >= PATIENCE && speed < self.real_time {
            return Err(ExperimentError::TooSlow {
                speed,
                limit: self.real_time,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use insonate_sim::Physics;

    use super::*;

    const ARM: &str = r#"<mujoco><worldbody><body name="robot/link"><joint name="robot/j" axis="0 1 0"/><geom size=".1" mass="1"/>
        <site name="probe/face_center"/></body></worldbody><actuator><motor joint="robot/j"/></actuator></mujoco>"#;

    #[test]
    fn a_crawling_simulation_ends_after_some_patience() {
        let watch = RunWatch::new(&Physics::from_xml(ARM).unwrap()).unwrap();
        let begun_ago = |seconds| Guard {
            begun: Instant::now()
                .checked_sub(Duration::from_secs(seconds))
                .unwrap(),
            ..Guard::new(80.0, 0.01)
        };
        let check = |guard: &Guard, time| guard.check_rest(time, &watch, Duration::ZERO);
        assert!(check(&begun_ago(10), 0.05).is_ok() && check(&begun_ago(30), 0.5).is_ok());
        let crawling = check(&begun_ago(30), 0.15).unwrap_err().to_string();
        assert!(crawling.contains("0.50 % of real time"), "{crawling}");
        assert!(
            check(
                &Guard {
                    real_time: 0.0,
                    ..begun_ago(30)
                },
                0.15
            )
            .is_ok()
        );
        // Time for pictures does not count as simulation time.
        let pictures = Duration::from_secs(25);
        assert!(begun_ago(30).check_rest(0.15, &watch, pictures).is_ok());
    }
}
