//! The options that say what stands in the scene; all commands share them.

use std::path::{Path, PathBuf};

use clap::Args;
use insonate::calibration::{
    models as laws,
    softness::{LogEntry, SoftnessFile},
};
use insonate::models::patients::Physique;
use insonate::models::patients::Sex;
use insonate::models::probes::{self, Probe};
use insonate::models::robots::Robot;
use insonate::models::torsos::{self, Breathing, Shape, Softness, Torso, TorsoConfig, materials};
use insonate::models::{ModelError, Scene, robots};
use insonate::report::settings;
use insonate::sim::robot_file::{self, LoadOptions, Package};

use super::Usage;
use super::patient_args::{Patient, PatientChoice, sex};
use super::softness_map;

#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct SceneArgs {
    #[arg(long, conflicts_with = "robot_file", help = help("Robot arm", &names(robots::ALL)) + " [default: panda]")]
    robot: Option<String>,
    /// Your own robot: an MJCF file (with its includes and meshes) or a URDF file.
    #[arg(long, value_name = "FILE", requires = "flange")]
    robot_file: Option<PathBuf>,
    /// Body or site of --robot-file that carries the probe; a link of a URDF.
    #[arg(long, value_name = "NAME")]
    flange: Option<String>,
    /// Folder that --robot-file may read from [default: the file's own folder].
    #[arg(long, value_name = "DIR", requires = "robot_file")]
    robot_root: Option<PathBuf>,
    /// Folder of a package that a URDF names by package://NAME/ [default: the folder above the file that is this package].
    #[arg(long, value_name = "NAME=DIR", requires = "robot_file", value_parser = package)]
    package: Vec<Package>,
    /// Remove bodies that the last link of --robot-file carries next to the flange, such as a gripper.
    #[arg(long, requires = "robot_file")]
    without_tool: bool,
    /// Position of the robot's base in the world [m] [default: on the pedestal, -0.56,0,0.8].
    #[arg(long, value_name = "X,Y,Z", value_parser = position, allow_hyphen_values = true)]
    robot_position: Option<[f64; 3]>,
    #[arg(long, default_value = "c5-2", help = help("Ultrasound probe", &names(probes::ALL)))]
    probe: String,
    #[arg(long, default_value = "fast", help = help("Soft torso", &torso_names()))]
    torso: String,
    /// Outline of the torso: cylinder, box, ellipsoid, human or adult.
    #[arg(long, default_value = "cylinder", value_parser = shape)]
    shape: Shape,
    /// A patient instead of a bare torso: the torso is the trunk of an adult, with head, arms and legs; same as --shape adult.
    #[arg(long, value_enum, conflicts_with = "shape")]
    patient: Option<Patient>,
    /// Seed for the sex, height and mass of the patient, unless they are given [default: the reference man, 1.76 m, 73 kg].
    #[arg(long, value_name = "SEED")]
    patient_seed: Option<u64>,
    /// Sex of the patient: female (if nothing else is given 1.63 m, 60 kg) or male.
    #[arg(long, value_parser = sex)]
    patient_sex: Option<Sex>,
    /// Height of the patient [m], 1.4 to 2.1.
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    patient_height: Option<f64>,
    /// Mass of the patient [kg], at a body mass index of 16 to 40 kg/m² [default: same build as the reference].
    #[arg(long, value_name = "KG", allow_negative_numbers = true)]
    patient_mass: Option<f64>,
    /// Lattice points across, through and along the patient [default: from --spacing].
    #[arg(long, value_name = "X,Y,Z", value_parser = count)]
    count: Option<[usize; 3]>,
    /// Distance of neighbouring lattice points [m] [default: probe for fast; else 0.035, human 0.0233, adult 0.022 to 0.035].
    ///
    /// `probe`, for fast and composite: at most half of the probe's thickness, so that it does not fall between two points; only the
    /// front is soft, and a probe measures the given stiffness and damping.
    /// `thesis`: 9,4,11 points at 0.035 m. On it, and on a lattice given by numbers, stiffness and damping of fast and composite are
    /// `solref` of MuJoCo's constraints, as in the thesis (Jakobsen 2021).
    #[arg(long, value_name = "M|probe|thesis", value_parser = spacing, allow_negative_numbers = true)]
    spacing: Option<Spacing>,
    #[arg(long, value_name = "NAME", conflicts_with_all = ["stiffness", "damping", "softness"], help = help("Stiffness and damping of a known material", &material_names()))]
    material: Option<String>,
    /// Softness file (softness.toml) from `insonate calibrate`: stiffness and damping, from the entry for this torso if there is one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stiffness", "damping"])]
    softness: Option<PathBuf>,
    /// Use the pooled softness of --softness for the whole torso, without the file's map.
    #[arg(long, requires = "softness")]
    pooled: bool,
    /// Origin of the frame of the logs behind the map of --softness, in the world [m]; the axes are parallel.
    #[arg(
        long,
        value_name = "X,Y,Z",
        value_parser = position,
        default_value = "0,0,0",
        allow_hyphen_values = true,
        requires = "softness"
    )]
    map_origin: [f64; 3],
    /// Stiffness of the tissue [N/m].
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1324.17,
        allow_negative_numbers = true
    )]
    stiffness: f64,
    /// Damping of the tissue [N·s/m].
    #[arg(
        long,
        value_name = "C",
        default_value_t = 17.59,
        allow_negative_numbers = true
    )]
    damping: f64,
    /// Breathing rate [Hz]; 0 disables breathing.
    #[arg(
        long,
        value_name = "HZ",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    breathing_rate: f64,
    /// Rise of the chest with each breath [m].
    #[arg(
        long,
        value_name = "M",
        default_value_t = 0.008,
        allow_negative_numbers = true
    )]
    breathing_amplitude: f64,
    /// Length of a physics step [s].
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.002,
        allow_negative_numbers = true
    )]
    timestep: f64,
}

fn package(text: &str) -> Result<Package, String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok(Package {
            name: name.to_owned(),
            folder: folder.into(),
        }),
        _ => Err(format!("{text:?} is not NAME=DIR")),
    }
}

impl SceneArgs {
    /// The scene that the options describe; notes about what could not be kept go to standard error.
    pub(crate) fn build(&self) -> anyhow::Result<Scene> {
        let robot = self.robot()?;
        self.with_robot(robot)
    }

    fn robot(&self) -> anyhow::Result<Robot> {
        Ok(match (&self.robot_file, &self.flange) {
            (Some(file), Some(flange)) => {
                let options = LoadOptions {
                    root: self.robot_root.clone(),
                    without_tool: self.without_tool,
                    packages: self.package.clone(),
                };
                let loaded = robot_file::load(file, flange, &options)?;
                for note in &loaded.notes {
                    eprintln!("note: {note}");
                }
                loaded.robot
            }
            _ => find(
                self.robot.as_deref().unwrap_or("panda"),
                "robot",
                robots::ALL,
            )?,
        })
    }

    /// The robot, if an option names one.
    pub(crate) fn named_robot(&self) -> anyhow::Result<Option<Robot>> {
        let is_named = self.robot.is_some() || self.robot_file.is_some();
        is_named.then(|| self.robot()).transpose()
    }

    /// The scene with a robot that the command chooses.
    pub(crate) fn with_robot(&self, robot: Robot) -> anyhow::Result<Scene> {
        let patient = self.patient().physique(self.shape)?;
        self.with_patient(robot, patient)
    }

    fn with_patient(&self, robot: Robot, patient: Option<Physique>) -> anyhow::Result<Scene> {
        let probe = find(&self.probe, "probe", probes::ALL)?;
        let torso = self.torso(&probe, patient)?;
        let mut scene = Scene::new(robot, probe, torso);
        scene.timestep = self.timestep;
        scene.robot_position = self.robot_position.unwrap_or(scene.robot_position);
        if let Some(file) = self.softness.as_deref().filter(|_| !self.pooled) {
            softness_map::apply(&mut scene, file, self.map_origin)?;
        }
        Ok(scene)
    }

    /// Name of the probe.
    pub(crate) fn probe_name(&self) -> &str {
        &self.probe
    }

    /// The adult whom the options describe, also without `--patient`.
    pub(crate) fn adult(&self) -> anyhow::Result<Physique> {
        let choice = PatientChoice {
            patient: Some(Patient::Adult),
            ..self.patient()
        };
        if ![Shape::default(), Shape::Adult].contains(&self.shape) {
            let problem = format!(
                "--shape {} has no organs to look at; leave it out",
                self.shape.name()
            );
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        }
        let physique = choice.physique(Shape::Adult)?;
        Ok(physique.unwrap_or_default())
    }

    /// The scene that the options describe with an adult in it, also without `--patient`.
    pub(crate) fn build_adult(&self) -> anyhow::Result<Scene> {
        if self.torso == "none" {
            let problem = "ultrasound needs a torso: remove `--torso none`".to_owned();
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        }
        let robot = self.robot()?;
        self.with_patient(robot, Some(self.adult()?))
    }

    fn patient(&self) -> PatientChoice {
        PatientChoice {
            patient: self.patient,
            seed: self.patient_seed,
            sex: self.patient_sex,
            height: self.patient_height,
            mass: self.patient_mass,
        }
    }

    /// Fails where `--spacing probe` means nothing.
    fn check_following(&self) -> Result<(), Usage> {
        let problem = if !matches!(self.torso.as_str(), "composite" | "fast") {
            format!(
                "--spacing probe is for the torsos composite and fast; {} is a solid without gaps",
                self.torso
            )
        } else if self.count.is_some() {
            "--spacing probe chooses the count too; leave out --count".to_owned()
        } else {
            return Ok(());
        };
        Err(Usage::new(ModelError::Conflict(problem)))
    }

    /// The lattice that the options ask for, in a torso of default softness.
    fn lattice(
        &self,
        shape: Shape,
        patient: Option<Physique>,
        thickness: f64,
    ) -> anyhow::Result<TorsoConfig> {
        let usual = TorsoConfig::usual(&self.torso, shape, patient, thickness);
        let unfollowing = if self.torso == "fast" {
            "composite"
        } else {
            &self.torso
        };
        let by_numbers = TorsoConfig::usual(unfollowing, shape, patient, thickness);
        let config = match (self.spacing, patient) {
            (None, _) if self.count.is_none() => usual,
            (None, _) => by_numbers,
            (Some(Spacing::Metres(spacing)), Some(patient)) => {
                TorsoConfig::of_patient(patient, spacing)
            }
            (Some(Spacing::Metres(spacing)), None) => TorsoConfig {
                spacing,
                ..by_numbers
            },
            (Some(Spacing::Probe), _) => {
                self.check_following()?;
                by_numbers.following(thickness)
            }
            (Some(Spacing::Thesis), _) => {
                self.check_thesis(shape)?;
                TorsoConfig {
                    shape,
                    ..TorsoConfig::default()
                }
            }
        };
        Ok(TorsoConfig {
            count: self.count.unwrap_or(config.count),
            ..config
        })
    }

    /// Fails where `--spacing thesis` means nothing.
    fn check_thesis(&self, shape: Shape) -> Result<(), Usage> {
        let problem = if shape == Shape::Adult {
            "--spacing thesis is for the thesis' own shapes; an adult has the size of a person"
        } else if self.count.is_some() {
            "--spacing thesis chooses the count too; leave out --count"
        } else {
            return Ok(());
        };
        Err(Usage::new(ModelError::Conflict(problem.to_owned())))
    }

    fn torso(&self, probe: &Probe, patient: Option<Physique>) -> anyhow::Result<Option<Torso>> {
        if self.torso == "none" {
            if self.softness.is_some() || self.material.is_some() {
                let problem = "softness needs a torso: remove `--torso none`".to_owned();
                return Err(Usage::new(ModelError::Conflict(problem)).into());
            }
            return Ok(None);
        }
        let kind = torsos::by_name(&self.torso).map_err(Usage::new)?;
        let breathing = (self.breathing_rate != 0.0).then_some(Breathing {
            rate: self.breathing_rate,
            amplitude: self.breathing_amplitude,
        });
        let shape = patient.map_or(self.shape, |_| Shape::Adult);
        let mut config = TorsoConfig {
            softness: Softness {
                stiffness: self.stiffness,
                damping: self.damping,
            },
            breathing,
            ..self.lattice(shape, patient, probe.thickness)?
        };
        if let Some(name) = &self.material {
            config.softness = materials::by_name(name).map_err(Usage::new)?.softness();
        }
        if let Some(file) = &self.softness {
            let has_lattice = self.count.is_some() || self.spacing.is_some();
            soften(&mut config, &self.torso, file, has_lattice)?;
        }
        if config.soft_layers.is_some() {
            config = config.matching(self.timestep);
        }
        config.reach = TorsoConfig::usual_reach(kind.name);
        config.check().map_err(Usage::new)?;
        Ok(Some((kind.build)(&config)?))
    }
}

/// What `--spacing` takes.
#[derive(Clone, Copy, Debug)]
enum Spacing {
    Metres(f64),
    Probe,
    Thesis,
}

fn spacing(text: &str) -> Result<Spacing, String> {
    match text {
        "probe" => Ok(Spacing::Probe),
        "thesis" => Ok(Spacing::Thesis),
        _ => text
            .parse()
            .map(Spacing::Metres)
            .map_err(|_| "a length in metres such as 0.035, probe or thesis".to_owned()),
    }
}

/// Takes the softness from a file, and the lattice that it was tuned for unless the options have one, and says which of its entries.
fn soften(
    config: &mut TorsoConfig,
    torso: &str,
    path: &Path,
    has_lattice: bool,
) -> anyhow::Result<()> {
    let file = SoftnessFile::read(path)?;
    let shown = path.display();
    if let Some(entry) = file.scene.get(torso) {
        if !has_lattice {
            settings::apply_lattice(entry, config);
        }
        let differs = settings::apply(entry, config)
            .map_err(|problem| anyhow::anyhow!("{shown}: scene.{torso}: {problem}"))?;
        eprintln!(
            "note: torso {torso} takes its softness from [scene.{torso}] of {shown}: stiffness {} N/m, damping {} N·s/m",
            entry.stiffness, entry.damping
        );
        if let Some(differs) = differs {
            eprintln!("note: {differs}");
        }
    } else {
        let [stiffness, damping] = file.stiffness_and_damping().ok_or_else(|| {
            let better = laws::names_where(|kind| kind.gives_softness);
            let advice = match file.model.as_str() {
                "" => format!("; calibrate with --model {better}"),
                model if laws::by_name(model).is_some_and(|kind| kind.gives_softness) => {
                    format!(": {}", not_identified(&file))
                }
                model => format!(", for model {model}; calibrate with --model {better}"),
            };
            anyhow::anyhow!("{shown} has no pooled stiffness and damping{advice}")
        })?;
        config.softness = Softness { stiffness, damping };
        eprintln!(
            "note: torso {torso} takes the pooled softness of {shown}: stiffness {stiffness} N/m, damping {damping} N·s/m; \
             what a press of it measures may differ, `insonate calibrate --fit-scene` tunes it"
        );
    }
    config
        .check()
        .map_err(|error| anyhow::anyhow!("{shown}: {error}"))
}

/// Why a file of a law that gives softness has none.
fn not_identified(file: &SoftnessFile) -> String {
    let reason = |log: &LogEntry| {
        let name = ["stiffness", "damping"]
            .into_iter()
            .find(|name| log.unidentifiable.contains_key(*name))?;
        Some(format!(
            "{} has no {name}: {}",
            log.file, log.unidentifiable[name]
        ))
    };
    file.logs.iter().find_map(reason).unwrap_or_else(|| {
        "give [pooled.stiffness] and [pooled.damping], or --stiffness and --damping".to_owned()
    })
}

/// Names and makers.
type Registry<T> = [(&'static str, fn() -> T)];

/// The registry's entry called `name`.
fn find<T>(name: &str, kind: &'static str, all: &Registry<T>) -> anyhow::Result<T> {
    let make = all.iter().find(|(known, _)| *known == name);
    make.map(|(_, make)| make()).ok_or_else(|| {
        Usage::new(ModelError::Unknown {
            kind,
            name: name.to_owned(),
            known: names(all).join(", "),
        })
        .into()
    })
}

fn names<T>(all: &Registry<T>) -> Vec<&'static str> {
    all.iter().map(|(name, _)| *name).collect()
}

fn material_names() -> Vec<&'static str> {
    materials::ALL
        .iter()
        .map(|material| material.name)
        .collect()
}

fn torso_names() -> Vec<&'static str> {
    let kinds = torsos::ALL.iter().map(|kind| kind.name);
    kinds.chain(["none"]).collect()
}

/// Help for an option that takes one of these names.
fn help(what: &str, names: &[&str]) -> String {
    format!(
        "{what}: {}; `insonate list` describes them",
        names.join(", ")
    )
}

fn shape(name: &str) -> Result<Shape, String> {
    let shape = Shape::ALL
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, shape)| *shape);
    shape.ok_or_else(|| {
        let known: Vec<&str> = Shape::ALL.iter().map(|(known, _)| *known).collect();
        format!("choose one of {}", known.join(", "))
    })
}

fn count(text: &str) -> Result<[usize; 3], String> {
    let numbers: Result<Vec<usize>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    let numbers = numbers.map_err(|_| "three whole numbers, such as 9,4,11".to_owned())?;
    numbers
        .try_into()
        .map_err(|_| "three whole numbers, such as 9,4,11".to_owned())
}

fn position(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    let triple: Option<[f64; 3]> = numbers.ok().and_then(|numbers| numbers.try_into().ok());
    triple
        .filter(|triple| triple.iter().all(|x| x.is_finite()))
        .ok_or_else(|| "three numbers, such as -0.56,0,0.8".to_owned())
}
