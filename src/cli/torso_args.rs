//! The options of a scene apart from the choice of its robot: probe, torso, the robot's position and the time step.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use insonate::experiments::FileSoftness;
use insonate::experiments::psm::PsmPalpation;
use insonate::models::patients::Physique;
use insonate::models::robots::Robot;
use insonate::models::torsos::{self, Breathing, Device, Shape, Softness, TorsoConfig, materials};
use insonate::models::{
    Lattice, ModelError, RobotChoice, Scene, SceneConfig, SoftnessChoice, probes,
};
use insonate_settings::{SettingError, check_range};

use super::Usage;
use super::patient_args::{Patient, PatientChoice, Person, PhysiqueArgs, patient};
use super::scene_words::{count, help, names, position, shape};
use super::softness_args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct TorsoArgs {
    /// Position of the robot's base in the world [m] [default: on the pedestal, -0.56,0,0.8].
    #[arg(long, value_name = "X,Y,Z", value_parser = position, allow_hyphen_values = true)]
    robot_position: Option<[f64; 3]>,
    #[arg(long, default_value = SceneConfig::PROBE, help = help("Ultrasound probe", &names(probes::ALL)))]
    probe: String,
    #[arg(long, help = help("Soft torso", &torso_names()) + " [default: " + SceneConfig::TORSO + "]")]
    torso: Option<String>,
    /// Outline of the torso: cylinder, box, ellipsoid, human or adult [default: cylinder].
    #[arg(long, value_parser = shape)]
    shape: Option<Shape>,
    /// A patient instead of a bare torso: `adult`, the trunk of an adult with head, arms and legs (as --shape adult), or the folder of a
    /// patient that insonate patient make wrote.
    #[arg(long, value_parser = patient, conflicts_with = "shape")]
    patient: Option<Patient>,
    /// Seed for the sex, height and mass of the patient, unless they are given [default: the reference man, 1.76 m, 73 kg].
    #[arg(long, value_name = "SEED")]
    patient_seed: Option<u64>,
    #[command(flatten)]
    physique: PhysiqueArgs,
    /// Lattice of the torso [default: probe for fast; else 0.035 m apart, human 0.0233, adult 0.022 to 0.035].
    ///
    /// `probe`, for fast and composite: at most half of the probe's thickness, so that it does not fall between two points; only the
    /// front is soft, and a probe measures the given stiffness and damping.
    /// `thesis`: 9,4,11 points at 0.035 m. On it, and on a lattice given by numbers, stiffness and damping of fast and composite are
    /// `solref` of MuJoCo's constraints, as in the thesis (Jakobsen 2021).
    #[arg(
        long,
        value_name = "probe|thesis",
        value_enum,
        hide_possible_values = true
    )]
    lattice: Option<LatticeArg>,
    /// Lattice points across, through and along the patient [default: from --spacing].
    #[arg(long, value_name = "X,Y,Z", value_parser = count)]
    count: Option<[usize; 3]>,
    /// Distance of neighbouring lattice points [m].
    #[arg(long, value_name = "M", value_parser = spacing, conflicts_with = "lattice")]
    spacing: Option<Spacing>,
    #[arg(long, value_name = "NAME", conflicts_with_all = ["stiffness", "damping", "softness"], help = help("Stiffness and damping of a known material", &material_names()))]
    material: Option<String>,
    /// Softness file (softness.toml) from `insonate calibrate`: stiffness and damping, from the entry for this torso if there is one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stiffness", "damping"])]
    softness: Option<PathBuf>,
    /// Use the pooled softness of --softness for the whole torso, without the file's map.
    #[arg(long, requires = "softness")]
    pooled: bool,
    /// Origin of the frame of the logs behind the map of --softness, in the world [m]; the axes are parallel [default: 0,0,0].
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_parser = position,
        allow_hyphen_values = true,
        requires = "softness"
    )]
    map_origin: Option<[f64; 3]>,
    /// Stiffness of the tissue [N/m] [default: 1324.17].
    #[arg(long, value_name = "K")]
    stiffness: Option<f64>,
    /// Damping of the tissue [N·s/m] [default: 17.59].
    #[arg(long, value_name = "C")]
    damping: Option<f64>,
    /// Breathing rate [Hz]; 0 disables breathing [default: 0].
    #[arg(long, value_name = "HZ")]
    breathing_rate: Option<f64>,
    /// Rise of the chest with each breath [m] [default: 0.008].
    #[arg(long, value_name = "M")]
    breathing_amplitude: Option<f64>,
    /// Length of a physics step [s] [default: 0.002].
    #[arg(long, alias = "physics-timestep", value_name = "S")]
    timestep: Option<f64>,
}

/// Lattices with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LatticeArg {
    /// Matched to the probe.
    Probe,
    /// The lattice of the thesis.
    Thesis,
}

/// Value of `--spacing`. The names were its values before `--lattice` existed.
#[derive(Clone, Copy, Debug)]
enum Spacing {
    Metres(f64),
    Named(LatticeArg),
}

fn spacing(text: &str) -> Result<Spacing, String> {
    if let Ok(name) = LatticeArg::from_str(text, false) {
        return Ok(Spacing::Named(name));
    }
    text.parse()
        .map(Spacing::Metres)
        .map_err(|_| "a length in metres such as 0.035; --lattice takes probe or thesis".to_owned())
}

impl TorsoArgs {
    /// The scene that the options describe, with a robot and a patient; notes about what could not be kept go to standard error.
    pub(crate) fn scene(
        &self,
        robot: Robot,
        person: &Person,
        device: Device,
    ) -> anyhow::Result<Scene> {
        let tuning = match &self.softness {
            Some(file) if !self.is_none() => Some(FileSoftness::read(file, self.torso_name())?),
            _ => None,
        };
        let patient = match person {
            Person::Adult(physique) => Some(*physique),
            Person::Nobody | Person::Own(_) => None,
        };
        let mut config = SceneConfig {
            robot: RobotChoice::Loaded(Box::new(robot)),
            device,
            ..self.config(patient, tuning.as_ref())?
        };
        if let Person::Own(own) = person {
            own.lay(&mut config).map_err(Usage::new)?;
        }
        let torso = self.torso(&config, tuning.as_ref())?;
        let mut scene = config.scene_with(torso.as_ref())?;
        if let Some(tuning) = tuning.as_ref().filter(|_| !self.pooled) {
            let origin = self.map_origin.unwrap_or_default();
            let note = tuning.apply_map(&mut scene, origin);
            softness_args::tell(&note.map_err(softness_args::with_remedy)?);
        }
        Ok(scene)
    }

    fn config(
        &self,
        patient: Option<Physique>,
        tuning: Option<&FileSoftness>,
    ) -> anyhow::Result<SceneConfig> {
        if self.is_none() && (self.softness.is_some() || self.material.is_some()) {
            let problem = "softness needs a torso: remove `--torso none`".to_owned();
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        }
        let default = SceneConfig::default();
        let (softness, breathing) = (Softness::default(), Breathing::default());
        let rate = self.breathing_rate.unwrap_or(0.0);
        let lattice = self.lattice()?;
        let has_lattice = lattice != Lattice::Default;
        Ok(SceneConfig {
            probe: self.probe.clone(),
            torso: self.torso_name().to_owned(),
            shape: patient.map_or(self.shape.unwrap_or_default(), |_| Shape::Adult),
            patient,
            lattice,
            softness: match (&self.material, tuning) {
                (Some(name), _) => SoftnessChoice::Material(name.clone()),
                (_, Some(tuning)) => SoftnessChoice::Tuned(tuning.torso(!has_lattice)),
                (None, None) => SoftnessChoice::Values(Softness {
                    stiffness: self.stiffness.unwrap_or(softness.stiffness),
                    damping: self.damping.unwrap_or(softness.damping),
                }),
            },
            breathing: (rate != 0.0).then_some(Breathing {
                rate,
                amplitude: self.breathing_amplitude.unwrap_or(breathing.amplitude),
            }),
            timestep: self.timestep.unwrap_or(default.timestep),
            robot_position: self.robot_position,
            ..default
        })
    }

    fn lattice(&self) -> Result<Lattice, Usage> {
        let (name, spacing) = match (self.lattice, self.spacing) {
            (Some(name), _) | (None, Some(Spacing::Named(name))) => (Some(name), None),
            (None, Some(Spacing::Metres(spacing))) => (None, Some(spacing)),
            (None, None) => (None, None),
        };
        let Some(name) = name else {
            return Ok(match (self.count, spacing) {
                (None, None) => Lattice::Default,
                (count, spacing) => Lattice::Points { count, spacing },
            });
        };
        if self.count.is_some() {
            let problem = "--lattice chooses the number of points too; leave out --count";
            return Err(Usage::new(ModelError::Conflict(problem.to_owned())));
        }
        Ok(match name {
            LatticeArg::Probe => Lattice::Probe,
            LatticeArg::Thesis => Lattice::Thesis,
        })
    }

    /// The configuration of the torso. An error says whether an option or the softness file is wrong.
    fn torso(
        &self,
        config: &SceneConfig,
        tuning: Option<&FileSoftness>,
    ) -> anyhow::Result<Option<TorsoConfig>> {
        let Some(tuning) = tuning else {
            return Ok(config.torso_config().map_err(Usage::new)?);
        };
        let without_file = SceneConfig {
            softness: SoftnessChoice::Values(Softness::default()),
            ..config.clone()
        };
        without_file.torso_config().map_err(Usage::new)?;
        let torso = config.torso_config();
        let torso = torso.map_err(|error| tuning.problem(self.torso_name(), error))?;
        if let Some(torso) = &torso {
            softness_args::tell(&tuning.notes(self.torso_name(), torso));
        }
        Ok(torso)
    }

    fn torso_name(&self) -> &str {
        self.torso.as_deref().unwrap_or(SceneConfig::TORSO)
    }

    /// Whether the scene has no torso.
    pub(crate) fn is_none(&self) -> bool {
        self.torso_name() == torsos::NONE
    }

    /// Name of the probe.
    pub(crate) fn probe_name(&self) -> &str {
        &self.probe
    }

    /// Who lies there.
    pub(crate) fn person(&self) -> anyhow::Result<Person> {
        self.patient().person(self.shape.unwrap_or_default())
    }

    /// Who lies there; an adult also without `--patient`.
    pub(crate) fn person_or_adult(&self) -> anyhow::Result<Person> {
        match self.patient {
            Some(Patient::Folder(_)) => self.person(),
            _ => Ok(Person::Adult(self.adult()?)),
        }
    }

    /// The adult whom the options describe, also without `--patient`.
    pub(crate) fn adult(&self) -> anyhow::Result<Physique> {
        let choice = PatientChoice {
            patient: self.patient.as_ref().or(Some(&Patient::Adult)),
            ..self.patient()
        };
        let shape = self.shape.unwrap_or_default();
        if ![Shape::default(), Shape::Adult].contains(&shape) {
            let problem = format!(
                "--shape {} has no organs to look at; leave it out",
                shape.name()
            );
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        }
        let physique = choice.physique(Shape::Adult)?;
        Ok(physique.unwrap_or_default())
    }

    fn patient(&self) -> PatientChoice<'_> {
        PatientChoice {
            patient: self.patient.as_ref(),
            seed: self.patient_seed,
            physique: self.physique,
        }
    }

    /// Gives the scene a step that a PSM under control can take: the default one is shortened, and a longer given one is refused.
    pub(crate) fn shorten_step(&self, scene: &mut Scene) -> Result<(), SettingError> {
        const LONGEST: f64 = PsmPalpation::LONGEST_TIMESTEP;
        let given = self.timestep.unwrap_or(LONGEST);
        check_range("timestep", given, [1e-5, LONGEST], "s")?;
        scene.timestep = scene.timestep.min(LONGEST);
        Ok(())
    }

    /// The options that were given: those of the patient, and the others without `--probe`.
    pub(crate) fn given(&self) -> [Vec<&'static str>; 2] {
        let patient = [("--patient", self.patient.is_some())];
        let others = [
            ("--robot-position", self.robot_position.is_some()),
            ("--torso", self.torso.is_some()),
            ("--lattice", self.lattice.is_some()),
            ("--count", self.count.is_some()),
            ("--spacing", self.spacing.is_some()),
            ("--material", self.material.is_some()),
            ("--softness", self.softness.is_some()),
            ("--pooled", self.pooled),
            ("--map-origin", self.map_origin.is_some()),
            ("--stiffness", self.stiffness.is_some()),
            ("--damping", self.damping.is_some()),
            ("--breathing-rate", self.breathing_rate.is_some()),
            ("--breathing-amplitude", self.breathing_amplitude.is_some()),
            ("--timestep", self.timestep.is_some()),
        ];
        let shape = [("--shape", self.shape.is_some())];
        [
            [
                super::given(&patient),
                self.patient().given(),
                super::given(&shape),
            ]
            .concat(),
            super::given(&others),
        ]
    }
}

fn material_names() -> Vec<&'static str> {
    materials::ALL
        .iter()
        .map(|material| material.name)
        .collect()
}

fn torso_names() -> Vec<&'static str> {
    let kinds = torsos::ALL.iter().map(|kind| kind.name);
    kinds.chain([torsos::NONE]).collect()
}
