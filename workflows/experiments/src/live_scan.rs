//! A scan without end: back and forth along its path, until a client steers the probe.

use std::sync::Arc;

use insonate_envs::OwnPatient;
use insonate_envs::ultrasound::{TorsoAtRest, TorsoScene, TorsoView};
use insonate_models::Scene;
use insonate_sim::controllers::{
    Controller as _, HybridForce, HybridTarget, OscPose, OscPoseConfig, OscTarget,
};
use insonate_sim::{CompiledScene, Physics, Pose, Twist};
use nalgebra::Vector3;

use super::ExperimentError;
use super::depth_limit::DepthLimit;
use super::probe_scene::ProbeScene;
use super::scan::Scan;
use super::scan_path::Path;

/// Time in contact before the probe starts to slide [s].
const SETTLE: f64 = 0.75;

/// Stiffness of the position control per unit of task inertia while the probe is steered [1/s²].
const STEERED_STIFFNESS: f64 = 600.0;

/// A running scan.
pub struct LiveScan<'a> {
    probe_scene: ProbeScene<'a>,
    path: Path,
    scan: Scan,
    hybrid: HybridForce,
    /// Time in contact so far [s].
    touching: f64,
    /// Distance that the goal has moved along the path [m].
    travelled: f64,
    /// Controller and target pose while the probe is steered.
    steered: Option<(OscPose, Pose)>,
    /// Greatest depth of the probe below the resting skin at the ends of [`LiveScan::advance`] [m], and the depth to which forces hold.
    deepest: f64,
    limit: DepthLimit,
    /// The torso before the first step; set if it is imaged.
    imaged: Option<TorsoAtRest>,
    /// The made patient of the scene.
    patient: Option<Arc<OwnPatient>>,
}

impl std::fmt::Debug for LiveScan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveScan")
            .field("scan", &self.scan)
            .field("travelled", &self.travelled)
            .finish_non_exhaustive()
    }
}

impl<'a> LiveScan<'a> {
    /// Places the probe above the start of the path.
    ///
    /// # Errors
    /// The errors of [`super::scan()`].
    pub fn new(scene: &'a Scene, scan: &Scan) -> Result<Self, ExperimentError> {
        scan.check()?;
        let mut probe_scene = ProbeScene::new(scene)?;
        let path = Path::over(&probe_scene, scan)?;
        probe_scene.place(&path.above_start(&probe_scene, scan)?)?;
        Ok(Self {
            hybrid: HybridForce::new(&probe_scene.physics, scan.controller.clone())?,
            probe_scene,
            path,
            scan: scan.clone(),
            touching: 0.0,
            travelled: 0.0,
            steered: None,
            deepest: 0.0,
            limit: DepthLimit::of(scene),
            imaged: None,
            patient: None,
        })
    }

    /// The made patient of the scene, whose organs are imaged.
    #[must_use]
    pub fn of_patient(self, patient: Arc<OwnPatient>) -> Self {
        Self {
            patient: Some(patient),
            ..self
        }
    }

    /// Simulates `time` [s].
    ///
    /// # Errors
    /// If the simulation diverges.
    pub fn advance(&mut self, time: f64) -> Result<(), ExperimentError> {
        let end = self.probe_scene.physics.time() + time;
        // Tolerance of half a step, because times are sums.
        while self.probe_scene.physics.time() < end - 0.5 * self.probe_scene.physics.timestep() {
            if let Some((controller, target)) = &mut self.steered {
                let physics = &mut self.probe_scene.physics;
                controller.set_target(physics, OscTarget::Pose(*target));
                controller.control(physics);
            } else {
                self.follow_path()?;
            }
            self.probe_scene.physics.step()?;
        }
        let probe = self.world_from_probe().position;
        if let Some(height) = self.skin_height(&probe) {
            self.deepest = self.deepest.max(height - probe.z);
        }
        Ok(())
    }

    /// Warning about forces that do not hold as deep as the probe has been.
    pub fn depth_warning(&self) -> Option<String> {
        self.limit.warning(self.deepest)
    }

    /// Holds the probe at a pose from now on and ends the scan.
    ///
    /// # Errors
    /// The errors of [`OscPose::new`].
    pub fn steer(&mut self, world_from_probe: Pose) -> Result<(), ExperimentError> {
        if let Some((_, target)) = &mut self.steered {
            *target = world_from_probe;
            return Ok(());
        }
        let config = OscPoseConfig {
            stiffness: [STEERED_STIFFNESS; 6],
            ..OscPoseConfig::default()
        };
        let controller = OscPose::new(&self.probe_scene.physics, config)?;
        self.steered = Some((controller, world_from_probe));
        Ok(())
    }

    /// Lets [`LiveScan::torso_view`] return what the probe can image. Call it before the first step; `seed` draws the organs.
    ///
    /// # Errors
    /// [`ExperimentError::NoOrgans`] if the torso is neither the procedural adult nor a made patient.
    pub fn start_imaging(&mut self, seed: u64) -> Result<(), ExperimentError> {
        let torso = self.probe_scene.scene.torso.as_ref();
        let physique = torso.and_then(|torso| torso.config.physique());
        if physique.is_none() && self.patient.is_none() {
            return Err(ExperimentError::NoOrgans);
        }
        self.imaged = Some(TorsoAtRest::new(&self.torso(), seed)?);
        Ok(())
    }

    /// The tissue, the organs and the probe; `None` before [`LiveScan::start_imaging`].
    pub fn torso_view(&self) -> Option<TorsoView> {
        Some(self.imaged.as_ref()?.view(&self.torso()))
    }

    fn torso(&self) -> TorsoScene<'_> {
        TorsoScene {
            scene: self.probe_scene.scene,
            physics: &self.probe_scene.physics,
            world_from_rest: Pose::default(),
            patient: None,
            made: self.patient.as_ref(),
        }
    }

    /// The scene and its state.
    pub fn scene(&self) -> (&CompiledScene, &Physics) {
        (&self.probe_scene.compiled, &self.probe_scene.physics)
    }

    /// Pose of the probe.
    pub fn world_from_probe(&self) -> Pose {
        let placement = &self.probe_scene.placement;
        placement.probe.world_from_probe(&self.probe_scene.physics)
    }

    /// Height of the resting skin at a horizontal position in the world [m]; `None` outside of the torso.
    pub fn skin_height(&self, position: &Vector3<f64>) -> Option<f64> {
        let [x, y, _] = self.probe_scene.torso_position();
        let skin = self.probe_scene.skin(position.x - x, position.y - y);
        skin.ok().map(|skin| skin.position.z)
    }

    /// Takes one step along the path, which reverses at its ends.
    fn follow_path(&mut self) -> Result<(), ExperimentError> {
        let dt = self.probe_scene.physics.timestep();
        self.touching += if self.probe_scene.in_contact() {
            dt
        } else {
            0.0
        };
        let is_sliding = self.touching > SETTLE;
        let there_and_back = 2.0 * self.path.length;
        let place = self.travelled % there_and_back;
        let is_back = place > self.path.length;
        let distance = if is_back {
            there_and_back - place
        } else {
            place
        };
        let goal = self.path.at(&self.probe_scene, distance)?;
        let speed = match (is_sliding, is_back) {
            (false, _) => 0.0,
            (true, false) => self.scan.speed,
            (true, true) => -self.scan.speed,
        };
        let target = HybridTarget {
            world_from_probe: goal.pose,
            twist: Twist {
                linear: goal.direction * speed,
                angular: Vector3::zeros(),
            },
            force: self.scan.force,
        };
        self.hybrid.set_target(&self.probe_scene.physics, target);
        self.hybrid.control(&mut self.probe_scene.physics);
        self.travelled += if is_sliding {
            self.scan.speed * dt
        } else {
            0.0
        };
        Ok(())
    }
}
