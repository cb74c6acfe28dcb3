//! A scene for an experiment: the skin, the placement of the probe on it, and the measurements.

use insonate_meshes::HeightIndex;
use insonate_models::Scene;
use insonate_sim::placement::{ProbePlacement, SkinPoint};
use insonate_sim::readings::{FacePressure, Joints, PressureMap, ProbeContact, StressReading};
use insonate_sim::verdict::check_start;
use insonate_sim::{CompiledScene, Physics, Pose};
use nalgebra::Vector3;

use super::{ExperimentError, Pressure, Record, Sample, StressRecord};

/// A running scene with the readings of the probe.
#[derive(Debug)]
pub(super) struct ProbeScene<'a> {
    pub(super) scene: &'a Scene,
    pub(super) compiled: CompiledScene,
    pub(super) physics: Physics,
    pub(super) placement: ProbePlacement,
    contact: ProbeContact,
    joints: Joints,
    /// Set if samples have the pressure on the face.
    pressure: Option<FacePressure>,
    /// The map with the greatest peak so far.
    pub(super) greatest_pressure: Option<PressureMap>,
    /// The resting skin, in the torso frame.
    surface: Option<HeightIndex>,
}

impl<'a> ProbeScene<'a> {
    /// Compiles a scene and puts the robot into its home pose.
    pub(super) fn new(scene: &'a Scene) -> Result<Self, ExperimentError> {
        if scene.robot.flange.is_none() {
            return Err(ExperimentError::NoProbe {
                robot: scene.robot.name.to_string(),
            });
        }
        let compiled = CompiledScene::compile(&scene.to_mjcf()?)?;
        let physics = Physics::from_scene(&compiled)?;
        Ok(Self {
            scene,
            compiled,
            placement: ProbePlacement::new(&physics)?,
            contact: ProbeContact::new(physics.model())?,
            joints: Joints::new(physics.model()),
            pressure: None,
            greatest_pressure: None,
            physics,
            surface: scene
                .torso
                .as_ref()
                .map(|torso| HeightIndex::new(&torso.surface)),
        })
    }

    /// Lets samples have the pressure on the face; a torso on a GPU has none.
    pub(super) fn measure_pressure(&mut self) -> Result<(), ExperimentError> {
        if self.physics.has_torso_on_gpu() {
            return Ok(());
        }
        self.pressure = Some(FacePressure::new(&self.physics)?);
        self.physics.record_contact_points(true);
        Ok(())
    }

    /// The skin at `(x, y)` in the torso frame.
    pub(super) fn skin(&self, x: f64, y: f64) -> Result<SkinPoint, ExperimentError> {
        let surface = self.surface.as_ref().ok_or(ExperimentError::NoTorso {
            purpose: "to touch",
        })?;
        SkinPoint::above(surface, self.scene.torso_position, x, y).ok_or_else(|| {
            let [low, high] = surface.mesh().bounds().map(|[x, y, _]| [x, y]);
            ExperimentError::OffTorso { x, y, low, high }
        })
    }

    /// Position of the torso in the world [m].
    pub(super) fn torso_position(&self) -> [f64; 3] {
        self.scene.torso_position
    }

    /// Places the robot at rest with the probe at a pose and zeroes the force sensor. Fails if a part of the robot starts in collision.
    pub(super) fn place(&mut self, pose: &Pose) -> Result<(), ExperimentError> {
        self.placement.place(&mut self.physics, pose)?;
        self.check_start()
    }

    /// As [`Self::place`], at the first pose of a path that the arm then follows.
    pub(super) fn place_on_path(&mut self, path: &[Pose]) -> Result<(), ExperimentError> {
        self.placement.place_with_path(&mut self.physics, path)?;
        self.check_start()
    }

    fn check_start(&mut self) -> Result<(), ExperimentError> {
        let skin = self.surface.as_ref().map(HeightIndex::mesh);
        let skin = skin.map(|skin| (skin, self.scene.torso_position));
        Ok(check_start(&mut self.physics, skin)?)
    }

    /// Whether the probe is in contact.
    pub(super) fn in_contact(&self) -> bool {
        self.contact.in_contact(&self.physics)
    }

    /// Current measurements relative to a goal on a point of the skin, with motion along `direction`.
    pub(super) fn sample(
        &mut self,
        phase: usize,
        goal: &Pose,
        skin: &SkinPoint,
        direction: Option<Vector3<f64>>,
    ) -> Sample {
        let pose = self.placement.probe.world_from_probe(&self.physics);
        let twist = self.placement.probe.twist_in_world(&self.physics);
        let wrench = self
            .physics
            .force_torque()
            .map(insonate_sim::readings::ForceTorque::wrench_in_sensor)
            .unwrap_or_default();
        let offset = pose.position - skin.position;
        let across = direction.map_or(0.0, |direction| offset.dot(&skin.normal.cross(&direction)));
        Sample {
            time: self.physics.time(),
            phase,
            position: pose.position.into(),
            rotation: pose.quat(),
            target: goal.position.into(),
            velocity: twist.linear.into(),
            // The sensor measures the force of the tissue on the probe; the log holds the force of the probe on the tissue.
            force: (-wrench.force).into(),
            torque: (-wrench.torque).into(),
            contact_force: self.contact.force_in_world(&self.physics).into(),
            in_contact: self.contact.in_contact(&self.physics),
            indentation: -offset.dot(&skin.normal),
            path_error: across.abs(),
            tilt: pose.z_axis().angle(&goal.z_axis()),
            pressure: self.pressure_on_face(),
        }
    }

    /// Adds a sample of the current state to a record, with the joints.
    pub(super) fn log(&self, record: &mut Record, sample: Sample) {
        record.samples.push(sample);
        let log = &mut record.joints;
        if log.names.is_empty() {
            log.names.clone_from(&self.joints.names);
        }
        log.positions.extend(self.joints.positions(&self.physics));
        log.velocities.extend(self.joints.velocities(&self.physics));
    }

    /// Strain and stress of the tissue now; `None` if the torso has none.
    pub(super) fn stress(&self) -> Result<Option<StressRecord>, ExperimentError> {
        let reading = StressReading::of(&self.physics)?;
        Ok(reading.map(|reading| StressRecord {
            stress: reading.read(&self.physics),
            world_from_probe: self.placement.probe.world_from_probe(&self.physics),
        }))
    }

    fn pressure_on_face(&mut self) -> Option<Pressure> {
        let map = self.pressure.as_ref()?.read(&self.physics)?;
        let pressure = Pressure {
            peak: map.peak(),
            contact_area: map.contact_area(),
        };
        let greatest = self
            .greatest_pressure
            .as_ref()
            .map_or(0.0, PressureMap::peak);
        if pressure.peak > greatest {
            self.greatest_pressure = Some(map);
        }
        Some(pressure)
    }
}
