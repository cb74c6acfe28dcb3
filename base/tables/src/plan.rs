//! Selects the wanted numbers of a file, with their quantities and units.

use super::columns::{Columns, Selector};
use super::joints as robot_joints;
use super::names::{self, Quantity};
use super::robot::RobotKinematics;
use super::split_time::SplitTime;
use super::units::{Dimension, Unit, Units};
use super::{ReadOptions, columns, refuse, refuse_at};
use crate::TableError;

mod chosen;
mod detect;
mod field;
mod joints;
mod orientation;
mod request;
pub(super) mod select;

pub(super) use chosen::{Axes, MotionPlan, OrientationPlan, Pick, Plan};
use detect::{Assignment, Detected};
use field::describe;
pub(super) use field::{Field, Target, label};
use joints::Joints;
pub use request::ChooseColumns;
pub(super) use request::Request;

impl Plan {
    /// Finds the wanted columns of a table.
    pub(super) fn new(
        file: &str,
        fields: &[Field],
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let mut plan = Self::without_orientation(file, fields, options)?;
        plan.add_orientation(file, fields, options)?;
        Ok(plan)
    }

    /// Finds the wanted columns, except for an orientation.
    pub(super) fn without_orientation(
        file: &str,
        fields: &[Field],
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let mut notes = Vec::new();
        let joints = Joints::find(file, fields, options, &mut notes)?;
        let seen = &*joints.others(fields);
        let assignment = match &options.columns {
            Some(columns) => given(file, [fields, seen], columns, &joints, options, &mut notes)?,
            None => {
                Detected::new(seen).choose(file, fields, joints.motion(), options, &mut notes)?
            }
        };
        check_shapes(file, &assignment)?;
        let mut planner = Planner {
            file,
            fields,
            units: &options.units,
            picks: Vec::new(),
            columns: Vec::new(),
        };
        let (time, time_rest) = planner.add_time(assignment.time, options)?;
        if time.is_none() && options.rate.is_none() {
            return Err(refuse(
                file,
                format!(
                    "has no time: give its sampling rate with --rate, such as --rate 500, or its column with --columns time=…; {}",
                    describe(fields)
                ),
            ));
        }
        let (quantity, targets) = assignment.motion;
        let joints = match (joints.motion(), &options.robot) {
            (Some(joints), Some(robot)) => Some(planner.add_joints(joints, robot, &mut notes)?),
            _ => None,
        };
        let motion = match quantity {
            // Computed from the joints after they are read.
            _ if joints.is_some() => MotionPlan::Position(Axes::Three([0; 3])),
            Quantity::Indentation => {
                let (Axes::One(pick) | Axes::Three([pick, ..])) =
                    planner.add(quantity, &targets)?;
                MotionPlan::Indentation(pick)
            }
            _ => MotionPlan::Position(planner.add(quantity, &targets)?),
        };
        let velocity = match assignment.velocity {
            Some(targets) => Some(planner.add(Quantity::Velocity, &targets)?),
            None => None,
        };
        let force = planner.add(Quantity::Force, &assignment.force)?;
        let columns = options.columns.as_ref();
        let detected = Detected::new(seen);
        let rivals = match columns {
            Some(columns) if columns.force.is_some() => Vec::new(),
            _ => planner.rivals(
                Quantity::Force,
                detected.rivals(Quantity::Force, &assignment.force),
            ),
        };
        let motion_rivals = match columns {
            Some(columns) if columns.indentation.is_some() || columns.position.is_some() => {
                Vec::new()
            }
            _ if joints.is_some() => Vec::new(),
            _ => planner.rivals(quantity, detected.rivals(quantity, &targets)),
        };
        let episode = planner.add_episode();
        for pick in planner.picks.iter().filter(|pick| pick.weighed) {
            let unit = pick.unit.map_or("", |unit| unit.name);
            notes.push(format!(
                "{} is in a unit of mass: its weight is taken, in {unit}",
                pick.label
            ));
        }
        Ok(Self {
            picks: planner.picks,
            time,
            time_rest,
            motion,
            velocity,
            force,
            rivals,
            motion_rivals,
            episode,
            joints,
            orientation: None,
            frames: None,
            columns: planner.columns,
            notes,
        })
    }
}

/// Columns named by the user; other required ones are found by the header, among the fields without joints. Velocity is optional: without it, it is
/// estimated.
fn given(
    file: &str,
    [fields, others]: [&[Field]; 2],
    columns: &Columns,
    joints: &Joints,
    options: &ReadOptions,
    notes: &mut Vec<String>,
) -> Result<Assignment, TableError> {
    let of = |quantity: Quantity, selectors: &[Selector]| {
        select::resolve(file, fields, quantity.key(), selectors)
    };
    let detected = Detected::new(others);
    let motion = match (&columns.indentation, &columns.position) {
        (Some(selector), _) => {
            let targets = of(Quantity::Indentation, std::slice::from_ref(selector))?;
            if targets.len() != 1 {
                return Err(columns::refuse(format!(
                    "indentation={selector} holds three numbers a row in {file}: name it position, or one of them"
                )));
            }
            (Quantity::Indentation, targets)
        }
        (None, Some(selectors)) => (Quantity::Position, of(Quantity::Position, selectors)?),
        (None, None) => match joints.motion() {
            Some(joints) => detect::of_joints(joints),
            None => detected.motion(file, fields)?,
        },
    };
    let force = match &columns.force {
        Some(selectors) => of(Quantity::Force, selectors)?,
        None => detected.force(file, fields, motion.1.len(), notes)?,
    };
    let velocity = match &columns.velocity {
        Some(selectors) => Some(of(Quantity::Velocity, selectors)?),
        None => None,
    };
    let named = match &columns.time {
        Some(selector) => {
            let targets = of(Quantity::Time, std::slice::from_ref(selector))?;
            match targets[..] {
                [target] => Some(target),
                _ => {
                    return Err(columns::refuse(format!(
                        "time={selector} holds several numbers a row in {file}: name one of them"
                    )));
                }
            }
        }
        None => detected.time(),
    };
    Ok(Assignment {
        time: detect::time_or_rate(named, fields, options.rate, notes),
        motion,
        velocity,
        force,
    })
}

/// A vector needs a vector position; a scalar velocity needs a scalar motion.
fn check_shapes(file: &str, assignment: &Assignment) -> Result<(), TableError> {
    let (quantity, targets) = &assignment.motion;
    let motion = quantity.key();
    let scalar = targets.len() == 1;
    if scalar && assignment.force.len() == 3 {
        return Err(columns::refuse(format!(
            "in {file} force is a vector, but {motion} is one number: name the component of the force along it"
        )));
    }
    match &assignment.velocity {
        Some(velocity) if velocity.len() != targets.len() => {
            let (is, of) = if scalar {
                ("a vector", "one number")
            } else {
                ("one number", "a vector")
            };
            Err(columns::refuse(format!(
                "in {file} velocity is {is}, but {motion} is {of}: name columns of one shape, or leave velocity out"
            )))
        }
        _ => Ok(()),
    }
}

/// Assigns units and labels to columns.
struct Planner<'a> {
    file: &'a str,
    fields: &'a [Field],
    units: &'a Units,
    picks: Vec<Pick>,
    columns: Vec<String>,
}

impl Planner<'_> {
    fn add(&mut self, quantity: Quantity, targets: &[Target]) -> Result<Axes, TableError> {
        let first = self.picks.len();
        for target in targets {
            let pick = self.pick(quantity, *target)?;
            self.picks.push(pick);
        }
        let lines: Vec<String> = self.picks[first..]
            .iter()
            .map(|pick| {
                let unit = pick.unit.map_or_else(String::new, Unit::conversion);
                let assumed = if pick.unit_assumed { ", assumed" } else { "" };
                format!("{} [{unit}{assumed}]", pick.label)
            })
            .collect();
        self.columns
            .push(format!("{}: {}", quantity.key(), lines.join(", ")));
        Ok(match targets.len() {
            3 => Axes::Three([first, first + 1, first + 2]),
            _ => Axes::One(first),
        })
    }

    /// The pick of the time, and that of its rest if it has two columns.
    fn add_time(
        &mut self,
        time: Option<Target>,
        options: &ReadOptions,
    ) -> Result<(Option<usize>, Option<usize>), TableError> {
        let columns = options.columns.as_ref();
        let is_named = columns.is_some_and(|columns| columns.time.is_some());
        if options.rate.is_none()
            && !is_named
            && let Some(split) = SplitTime::find(self.file, self.fields, time)?
        {
            return Ok(self.add_split_time(split));
        }
        let Some(time) = time else {
            return Ok((None, None));
        };
        let (Axes::One(pick) | Axes::Three([pick, ..])) = self.add(Quantity::Time, &[time])?;
        Ok((Some(pick), None))
    }

    /// The picks of a robot's joints.
    fn add_joints(
        &mut self,
        targets: &[Target],
        robot: &RobotKinematics,
        notes: &mut Vec<String>,
    ) -> Result<Vec<usize>, TableError> {
        let first = self.picks.len();
        for (target, joint) in targets.iter().zip(&robot.joints) {
            let label = label(self.fields, *target);
            let field = &self.fields[target.field];
            let (unit, unit_assumed) =
                robot_joints::unit(self.file, field, &label, joint, self.units.joints)?;
            self.picks.push(Pick {
                field: target.field,
                element: target.element.unwrap_or(0),
                label,
                unit: Some(unit),
                unit_assumed,
                weighed: false,
            });
        }
        let picks = &self.picks[first..];
        let lines: Vec<String> = picks
            .iter()
            .zip(&robot.joints)
            .map(|(pick, joint)| {
                let unit = pick.unit.map_or_else(String::new, Unit::conversion);
                format!("{} {} [{unit}]", joint.name, pick.label)
            })
            .collect();
        self.columns.push(format!("joints: {}", lines.join(", ")));
        if picks.iter().any(|pick| pick.unit_assumed) {
            notes.push(
                "the joints are taken for radians; --units joints=deg if they are degrees"
                    .to_owned(),
            );
        }
        notes.push(format!(
            "position and orientation are those of {} in {}, by the joints of robot {}",
            robot.tip, robot.base, robot.name
        ));
        Ok((first..self.picks.len()).collect())
    }

    /// The picks of seconds and rest.
    fn add_split_time(&mut self, split: SplitTime) -> (Option<usize>, Option<usize>) {
        let first = self.picks.len();
        let second = Unit::si(Dimension::Time);
        for (target, unit) in [(split.seconds, second), (split.rest, split.unit)] {
            self.picks.push(Pick {
                field: target.field,
                element: target.element.unwrap_or(0),
                label: label(self.fields, target),
                unit: Some(unit),
                unit_assumed: false,
                weighed: false,
            });
        }
        let [seconds, rest] = [first, first + 1].map(|pick| self.picks[pick].label.clone());
        self.columns.push(format!(
            "time: {seconds} [{}], {rest} [{}]",
            second.name,
            split.unit.conversion()
        ));
        (Some(first), Some(first + 1))
    }

    /// Columns that are compared with the selected one.
    fn rivals(&mut self, quantity: Quantity, targets: Vec<Target>) -> Vec<usize> {
        let first = self.picks.len();
        for target in targets {
            // A column with another unit is another quantity, such as a load in percent.
            self.picks.extend(self.pick(quantity, target));
        }
        (first..self.picks.len()).collect()
    }

    fn pick(&self, quantity: Quantity, target: Target) -> Result<Pick, TableError> {
        let label = label(self.fields, target);
        let dimension = quantity.dimension();
        let field = &self.fields[target.field];
        let said = match field.time_unit {
            Some(unit) if unit.dimension == dimension => Ok(Some(unit)),
            _ => names::unit(field.name.as_deref().unwrap_or(""), dimension),
        };
        let given = match quantity {
            Quantity::Time => self.units.time,
            Quantity::Indentation => self.units.indentation,
            Quantity::Position => self.units.position,
            Quantity::Velocity => self.units.velocity,
            Quantity::Force => self.units.force,
        };
        let key = quantity.key();
        let unit = match (said, given) {
            (Ok(Some(said)), Some(given)) if said != given => {
                return Err(TableError::option(
                    "--units",
                    format!(
                        "{key}={} is given, but {label} of {} says {}: leave {key} out of --units, or mend the header",
                        given.spelled(),
                        self.file,
                        said.spelled()
                    ),
                ));
            }
            (Err(text), None) => {
                let si = Unit::si(dimension).name;
                return Err(refuse_at(
                    self.file,
                    format!(", {label}"),
                    format!(
                        "\"{text}\" is no known unit of {key}: give it with --units, with a factor where one {text} is not one {si}, such as {key}=2.5e-3{si}"
                    ),
                ));
            }
            (_, Some(given)) => Some(given),
            (Ok(said), None) => said,
        };
        let weighed = quantity == Quantity::Force
            && given.is_none()
            && field.name.as_deref().is_some_and(names::gives_mass);
        Ok(Pick {
            field: target.field,
            element: target.element.unwrap_or(0),
            label,
            weighed,
            unit: Some(unit.unwrap_or_else(|| Unit::si(dimension))),
            unit_assumed: unit.is_none(),
        })
    }

    /// LeRobot's episode column, if there is one.
    fn add_episode(&mut self) -> Option<usize> {
        let field = self.fields.iter().position(|field| {
            field.name.as_deref() == Some("episode_index") && field.width.is_none()
        })?;
        self.picks.push(Pick {
            field,
            element: 0,
            label: label(
                self.fields,
                Target {
                    field,
                    element: None,
                },
            ),
            unit: None,
            unit_assumed: false,
            weighed: false,
        });
        Some(self.picks.len() - 1)
    }
}
