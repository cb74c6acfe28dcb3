//! Assembles a log from series of numbers: units, time, and plausibility checks.

use super::plan::{Axes, MotionPlan, Pick, Plan};
use super::{
    ReadOptions, joints, missing, order, orientation, refuse, refuse_at, split_time, timeline,
};
use crate::{Channel, Log, LogSource, Motion, TableError};

/// Minimum number of samples of a log.
const MIN_SAMPLES: usize = 3;

/// Maximum plausible indentation [m].
const MAX_INDENTATION: f64 = 0.5;
/// Maximum plausible position, from the reach of an arm [m].
const MAX_POSITION: f64 = 10.0;
/// Maximum plausible velocity of a probe [m/s].
const MAX_VELOCITY: f64 = 10.0;
/// Maximum plausible force of a sensor on an arm [N].
const MAX_FORCE: f64 = 1e4;
/// Maximum plausible sampling interval [s] if the unit of time was assumed; a longer one suggests another unit.
const MAX_ASSUMED_INTERVAL: f64 = 0.5;

/// Output of a reader: one series for each pick of the plan, all of equal length, each value finite or NaN if
/// missing.
pub(super) struct Read {
    pub(super) plan: Plan,
    pub(super) series: Vec<Vec<f64>>,
    pub(super) notes: Vec<String>,
    pub(super) sha256: String,
    pub(super) format: &'static str,
    /// Whether the reader has selected the rows of an episode already.
    pub(super) has_episode: bool,
}

/// Creates a log from the output of a reader.
pub(super) fn log(file: &str, read: Read, options: &ReadOptions) -> Result<Log, TableError> {
    let Read {
        mut plan,
        mut series,
        mut notes,
        sha256,
        format,
        has_episode,
    } = read;
    if let Some(pick) = plan.episode {
        choose_episode(file, &mut series, pick, options.episode)?;
    } else if let Some(episode) = options.episode.filter(|_| !has_episode) {
        return Err(TableError::option(
            "--episode",
            format!(
                "{file} has no column \"episode_index\", so episode {episode} cannot be chosen"
            ),
        ));
    }
    joints::place(file, &mut plan, &mut series, options.robot.as_ref())?;
    split_time::join(file, &plan, &mut series, &mut notes)?;
    if let Some(time) = plan.time {
        missing::drop_timeless(time, &mut series, &mut notes);
    }
    check_length(file, series.first().map_or(0, Vec::len))?;
    for (pick, values) in plan.picks.iter().zip(&mut series) {
        convert(file, pick, values)?;
    }
    let mut time = match (plan.time, options.rate) {
        (Some(pick), _) => std::mem::take(&mut series[pick]),
        (None, rate) => {
            let rate = rate.expect("a plan without time has a rate");
            let n = series.first().map_or(0, Vec::len);
            (0..n).map(|i| i as f64 / rate).collect()
        }
    };
    if let Some(pick) = plan.time {
        count_from_epoch(&plan.picks[pick], &mut time, &mut notes);
    }
    order::sort(&mut time, &mut series, &mut notes);
    missing::fill(file, &plan, &mut time, &mut series, &mut notes)?;
    check_length(file, time.len())?;
    if let Some(pick) = plan.time {
        check_interval(file, &plan.picks[pick], &time)?;
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

fn check_length(file: &str, n: usize) -> Result<(), TableError> {
    if n >= MIN_SAMPLES {
        return Ok(());
    }
    let rows = match n {
        0 => "no rows of numbers".to_owned(),
        1 => "one row".to_owned(),
        n => format!("{n} rows"),
    };
    Err(refuse(
        file,
        format!("has {rows}: a log needs at least {MIN_SAMPLES}"),
    ))
}

/// Units of times since 1970: the smallest number that lies after the year 2000 in the unit, and the number of units
/// per second.
const EPOCHS: [(&str, f64, f64); 3] = [
    ("ms", 946_684_800e3, 1e3),
    ("us", 946_684_800e6, 1e6),
    ("ns", 946_684_800e9, 1e9),
];
/// Ratio of a time in 2100 to a time in 2000.
const EPOCH_SPAN: f64 = 4_102_444_800.0 / 946_684_800.0;

/// Makes times since 1970 without a given unit relative to the first one, in seconds.
fn count_from_epoch(pick: &Pick, time: &mut [f64], notes: &mut Vec<String>) {
    let first = time.iter().copied().fold(f64::INFINITY, f64::min);
    let of = |(_, from, _): &&(&str, f64, f64)| (*from..*from * EPOCH_SPAN).contains(&first);
    if let Some((name, _, over)) = EPOCHS.iter().find(of).filter(|_| pick.unit_assumed) {
        for time in time.iter_mut() {
            *time = (*time - first) / over;
        }
        notes.push(format!(
            "{} is taken for {name} since 1970 and counted from the first",
            pick.label
        ));
    }
}

/// Refuses times with an assumed unit of seconds if they are far apart.
fn check_interval(file: &str, pick: &Pick, time: &[f64]) -> Result<(), TableError> {
    let interval = (time[time.len() - 1] - time[0]) / (time.len() - 1) as f64;
    if pick.unit_assumed && interval > MAX_ASSUMED_INTERVAL {
        return Err(refuse_at(
            file,
            format!(", {}", pick.label),
            format!(
                "{interval} s between samples, with seconds assumed: give its unit, such as --units time=ms (time=s if it is so)"
            ),
        ));
    }
    Ok(())
}

/// Relative difference (to the largest number) above which two numbers differ: exports round to six or seven digits.
const ALIKE: f64 = 1e-6;

/// Refuses to choose between different columns of force, or of the motion.
fn check_rivals(file: &str, plan: &Plan, series: &[Vec<f64>]) -> Result<(), TableError> {
    let motion = match plan.motion {
        MotionPlan::Indentation(pick) => ("indentation", Axes::One(pick)),
        MotionPlan::Position(axes) => ("position", axes),
    };
    for ((key, axes), rivals, moved) in [
        (("force", plan.force), &plan.rivals, false),
        (motion, &plan.motion_rivals, true),
    ] {
        let Axes::One(chosen) = axes else { continue };
        let differs = |other: &&usize| !alike(&series[chosen], &series[**other], moved);
        if let Some(&other) = rivals.iter().find(differs) {
            let (chosen, other) = (&plan.picks[chosen], &plan.picks[other]);
            return Err(refuse(
                file,
                format!(
                    "{} and {} both say {key}, and differ: say which is meant, --columns {key}={} or --columns {key}={}",
                    chosen.label,
                    other.label,
                    chosen.field + 1,
                    other.field + 1
                ),
            ));
        }
    }
    Ok(())
}

/// Whether two series are equal up to the sign or, if `moved`, up to an offset.
fn alike(a: &[f64], b: &[f64], moved: bool) -> bool {
    let zero = |values: &[f64]| {
        let first = values.iter().find(|value| !value.is_nan());
        first.copied().filter(|_| moved).unwrap_or(0.0)
    };
    let (a_zero, b_zero) = (zero(a), zero(b));
    let largest = a
        .iter()
        .fold(0.0_f64, |most, value| most.max((value - a_zero).abs()));
    let (mut same, mut opposite) = (true, true);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - a_zero, b - b_zero);
        let limit = ALIKE * largest.max(b.abs());
        // A missing value is compatible with any number.
        same &= (a - b).abs() <= limit || b.is_nan();
        opposite &= (a + b).abs() <= limit || b.is_nan();
    }
    same || opposite
}

/// Keeps the rows of one episode.
fn choose_episode(
    file: &str,
    series: &mut [Vec<f64>],
    pick: usize,
    wanted: Option<i64>,
) -> Result<(), TableError> {
    let mut episodes = series[pick].clone();
    // A row without a number belongs to no episode.
    episodes.retain(|episode| !episode.is_nan());
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
        return Err(TableError::option(
            "--episode",
            format!("{file} holds episodes {}: choose one", list.join(", ")),
        ));
    };
    let keep: Vec<bool> = series[pick]
        .iter()
        .map(|episode| *episode == wanted)
        .collect();
    timeline::retain(series, &keep);
    Ok(())
}

/// Converts a series to SI units.
fn convert(file: &str, pick: &Pick, values: &mut [f64]) -> Result<(), TableError> {
    let Some(unit) = pick.unit.filter(|unit| !unit.is_si()) else {
        return Ok(());
    };
    let mut finite = true;
    for value in values {
        *value = unit.to_si(*value);
        finite &= !value.is_infinite();
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

/// Takes the series one after the other.
struct Parts<'a> {
    file: &'a str,
    picks: &'a [Pick],
    series: &'a mut [Vec<f64>],
}

impl Parts<'_> {
    fn scalar(&mut self, pick: usize, key: &str, limit: f64) -> Result<Vec<f64>, TableError> {
        let values = std::mem::take(&mut self.series[pick]);
        let largest = values
            .iter()
            .fold(0.0f64, |largest, value| largest.max(value.abs()));
        if largest > limit {
            return Err(self.implausible(pick, key, largest, limit));
        }
        Ok(values)
    }

    fn channel(&mut self, axes: Axes, key: &str, limit: f64) -> Result<Channel, TableError> {
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

    fn implausible(&self, pick: usize, key: &str, largest: f64, limit: f64) -> TableError {
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

/// Refuses infinity; the first value of the series is in row 1. NaN is a missing value.
pub(super) fn check_finite(file: &str, label: &str, values: &[f64]) -> Result<(), TableError> {
    match values.iter().position(|value| value.is_infinite()) {
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

/// Ratio of the logged velocity to the rate of the motion above which its unit is wrong, such as mm/s with m.
const MAX_VELOCITY_RATIO: f64 = 30.0;
/// Minimum correlation for the two to be the same movement; noise of the difference reduces it.
const MIN_CORRELATION: f64 = 0.5;

/// Minimum number of samples for this check.
const MIN_VELOCITY_SAMPLES: usize = 20;

/// Refuses a velocity whose unit does not match the unit of the motion; both are scalars.
fn check_velocity(
    file: &str,
    plan: &Plan,
    time: &[f64],
    motion: &Motion,
    velocity: Option<&Channel>,
) -> Result<(), TableError> {
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
