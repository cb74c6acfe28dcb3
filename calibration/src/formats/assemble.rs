//! From series of numbers to a log: units, time, and whether the numbers can be true.

use super::plan::{Axes, MotionPlan, Pick, Plan};
use super::{ReadOptions, orientation, refuse, refuse_at};
use crate::{CalibrationError, Channel, Log, LogSource, Motion};

/// Fewest samples of a log.
const MIN_SAMPLES: usize = 3;

/// No probe goes deeper into tissue [m].
const MAX_INDENTATION: f64 = 0.5;
/// No arm is longer [m].
const MAX_POSITION: f64 = 10.0;
/// No probe is faster [m/s].
const MAX_VELOCITY: f64 = 10.0;
/// No sensor on an arm reads more [N].
const MAX_FORCE: f64 = 1e4;
/// A log sampled less often than this [s], in seconds that nobody named, is rather one in other units.
const MAX_ASSUMED_INTERVAL: f64 = 0.5;

/// What a reader hands over: one series for each pick of the plan, all of one length, all finite.
pub(super) struct Read {
    pub(super) plan: Plan,
    pub(super) series: Vec<Vec<f64>>,
    pub(super) notes: Vec<String>,
    pub(super) sha256: String,
    pub(super) format: &'static str,
}

/// Makes a log of what was read.
pub(super) fn log(file: &str, read: Read, options: &ReadOptions) -> Result<Log, CalibrationError> {
    let Read {
        plan,
        mut series,
        mut notes,
        sha256,
        format,
    } = read;
    if let Some(pick) = plan.episode {
        choose_episode(file, &mut series, pick, options.episode)?;
    } else if let Some(episode) = options.episode {
        return Err(CalibrationError::option(
            "--episode",
            format!("{episode} is asked for, but {file} has no column \"episode_index\""),
        ));
    }
    let n = series.first().map_or(0, Vec::len);
    if n < MIN_SAMPLES {
        return Err(refuse(file, few(n)));
    }
    for (pick, values) in plan.picks.iter().zip(&mut series) {
        convert(file, pick, values)?;
    }
    check_rivals(file, &plan, &series)?;
    let frames = match plan.frames.clone() {
        Some(frames) => frames,
        None => orientation::of_table(
            file,
            plan.orientation.as_ref(),
            &plan.picks,
            &series,
            options.force_frame,
            &mut notes,
        )?,
    };
    let mut parts = Parts {
        file,
        picks: &plan.picks,
        series: &mut series,
    };
    let time = match (plan.time, options.rate) {
        (Some(pick), _) => parts.time(pick)?,
        (None, rate) => {
            let rate = rate.expect("a plan without time has a rate");
            (0..n).map(|i| i as f64 / rate).collect()
        }
    };
    let motion = match plan.motion {
        MotionPlan::Indentation(pick) => {
            Motion::Indentation(parts.scalar(pick, "indentation", MAX_INDENTATION)?)
        }
        MotionPlan::Position(axes) => {
            Motion::Position(parts.channel(axes, "position", MAX_POSITION)?)
        }
    };
    let velocity = match plan.velocity {
        Some(axes) => Some(parts.channel(axes, "velocity", MAX_VELOCITY)?),
        None => None,
    };
    let force = parts.channel(plan.force, "force", MAX_FORCE)?;
    check_velocity(file, &plan, &time, &motion, velocity.as_ref())?;
    notes.extend(plan.notes);
    Ok(Log {
        source: LogSource {
            file: file.to_owned(),
            sha256,
            format,
            columns: plan.columns,
            notes,
        },
        time,
        motion,
        velocity,
        force,
        frames,
    })
}

fn few(n: usize) -> String {
    let rows = match n {
        0 => "no rows of numbers".to_owned(),
        1 => "one row".to_owned(),
        n => format!("{n} rows"),
    };
    format!("has {rows}: a log needs at least {MIN_SAMPLES}")
}

/// Forces that differ by more than this share of the largest are two.
const ALIKE: f64 = 1e-6;

/// Refuses to choose among columns of force that differ.
fn check_rivals(file: &str, plan: &Plan, series: &[Vec<f64>]) -> Result<(), CalibrationError> {
    let Axes::One(chosen) = plan.force else {
        return Ok(());
    };
    let largest = series[chosen]
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let differ = |other: &&usize| {
        let pairs = series[chosen].iter().zip(&series[**other]);
        pairs
            .into_iter()
            .any(|(a, b)| (a - b).abs() > ALIKE * largest.max(b.abs()))
    };
    let Some(&other) = plan.rivals.iter().find(differ) else {
        return Ok(());
    };
    let (chosen, other) = (&plan.picks[chosen], &plan.picks[other]);
    Err(refuse(
        file,
        format!(
            "{} and {} both say force, and differ: say which is meant, --columns force={} or --columns force={}",
            chosen.label,
            other.label,
            chosen.field + 1,
            other.field + 1
        ),
    ))
}

/// Keeps the rows of one episode.
fn choose_episode(
    file: &str,
    series: &mut [Vec<f64>],
    pick: usize,
    wanted: Option<i64>,
) -> Result<(), CalibrationError> {
    let mut episodes = series[pick].clone();
    episodes.sort_by(f64::total_cmp);
    episodes.dedup();
    let wanted = match (wanted, &episodes[..]) {
        (None, [] | [_]) => return Ok(()),
        (None, _) => None,
        (Some(wanted), _) => episodes.contains(&(wanted as f64)).then_some(wanted as f64),
    };
    let Some(wanted) = wanted else {
        const SHOWN: usize = 10;
        let mut list: Vec<String> = episodes
            .iter()
            .take(SHOWN)
            .map(ToString::to_string)
            .collect();
        if episodes.len() > SHOWN {
            list.push(format!("… ({} in all)", episodes.len()));
        }
        return Err(CalibrationError::option(
            "--episode",
            format!("{file} holds episodes {}: choose one", list.join(", ")),
        ));
    };
    let keep: Vec<bool> = series[pick]
        .iter()
        .map(|episode| *episode == wanted)
        .collect();
    for values in series {
        let mut kept = keep.iter();
        values.retain(|_| kept.next().is_some_and(|keep| *keep));
    }
    Ok(())
}

/// Turns a series into SI.
fn convert(file: &str, pick: &Pick, values: &mut [f64]) -> Result<(), CalibrationError> {
    let Some(unit) = pick.unit.filter(|unit| !unit.is_si()) else {
        return Ok(());
    };
    let mut finite = true;
    for value in values {
        *value = unit.to_si(*value);
        finite &= value.is_finite();
    }
    if finite {
        Ok(())
    } else {
        Err(refuse_at(
            file,
            format!(", {}", pick.label),
            format!("numbers beyond 1e300 {}", unit.name),
        ))
    }
}

/// Takes the series one by one.
struct Parts<'a> {
    file: &'a str,
    picks: &'a [Pick],
    series: &'a mut [Vec<f64>],
}

impl Parts<'_> {
    fn time(&mut self, pick: usize) -> Result<Vec<f64>, CalibrationError> {
        let time = std::mem::take(&mut self.series[pick]);
        let pick = &self.picks[pick];
        let interval = (time[time.len() - 1] - time[0]) / (time.len() - 1) as f64;
        if pick.unit_assumed && interval > MAX_ASSUMED_INTERVAL {
            return Err(refuse_at(
                self.file,
                format!(", {}", pick.label),
                format!(
                    "{interval} s between samples, with seconds assumed: give its unit, such as --units time=ms (time=s if it is so)"
                ),
            ));
        }
        Ok(time)
    }

    fn scalar(&mut self, pick: usize, key: &str, limit: f64) -> Result<Vec<f64>, CalibrationError> {
        let values = std::mem::take(&mut self.series[pick]);
        let largest = values
            .iter()
            .fold(0.0f64, |largest, value| largest.max(value.abs()));
        if largest > limit {
            return Err(self.implausible(pick, key, largest, limit));
        }
        Ok(values)
    }

    fn channel(&mut self, axes: Axes, key: &str, limit: f64) -> Result<Channel, CalibrationError> {
        match axes {
            Axes::One(pick) => Ok(Channel::Scalar(self.scalar(pick, key, limit)?)),
            Axes::Three([x, y, z]) => {
                let x = self.scalar(x, key, limit)?;
                let y = self.scalar(y, key, limit)?;
                let z = self.scalar(z, key, limit)?;
                let vectors = x.into_iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z]);
                Ok(Channel::Vector(vectors.collect()))
            }
        }
    }

    fn implausible(&self, pick: usize, key: &str, largest: f64, limit: f64) -> CalibrationError {
        let pick = &self.picks[pick];
        let unit = pick.unit.map_or("", |unit| unit.name);
        let si = match key {
            "velocity" => "m/s",
            "force" => "N",
            _ => "m",
        };
        let advice = if pick.unit_assumed {
            format!(
                "{unit} was assumed: give its unit, such as --units {key}={}",
                match key {
                    "velocity" => "mm/s",
                    "force" => "mN",
                    _ => "mm",
                }
            )
        } else {
            format!("it was read in {unit}: is that its unit?")
        };
        refuse_at(
            self.file,
            format!(", {}", pick.label),
            format!(
                "{key} reaches {largest:.4} {si}, above {limit} {si}, which no probe does; {advice}"
            ),
        )
    }
}

/// Refuses NaN and infinity, of a series whose first value is in row 1.
pub(super) fn check_finite(
    file: &str,
    label: &str,
    values: &[f64],
) -> Result<(), CalibrationError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(refuse_at(
            file,
            format!(", row {}, {label}", at + 1),
            format!(
                "{} is not finite: cut the log before it, or delete the row",
                values[at]
            ),
        )),
    }
}

/// A logged velocity so many times the change of the motion per second is one in other units: mm/s beside m, say.
const MAX_VELOCITY_RATIO: f64 = 30.0;
/// Correlation from which on the two are taken for the same movement; noise of the difference lowers it.
const MIN_CORRELATION: f64 = 0.5;

/// Fewer samples say too little about it.
const MIN_VELOCITY_SAMPLES: usize = 20;

/// Refuses a velocity whose unit does not fit that of the motion; both are numbers along one axis.
fn check_velocity(
    file: &str,
    plan: &Plan,
    time: &[f64],
    motion: &Motion,
    velocity: Option<&Channel>,
) -> Result<(), CalibrationError> {
    let (Motion::Indentation(place) | Motion::Position(Channel::Scalar(place))) = motion else {
        return Ok(());
    };
    let (Some(Channel::Scalar(velocity)), Some(Axes::One(pick))) = (velocity, plan.velocity) else {
        return Ok(());
    };
    if time.len() < MIN_VELOCITY_SAMPLES {
        return Ok(());
    }
    let (mut both, mut logged, mut changed) = (0.0, 0.0, 0.0);
    for i in 1..time.len() - 1 {
        let step = time[i + 1] - time[i - 1];
        if step > 0.0 {
            let change = (place[i + 1] - place[i - 1]) / step;
            both += velocity[i] * change;
            logged += velocity[i] * velocity[i];
            changed += change * change;
        }
    }
    let ratio = (logged / both).abs();
    let correlated = both.abs() >= MIN_CORRELATION * (logged * changed).sqrt();
    if !correlated
        || (1.0 / MAX_VELOCITY_RATIO..=MAX_VELOCITY_RATIO).contains(&ratio)
        || ratio.is_nan()
    {
        return Ok(());
    }
    let motion = match plan.motion {
        MotionPlan::Indentation(_) => "indentation",
        MotionPlan::Position(_) => "position",
    };
    Err(refuse_at(
        file,
        format!(", {}", plan.picks[pick].label),
        format!(
            "velocity is {ratio:.3} times the change of {motion} per second: their units, or that of time, do not fit; give them with --units, such as time=s,{motion}=mm,velocity=mm/s"
        ),
    ))
}
