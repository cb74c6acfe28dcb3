//! Detection of columns by the names in a header.

use super::field::{Field, Target, describe, label};
use crate::names::{self, Quantity};
use crate::{ReadOptions, TableError, refuse};

/// The columns of each quantity, one or three numbers per row.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) time: Option<Target>,
    pub(super) motion: (Quantity, Vec<Target>),
    pub(super) velocity: Option<Vec<Target>>,
    pub(super) force: Vec<Target>,
}

/// Candidates found in the names of a header.
pub(super) struct Detected {
    scalars: Vec<(Quantity, usize, Target)>,
    vectors: Vec<(Quantity, usize, [Target; 3])>,
    /// Single components of a vector without the other two.
    lone: Vec<(Quantity, usize, Target)>,
}

/// A column with one component of a vector.
struct Component {
    quantity: Quantity,
    rank: usize,
    axis: usize,
    prefix: String,
    target: Target,
}

impl Component {
    fn is_next_to(&self, other: &Self) -> bool {
        (self.quantity, self.rank, &self.prefix) == (other.quantity, other.rank, &other.prefix)
    }
}

impl Detected {
    pub(super) fn new(fields: &[Field]) -> Self {
        let mut found = Self {
            scalars: Vec::new(),
            vectors: Vec::new(),
            lone: Vec::new(),
        };
        let mut components: Vec<Component> = Vec::new();
        let mut places: Vec<(names::ListElement, String, Target)> = Vec::new();
        for (field, offered) in fields.iter().enumerate() {
            let Some(name) = offered.name.as_deref() else {
                continue;
            };
            let element = |element| Target {
                field,
                element: Some(element),
            };
            let whole = Target {
                field,
                element: offered.width.map(|_| 0),
            };
            if let Some(width) = offered.width.filter(|width| *width > 1) {
                // A vector, or a list of a robot.
                if let Some(of) = names::list(name)
                    && (of.lengths.0..=of.lengths.1).contains(&width)
                {
                    found
                        .vectors
                        .push((of.quantity, of.rank, of.axes.map(element)));
                    continue;
                }
            } else if let Some(place) = names::place(name) {
                places.push((place, names::prefix(name), whole));
                continue;
            }
            let Some(meaning) = names::meaning(name) else {
                continue;
            };
            let (quantity, rank) = (meaning.quantity, meaning.rank);
            match (meaning.axis, offered.width) {
                (None, None | Some(1)) => found.scalars.push((quantity, rank, whole)),
                (None, Some(3)) if quantity != Quantity::Time => {
                    found
                        .vectors
                        .push((quantity, rank, [element(0), element(1), element(2)]));
                }
                (Some(axis), None | Some(1)) => components.push(Component {
                    quantity,
                    rank,
                    axis,
                    prefix: names::prefix(name),
                    target: whole,
                }),
                _ => {}
            }
        }
        found.group(&components);
        found.list(&places);
        found
    }

    /// Groups components with the same name.
    fn group(&mut self, components: &[Component]) {
        for component in components {
            let of = |wanted: usize| {
                components
                    .iter()
                    .find(|other| other.axis == wanted && other.is_next_to(component))
                    .map(|other| other.target)
            };
            let (quantity, rank) = (component.quantity, component.rank);
            match (of(0), of(1), of(2)) {
                (Some(x), Some(y), Some(z)) => {
                    if x == component.target {
                        self.vectors.push((quantity, rank, [x, y, z]));
                    }
                }
                _ => self.lone.push((quantity, rank, component.target)),
            }
        }
    }

    /// Groups the numbers of one list.
    fn list(&mut self, places: &[(names::ListElement, String, Target)]) {
        for (place, prefix, target) in places {
            let list: Vec<&(names::ListElement, String, Target)> = places
                .iter()
                .filter(|(other, of, _)| {
                    (other.quantity, other.rank, of) == (place.quantity, place.rank, prefix)
                })
                .collect();
            let at = |index: usize| {
                let found = list.iter().find(|(other, ..)| other.index == index);
                found.map(|(.., target)| *target)
            };
            let (least, most) = place.lengths;
            let length = list.iter().map(|(other, ..)| other.index + 1).max();
            // Robots' poses and wrenches may be logged without rotations and torques.
            let sound =
                length.is_some_and(|length| length == 3 || (least..=most).contains(&length));
            if list.len() == 1 {
                self.scalars.push((place.quantity, place.rank, *target));
            }
            match place.axes.map(at) {
                [Some(x), Some(y), Some(z)] if sound && x == *target => {
                    self.vectors.push((place.quantity, place.rank, [x, y, z]));
                }
                _ => {}
            }
        }
    }

    /// The best name of a quantity, one number per row; a single component if there is nothing else.
    fn scalar(&self, quantity: Quantity) -> Option<Target> {
        let best = |among: &[(Quantity, usize, Target)]| {
            among
                .iter()
                .filter(|(other, ..)| *other == quantity)
                .min_by_key(|(_, rank, _)| *rank)
                .map(|(.., target)| *target)
        };
        best(&self.scalars).or_else(|| match self.vector(quantity) {
            None => best(&self.lone),
            Some(_) => None,
        })
    }

    /// Scalars of a quantity other than the selected one.
    pub(super) fn rivals(&self, quantity: Quantity, chosen: &[Target]) -> Vec<Target> {
        match chosen {
            [chosen] => self
                .scalars
                .iter()
                .filter(|(other, _, target)| *other == quantity && target != chosen)
                .map(|(.., target)| *target)
                .collect(),
            _ => Vec::new(),
        }
    }

    fn vector(&self, quantity: Quantity) -> Option<[Target; 3]> {
        self.vectors
            .iter()
            .filter(|(other, ..)| *other == quantity)
            .min_by_key(|(_, rank, _)| *rank)
            .map(|(.., targets)| *targets)
    }

    /// A vector, if no other one has an equally good name (as with two sensors).
    fn one_vector(
        &self,
        file: &str,
        fields: &[Field],
        quantity: Quantity,
    ) -> Result<Option<[Target; 3]>, TableError> {
        let mut of: Vec<&(Quantity, usize, [Target; 3])> = self
            .vectors
            .iter()
            .filter(|(other, ..)| *other == quantity)
            .collect();
        of.sort_by_key(|(_, rank, _)| *rank);
        match of[..] {
            [(_, rank, best), (_, next, other), ..] if rank == next => {
                let key = quantity.key();
                let way = |targets: &[Target; 3]| {
                    let number = |target: Target| (target.field + 1).to_string();
                    let name = fields[targets[0].field].name.clone();
                    match (targets[0].element, name) {
                        (Some(_), Some(name)) => format!("--columns {key}={name}"),
                        _ => format!("--columns {key}={}", targets.map(number).join(":")),
                    }
                };
                Err(refuse(
                    file,
                    format!(
                        "{} and {} both say {key}: say which is meant, {} or {}",
                        label(fields, best[0]),
                        label(fields, other[0]),
                        way(best),
                        way(other)
                    ),
                ))
            }
            _ => Ok(of.first().map(|(.., targets)| *targets)),
        }
    }

    pub(super) fn time(&self) -> Option<Target> {
        self.scalar(Quantity::Time)
    }

    /// Whether some columns say indentation or position.
    pub(super) fn has_motion(&self) -> bool {
        self.scalar(Quantity::Indentation).is_some()
            || self.vector(Quantity::Position).is_some()
            || self.scalar(Quantity::Position).is_some()
    }

    /// Indentation, otherwise position.
    pub(super) fn motion(
        &self,
        file: &str,
        fields: &[Field],
    ) -> Result<(Quantity, Vec<Target>), TableError> {
        if let Some(target) = self.scalar(Quantity::Indentation) {
            return Ok((Quantity::Indentation, vec![target]));
        }
        if let Some(targets) = self.one_vector(file, fields, Quantity::Position)? {
            return Ok((Quantity::Position, targets.to_vec()));
        }
        match self.scalar(Quantity::Position) {
            Some(target) => Ok((Quantity::Position, vec![target])),
            None => Err(missing(file, fields, "indentation or position")),
        }
    }

    /// A force that matches a motion of `axes` numbers.
    pub(super) fn force(
        &self,
        file: &str,
        fields: &[Field],
        axes: usize,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Target>, TableError> {
        let scalar = self.scalar(Quantity::Force);
        let vector = match scalar {
            Some(_) if axes != 3 => None,
            _ => self.one_vector(file, fields, Quantity::Force)?,
        };
        match (vector, scalar) {
            (Some(vector), _) if axes == 3 => Ok(vector.to_vec()),
            (_, Some(scalar)) => Ok(vec![scalar]),
            (Some(vector), None) => {
                notes.push(format!(
                    "the force is a vector and the motion is not: its z component is taken, {}, along the probe",
                    label(fields, vector[2])
                ));
                Ok(vec![vector[2]])
            }
            (None, None) => Err(missing(file, fields, "force")),
        }
    }

    /// A velocity with the motion's shape.
    fn velocity(&self, axes: usize, notes: &mut Vec<String>) -> Option<Vec<Target>> {
        let vector = self.vector(Quantity::Velocity);
        let scalar = self.scalar(Quantity::Velocity);
        match (axes, vector, scalar) {
            (3, Some(vector), _) => Some(vector.to_vec()),
            (1, _, Some(scalar)) => Some(vec![scalar]),
            (3, None, Some(_)) => {
                notes.push("the velocity is one number and the position a vector: the velocity is not read".to_owned());
                None
            }
            (_, Some(_), _) => {
                notes.push("the velocity is a vector and the motion is one number: the velocity is not read".to_owned());
                None
            }
            _ => None,
        }
    }

    /// Columns of a log with this header; `joints` are those that give its motion.
    pub(super) fn choose(
        &self,
        file: &str,
        fields: &[Field],
        joints: Option<&[Target]>,
        options: &ReadOptions,
        notes: &mut Vec<String>,
    ) -> Result<Assignment, TableError> {
        let motion = match joints {
            Some(joints) => of_joints(joints),
            None => self.motion(file, fields)?,
        };
        if motion.0 == Quantity::Indentation
            && (self.vector(Quantity::Position).is_some()
                || self.scalar(Quantity::Position).is_some())
        {
            notes.push(
                "there are an indentation and a position: the indentation is taken".to_owned(),
            );
        }
        let axes = motion.1.len();
        Ok(Assignment {
            force: self.force(file, fields, axes, notes)?,
            velocity: self.velocity(axes, notes),
            time: time_or_rate(self.time(), fields, options.rate, notes),
            motion,
        })
    }
}

/// The motion that follows from joints: a position in space, for which the first joint stands.
pub(super) fn of_joints(joints: &[Target]) -> (Quantity, Vec<Target>) {
    let first = joints.iter().take(1).copied();
    (Quantity::Position, first.cycle().take(3).collect())
}

/// The time column; `None` if the rate is given, which takes precedence.
pub(super) fn time_or_rate(
    time: Option<Target>,
    fields: &[Field],
    rate: Option<f64>,
    notes: &mut Vec<String>,
) -> Option<Target> {
    match (time, rate) {
        (Some(target), Some(rate)) => {
            notes.push(format!(
                "time is counted at --rate {rate} Hz; {} is not read",
                label(fields, target)
            ));
            None
        }
        (time, _) => time,
    }
}

fn missing(file: &str, fields: &[Field], what: &str) -> TableError {
    let named = fields.iter().any(|field| field.name.is_some());
    let problem = if named {
        format!("no column's name says {what}")
    } else {
        "has no names of columns".to_owned()
    };
    // The numbers of a list have indices and no names.
    let list = fields.iter().find(|field| field.width >= Some(3));
    let only_lists = fields
        .iter()
        .all(|field| field.width >= Some(3) || field.time_unit.is_some());
    let example = match list.and_then(|field| field.name.as_deref()) {
        Some(name) if only_lists => format!("position={name}[1],force={name}[2]"),
        _ => "time=1,indentation=3,force=5".to_owned(),
    };
    refuse(
        file,
        format!(
            "{problem}: say which column is what, such as --columns {example}; {}",
            describe(fields)
        ),
    )
}
