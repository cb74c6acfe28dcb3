//! Contacts between rod and walls (Chen et al. 2024, Eq. 3–10).
//!
//! Nodes and points within elements are tested. Each wall point within reach becomes a half-space that the rod's point
//! may not enter, offset from the wall by the rod's radius.
//!
//! Walls are curved. If a wall presses the rod with λ and the rod slides along it by `t`, the curvature κ of the wall
//! turns the half-space, which stiffens the rod by `λ κ t tᵀ` (the second derivative of the gap in the Lagrangian).
//! Without this term, linearisations in a narrow tube oscillate between the walls. κ is measured with a second query at
//! a small lateral offset; convex walls are treated as flat. If the wall converges, as between the facets of a mesh,
//! the adjacent planes become constraints, too.

use nalgebra::Vector3;

use crate::element::{Element, ElementState, PointRow};
use crate::rod::{RodConfig, RodState};
use crate::solver::ContactRow;
use crate::{Lumen, WallPoint};

/// A contact with a force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Position on the wall [m].
    pub position: Vector3<f64>,
    /// Unit vector from the wall towards the rod.
    pub normal: Vector3<f64>,
    /// Force of the wall on the rod along the normal [N].
    pub normal_force: f64,
    /// Friction of the wall on the rod [N], world axes.
    pub friction: Vector3<f64>,
    /// Distance along the rod from its tip [m].
    pub from_tip: f64,
}

/// A wall that may be touched; data in addition to its row in the quadratic program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CandidateContact {
    /// Index of the rod's point, counted from the tip.
    slot: usize,
    position: Vector3<f64>,
    normal: Vector3<f64>,
    tangents: [Vector3<f64>; 2],
    from_tip: f64,
    /// Whether it is the nearest wall, not an adjacent plane.
    is_seen: bool,
}

/// A point of the rod that is near a wall.
#[derive(Debug, Clone, Copy)]
struct NearbyPoint {
    node: usize,
    at: f64,
    slot: usize,
    from_tip: f64,
    radius: f64,
    /// Unit vector along the rod.
    along: Vector3<f64>,
    /// First of the previous touches that may be the same.
    first_old: usize,
}

/// Settings of the contact search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    /// Number of tested points within each element.
    pub(crate) points_per_element: usize,
    /// Search distance beyond the rod's radius [m].
    pub(crate) reach: f64,
    pub(crate) friction: f64,
    /// Compliance of the wall [m/N].
    pub(crate) compliance: f64,
}

/// Current poses of the rod.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Posed<'a> {
    pub(crate) config: &'a RodConfig,
    pub(crate) state: &'a RodState,
    pub(crate) elements: &'a [Element],
    pub(crate) strained: &'a [ElementState],
}

/// Contacts within reach and their rows, with the contacts of the previous search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contacts {
    pub(crate) touches: Vec<CandidateContact>,
    pub(crate) rows: Vec<ContactRow>,
    /// Stiffness from curved walls: node, row, stiffness [N/m].
    pub(crate) curved: Vec<(usize, PointRow, f64)>,
    old_touches: Vec<CandidateContact>,
    old_forces: Vec<Vector3<f64>>,
    walls: Vec<WallPoint>,
    aside: Vec<WallPoint>,
}

impl Contacts {
    /// Finds the walls near the rod. Forces are carried over from the previous contacts of the same
    /// points.
    pub(crate) fn find(&mut self, lumen: &dyn Lumen, rod: &Posed<'_>, search: &Search) {
        std::mem::swap(&mut self.touches, &mut self.old_touches);
        self.old_forces.clear();
        self.old_forces
            .extend(self.rows.iter().map(|row| row.force));
        self.touches.clear();
        self.rows.clear();
        self.curved.clear();
        let n_nodes = rod.state.positions.len();
        let n_points = search.points_per_element + 1;
        let mut old = 0;
        for node in 0..n_nodes {
            for point in 0..n_points {
                // The base is held. The tip ends the rod.
                if (node == 0 && point == 0) || (node + 1 == n_nodes && point > 0) {
                    continue;
                }
                let at = point as f64 / n_points as f64;
                let slot = (n_nodes - 1 - node) * n_points + n_points - point;
                while self
                    .old_touches
                    .get(old)
                    .is_some_and(|touch| touch.slot > slot)
                {
                    old += 1;
                }
                self.find_at(lumen, rod, search, (node, at, slot), old);
            }
        }
    }

    /// Finds walls near one point: an element (the node's own if `at` is 0), a position in it, and its
    /// slot.
    fn find_at(
        &mut self,
        lumen: &dyn Lumen,
        rod: &Posed<'_>,
        search: &Search,
        (node, at, slot): (usize, f64, usize),
        first_old: usize,
    ) {
        let state = rod.state;
        let from_tip = if at > 0.0 {
            state.from_tip[node] * (1.0 - at) + state.from_tip[node + 1] * at
        } else {
            state.from_tip[node]
        };
        let point = if at > 0.0 {
            let rest_length = rod.elements[node].rest_length;
            rod.strained[node].point(&state.positions[node], at, rest_length)
        } else {
            state.positions[node]
        };
        let radius = rod.config.section_at(from_tip).radius;
        self.walls.clear();
        lumen.walls_near(&point, radius + search.reach, &mut self.walls);
        let element = node.min(rod.strained.len() - 1);
        let place = NearbyPoint {
            node,
            at,
            slot,
            from_tip,
            radius,
            along: rod.strained[element].frame.to_world.column(0).into_owned(),
            first_old,
        };
        let n_seen = self.walls.len();
        for idx in 0..n_seen {
            let wall = self.walls[idx];
            let force = self.push(rod, search, &place, &wall, true);
            if force.x <= 0.0 && wall.distance > radius + 0.1 * search.reach {
                continue;
            }
            // The wall at lateral offsets.
            for tangent in &tangents(&place.along, &wall.normal) {
                let mut bend = 0.0;
                for side in [1.0, -1.0] {
                    let direction = side * tangent;
                    let Some((aside, off)) =
                        self.offset_wall(lumen, search, (&point, radius), &wall, &direction)
                    else {
                        continue;
                    };
                    let turned = -side * aside.normal.dot(tangent);
                    bend += turned / off;
                    if turned > 0.01 {
                        self.walls.push(WallPoint {
                            distance: (point - aside.position).dot(&aside.normal),
                            ..aside
                        });
                    }
                }
                if bend > 0.0 && force.x > 0.0 {
                    let row = row(rod, node, at, tangent);
                    self.curved.push((node, row, 0.5 * force.x * bend));
                }
            }
        }
        for idx in n_seen..self.walls.len() {
            let wall = self.walls[idx];
            self.push(rod, search, &place, &wall, false);
        }
    }

    /// The same wall as seen from a small lateral offset, with its distance [m]. The smaller the distance, the
    /// greater the curvature.
    fn offset_wall(
        &mut self,
        lumen: &dyn Lumen,
        search: &Search,
        (point, radius): (&Vector3<f64>, f64),
        wall: &WallPoint,
        direction: &Vector3<f64>,
    ) -> Option<(WallPoint, f64)> {
        let cosine = |aside: &WallPoint| aside.normal.dot(&wall.normal);
        [4.0, 16.0, 64.0].into_iter().find_map(|part| {
            let off = search.reach / part;
            let offset_point = point + direction * off;
            self.aside.clear();
            lumen.walls_near(&offset_point, radius + search.reach, &mut self.aside);
            // A different wall, around a corner, has no curvature.
            let same = self.aside.iter().filter(|aside| cosine(aside) > 0.7);
            let nearest = same.min_by(|a, b| a.distance.total_cmp(&b.distance));
            nearest.map(|aside| (*aside, off))
        })
    }

    /// Takes the previous force at the same point from a wall with nearly this normal.
    fn take_force(
        &mut self,
        first_old: usize,
        slot: usize,
        normal: &Vector3<f64>,
        tangents: &[Vector3<f64>; 2],
    ) -> Vector3<f64> {
        let old = self.old_touches[first_old..]
            .iter()
            .zip(&mut self.old_forces[first_old..]);
        let same = old
            .take_while(|(touch, _)| touch.slot == slot)
            .filter(|(touch, force)| force.x > 0.0 && touch.normal.dot(normal) > 0.8)
            .max_by(|a, b| a.0.normal.dot(normal).total_cmp(&b.0.normal.dot(normal)));
        let Some((touch, force)) = same else {
            return Vector3::zeros();
        };
        let taken = std::mem::take(force);
        let friction = touch.tangents[0] * taken.y + touch.tangents[1] * taken.z;
        Vector3::new(
            taken.x,
            friction.dot(&tangents[0]),
            friction.dot(&tangents[1]),
        )
    }

    /// Adds a wall and its row. Its force is carried over if the wall was in contact before.
    fn push(
        &mut self,
        rod: &Posed<'_>,
        search: &Search,
        place: &NearbyPoint,
        wall: &WallPoint,
        is_seen: bool,
    ) -> Vector3<f64> {
        let NearbyPoint {
            node,
            at,
            slot,
            from_tip,
            radius,
            ..
        } = *place;
        let tangents = tangents(&place.along, &wall.normal);
        let force = self.take_force(place.first_old, slot, &wall.normal, &tangents);
        let row = |direction: &Vector3<f64>| row(rod, node, at, direction);
        let rubbing = |direction: &Vector3<f64>| {
            let arm = -radius * wall.normal;
            row(direction) + turning(&arm.cross(direction), at)
        };
        self.touches.push(CandidateContact {
            slot,
            position: wall.position,
            normal: wall.normal,
            tangents,
            from_tip,
            is_seen,
        });
        self.rows.push(ContactRow {
            node,
            normal: row(&wall.normal),
            tangents: if search.friction > 0.0 {
                tangents.map(|tangent| rubbing(&tangent))
            } else {
                [PointRow::zeros(); 2]
            },
            gap: wall.distance - radius,
            compliance: search.compliance,
            friction: search.friction,
            force,
        });
        force
    }

    /// Greatest penetration of rigid walls by the rod [m], at least 0.
    pub(crate) fn max_penetration(&self) -> f64 {
        let seen = self
            .touches
            .iter()
            .zip(&self.rows)
            .filter(|(touch, _)| touch.is_seen);
        let depths = seen.map(|(_, row)| -row.gap - row.compliance * row.force.x);
        depths.fold(0.0, f64::max)
    }

    /// Contacts with a force. Planes of one curved wall at one point of the rod are merged.
    pub(crate) fn pressing(&self) -> Vec<Contact> {
        let mut pressing: Vec<(usize, Contact)> = Vec::new();
        for (touch, row) in self
            .touches
            .iter()
            .zip(&self.rows)
            .filter(|(_, row)| row.force.x > 0.0)
        {
            let friction = touch.tangents[0] * row.force.y + touch.tangents[1] * row.force.z;
            let same = pressing
                .iter_mut()
                .rev()
                .take_while(|(slot, _)| *slot == touch.slot);
            let mut same = same.filter(|(_, contact)| contact.normal.dot(&touch.normal) > 0.8);
            if let Some((_, contact)) = same.next() {
                let sum = contact.normal * contact.normal_force + touch.normal * row.force.x;
                contact.normal_force = sum.norm();
                contact.normal = sum / contact.normal_force;
                contact.friction += friction;
            } else {
                let contact = Contact {
                    position: touch.position,
                    normal: touch.normal,
                    normal_force: row.force.x,
                    friction,
                    from_tip: touch.from_tip,
                };
                pressing.push((touch.slot, contact));
            }
        }
        pressing.into_iter().map(|(_, contact)| contact).collect()
    }
}

fn row(rod: &Posed<'_>, node: usize, at: f64, direction: &Vector3<f64>) -> PointRow {
    if at > 0.0 {
        return rod.strained[node].point_row(direction, at, rod.elements[node].rest_length);
    }
    let mut row = PointRow::zeros();
    row.fixed_rows_mut::<3>(0).copy_from(direction);
    row
}

/// Moment of a force at the rod's surface, distributed to the nodes.
fn turning(moment: &Vector3<f64>, at: f64) -> PointRow {
    let mut row = PointRow::zeros();
    row.fixed_rows_mut::<3>(3).copy_from(&(moment * (1.0 - at)));
    row.fixed_rows_mut::<3>(9).copy_from(&(moment * at));
    row
}

/// Two unit vectors orthogonal to a normal. The first is along the rod if possible.
fn tangents(along: &Vector3<f64>, normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let first = along - normal * along.dot(normal);
    let first = if first.norm_squared() > 1e-6 {
        first.normalize()
    } else {
        let axis = if normal.x.abs() < 0.7 {
            Vector3::x()
        } else {
            Vector3::y()
        };
        normal.cross(&axis).normalize()
    };
    [first, normal.cross(&first)]
}
