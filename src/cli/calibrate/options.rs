//! The options of a calibration, and which of them go together.

use clap::Args;
use insonate::calibration::formats::{Columns, OrientationKind, ReadOptions, TableError, Units};
use insonate::calibration::models::ModelKind;
use insonate::calibration::{
    CalibrationError, CalibrationOptions, FitOptions, ForceBias, ForceFrame, ForceLatency,
    ForceSign, Indenter, Log, Loss, ModelChoice, MovingMass, PrepareOptions, VelocitySource,
    models,
};

use crate::cli::number_list::finite as finite_numbers;

#[derive(Debug, Args)]
pub(super) struct LogOptions {
    /// Law of the tissue, see `insonate list`; `auto` compares them.
    #[arg(long, value_name = "NAME", default_value = models::DEFAULT.name, value_parser = model, help_heading = "Model")]
    model: ModelChoice,
    /// Fit a constant force f₀ too.
    #[arg(long, help_heading = "Model")]
    fit_offset: bool,
    /// What is minimised: squares, or huber or tukey, which outliers move less.
    #[arg(long, value_name = "NAME", default_value = "squares", value_parser = loss, help_heading = "Model")]
    loss: Loss,
    /// Mass between sensor and face, whose inertia the sensor reads [kg]; `fit`: fitted from the acceleration.
    /// With it, softness.toml has MuJoCo's solref.
    #[arg(long, value_name = "KG|fit", value_parser = mass, help_heading = "Model")]
    mass: Option<MovingMass>,
    /// Exponents of hunt-crossley; `fit`: fitted [default: 1.5,0.5].
    #[arg(long, value_name = "N,M|fit", value_parser = exponents, help_heading = "Model")]
    exponents: Option<Exponents>,
    /// Leave out samples with less indentation [m] [default: the model's own choice].
    #[arg(long, value_name = "M", value_parser = length, help_heading = "Model")]
    min_indentation: Option<f64>,
    /// The pressing tip and its radius [m], for Young's modulus: sphere with hertz, flat with flat-punch.
    #[arg(long, value_name = "sphere:R|flat:R", value_parser = tip, help_heading = "Model")]
    tip: Option<Indenter>,
    /// Poisson's ratio of the tissue [default: 0.5].
    #[arg(long, value_name = "NU", value_parser = poisson_ratio, requires = "tip", help_heading = "Model")]
    poisson_ratio: Option<f64>,
    /// Replicates of the block bootstrap; 0: none.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100_000), help_heading = "Model")]
    bootstrap: u32,
    /// Seed of the bootstrap.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "bootstrap",
        help_heading = "Model"
    )]
    seed: u64,
    /// Which column is what, by number (from 1) or header name; `position=x:y:z` instead of indentation.
    #[arg(long, value_name = "KEY=COLUMN,…", value_parser = columns, help_heading = "Reading")]
    columns: Option<Columns>,
    /// Units of the columns, such as indentation=mm,velocity=mm/s,force=N [default: the header's, else SI].
    #[arg(long, value_name = "KEY=UNIT,…", value_parser = units, help_heading = "Reading")]
    units: Option<Units>,
    /// How the columns of the orientation are written: xyzw, wxyz, rotation-vector, rpy or rpy-deg [default: as their names say].
    #[arg(long, value_name = "KIND", value_parser = orientation, help_heading = "Reading")]
    orientation: Option<OrientationKind>,
    /// Frame of a force vector: base, that of the position, or tool, turned by the recorded orientation [default: as the log tells].
    #[arg(long, value_name = "base|tool", value_parser = force_frame, help_heading = "Reading")]
    force_frame: Option<ForceFrame>,
    /// Samples per second, for logs without time [Hz].
    #[arg(long, value_name = "HZ", value_parser = positive, help_heading = "Reading")]
    rate: Option<f64>,
    /// Episode of a file that holds several.
    #[arg(long, value_name = "N", help_heading = "Reading")]
    episode: Option<i64>,
    /// Force that the sensor shows without contact [N]; auto: found in free air, none: nothing is removed.
    #[arg(long, value_name = "none|auto|N", default_value = "auto", value_parser = bias, help_heading = "Preparation")]
    bias: ForceBias,
    /// Time to fit, from and to [s] [default: from contact to release].
    #[arg(long, value_name = "A,B", value_parser = window, allow_hyphen_values = true, help_heading = "Preparation")]
    window: Option<[f64; 2]>,
    /// Position of the undeformed surface [m], for logs of position.
    #[arg(long, value_name = "M", value_parser = finite, help_heading = "Preparation")]
    surface: Option<f64>,
    /// Outward normal of the surface, for logs in space.
    #[arg(long, value_name = "X,Y,Z", value_parser = normal, allow_hyphen_values = true, help_heading = "Preparation")]
    normal: Option<[f64; 3]>,
    /// Sense of the recorded force: auto, pressing-positive or pressing-negative.
    #[arg(long, value_name = "SENSE", default_value = "auto", value_parser = sign, help_heading = "Preparation")]
    sign: ForceSign,
    /// Velocity: auto, logged, or estimated[:SAMPLES[:ORDER]] by a moving polynomial.
    #[arg(long, value_name = "SOURCE", default_value = "auto", value_parser = velocity, help_heading = "Preparation")]
    velocity: Velocity,
    /// How much later the force was recorded than the position [s]; `fit`: found with the law, if the log tells it.
    #[arg(long, value_name = "S|fit", value_parser = latency, help_heading = "Preparation")]
    force_latency: Option<ForceLatency>,
    /// Standard error of that latency [s], which enters every interval: damping moves by stiffness times latency [default: that of the fit, or a sampling interval over √12].
    #[arg(long, value_name = "S", value_parser = finite, help_heading = "Preparation")]
    force_latency_error: Option<f64>,
}

/// Exponents of Hunt–Crossley.
#[derive(Clone, Copy, Debug)]
enum Exponents {
    Given([f64; 2]),
    Fitted,
}

/// `--velocity`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Velocity {
    Of(VelocitySource),
    Logged,
}

impl LogOptions {
    /// What every log is calibrated with.
    pub(super) fn calibration(&self) -> Result<CalibrationOptions, CalibrationError> {
        self.check()?;
        let usual = FitOptions::default();
        let velocity = match self.velocity {
            Velocity::Of(source) => source,
            Velocity::Logged => VelocitySource::Auto,
        };
        Ok(CalibrationOptions {
            model: self.model,
            prepare: PrepareOptions {
                bias: self.bias,
                sign: self.sign,
                window: self.window,
                surface: self.surface,
                normal: self.normal,
                velocity,
                force_frame: self.force_frame.unwrap_or_default(),
                force_latency: self.force_latency,
                force_latency_error: self.force_latency_error,
            },
            fit: FitOptions {
                force_offset: self.fit_offset,
                loss: self.loss,
                mass: self.mass.unwrap_or_default(),
                exponents: match self.exponents {
                    None => usual.exponents,
                    Some(Exponents::Given(exponents)) => Some(exponents),
                    Some(Exponents::Fitted) => None,
                },
                min_indentation: self.min_indentation,
                indenter: self.tip,
                poisson_ratio: self.poisson_ratio.unwrap_or(usual.poisson_ratio),
                n_bootstrap: self.bootstrap as usize,
                seed: self.seed,
                ..usual
            },
        })
    }

    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            columns: self.columns.clone(),
            units: self.units.clone().unwrap_or_default(),
            rate: self.rate,
            episode: self.episode,
            orientation: self.orientation,
            force_frame: self.force_frame.unwrap_or_default(),
            robot: None,
        }
    }

    /// Fails for options that the model would ignore.
    fn check(&self) -> Result<(), CalibrationError> {
        let ModelChoice::Named(model) = self.model else {
            return Ok(());
        };
        let exponents = self.exponents.map(|_| "--exponents");
        let tip = self.tip.map(|tip| match tip {
            Indenter::Sphere(_) => "--tip sphere",
            Indenter::FlatPunch(_) => "--tip flat",
        });
        let latency =
            (self.force_latency == Some(ForceLatency::Fitted)).then_some("--force-latency fit");
        for option in exponents.into_iter().chain(tip).chain(latency) {
            let uses = |kind: &ModelKind| kind.options.contains(&option);
            if !models::by_name(model).is_some_and(uses) {
                let others = models::names_with(uses);
                return Err(CalibrationError::option(
                    option,
                    format!("does nothing with --model {model}; it is for {others}"),
                ));
            }
        }
        Ok(())
    }

    /// Fails for a log without a velocity where --velocity logged asks for it.
    pub(super) fn check_log(&self, log: &Log) -> Result<(), CalibrationError> {
        if self.velocity == Velocity::Logged && log.velocity.is_none() {
            return Err(CalibrationError::option(
                "--velocity",
                format!(
                    "{} has no velocity; name its column with --columns velocity=…, or use --velocity estimated",
                    log.source.file
                ),
            ));
        }
        Ok(())
    }
}

pub(super) fn orientation(text: &str) -> Result<OrientationKind, String> {
    text.parse().map_err(plain)
}

pub(super) fn force_frame(text: &str) -> Result<ForceFrame, String> {
    text.parse().map_err(plain)
}

fn latency(text: &str) -> Result<ForceLatency, String> {
    match text {
        "fit" => Ok(ForceLatency::Fitted),
        _ => finite(text)
            .map(ForceLatency::Known)
            .map_err(|_| "a time in s, or `fit`".to_owned()),
    }
}

fn model(text: &str) -> Result<ModelChoice, String> {
    if text == "auto" {
        return Ok(ModelChoice::Auto);
    }
    let names: Vec<&str> = models::ALL.iter().map(|kind| kind.name).collect();
    models::by_name(text)
        .map(|kind| ModelChoice::Named(kind.name))
        .ok_or_else(|| format!("choose one of {}, auto", names.join(", ")))
}

fn loss(text: &str) -> Result<Loss, String> {
    match text {
        "squares" => Ok(Loss::LeastSquares),
        "huber" => Ok(Loss::Huber),
        "tukey" => Ok(Loss::Tukey),
        _ => Err("choose one of squares, huber, tukey".to_owned()),
    }
}

fn mass(text: &str) -> Result<MovingMass, String> {
    match text {
        "fit" => Ok(MovingMass::Fitted),
        _ => positive(text)
            .map(MovingMass::Known)
            .map_err(|_| "a mass above 0 in kg, or `fit`".to_owned()),
    }
}

fn exponents(text: &str) -> Result<Exponents, String> {
    if text == "fit" {
        return Ok(Exponents::Fitted);
    }
    let numbers =
        finite_numbers(text).filter(|[n, m]| (0.5..=5.0).contains(n) && (0.0..=5.0).contains(m));
    numbers.map(Exponents::Given).ok_or_else(|| {
        "two numbers, n of 0.5 to 5 and m of 0 to 5, such as 1.5,0.5, or `fit`".to_owned()
    })
}

fn tip(text: &str) -> Result<Indenter, String> {
    let usage = || "sphere:R or flat:R with a radius in m, such as sphere:0.02".to_owned();
    let (kind, radius) = text.split_once(':').ok_or_else(usage)?;
    let radius = positive(radius).map_err(|_| usage())?;
    if radius > 1.0 {
        return Err(format!(
            "a radius of {radius} m is out of range; at most 1 m"
        ));
    }
    match kind {
        "sphere" => Ok(Indenter::Sphere(radius)),
        "flat" => Ok(Indenter::FlatPunch(radius)),
        _ => Err(usage()),
    }
}

fn poisson_ratio(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|ratio| (0.0..=0.5).contains(ratio))
        .ok_or_else(|| "a number of 0 to 0.5".to_owned())
}

pub(super) fn bias(text: &str) -> Result<ForceBias, String> {
    match text {
        "auto" => Ok(ForceBias::Auto),
        "none" => Ok(ForceBias::None),
        _ => finite(text)
            .map(ForceBias::Known)
            .map_err(|_| "none, auto, or a force in N".to_owned()),
    }
}

pub(super) fn sign(text: &str) -> Result<ForceSign, String> {
    match text {
        "auto" => Ok(ForceSign::Auto),
        "pressing-positive" => Ok(ForceSign::PressingPositive),
        "pressing-negative" => Ok(ForceSign::PressingNegative),
        _ => Err("choose one of auto, pressing-positive, pressing-negative".to_owned()),
    }
}

fn velocity(text: &str) -> Result<Velocity, String> {
    let usage = "auto, logged, or estimated[:SAMPLES[:ORDER]], an odd number of 5 to 9999 samples above the order of 1 to 6";
    let mut words = text.split(':');
    let kind = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    match (kind, &rest[..]) {
        ("auto", []) => Ok(Velocity::Of(VelocitySource::Auto)),
        ("logged", []) => Ok(Velocity::Logged),
        ("estimated", rest) if rest.len() <= 2 => {
            let number = |at: usize, usual: usize| -> Result<usize, String> {
                rest.get(at)
                    .map_or(Ok(usual), |word| word.parse().map_err(|_| usage.to_owned()))
            };
            let (window, order) = (number(0, 0)?, number(1, 4)?);
            let fits = window == 0 || (window % 2 == 1 && window < 10_000 && window > order.max(4));
            if fits && (1..=6).contains(&order) {
                Ok(Velocity::Of(VelocitySource::Estimated { window, order }))
            } else {
                Err(usage.to_owned())
            }
        }
        _ => Err(usage.to_owned()),
    }
}

pub(super) fn columns(text: &str) -> Result<Columns, String> {
    text.parse().map_err(plain)
}

pub(super) fn units(text: &str) -> Result<Units, String> {
    text.parse().map_err(plain)
}

/// The problem alone: clap names the option itself.
fn plain(error: TableError) -> String {
    match error {
        TableError::Option { problem, .. } => problem,
        other => other.to_string(),
    }
}

pub(super) fn window(text: &str) -> Result<[f64; 2], String> {
    finite_numbers(text)
        .filter(|[start, end]| start < end)
        .ok_or_else(|| "two times in s, the first before the second, such as 0.4,3.2".to_owned())
}

pub(super) fn normal(text: &str) -> Result<[f64; 3], String> {
    finite_numbers(text)
        .filter(|normal| normal.iter().any(|x| x.abs() > 1e-9))
        .ok_or_else(|| "three numbers that are not all zero, such as 0,0,1".to_owned())
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    number.ok_or_else(|| "a finite number".to_owned())
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|x| *x > 0.0)
        .ok_or_else(|| "a finite number above 0".to_owned())
}

fn length(text: &str) -> Result<f64, String> {
    finite(text)
        .ok()
        .filter(|x| (0.0..=1.0).contains(x))
        .ok_or_else(|| "a length of 0 to 1 m".to_owned())
}
