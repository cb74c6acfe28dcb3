//! Saved states of worlds.
//!
//! Little-endian: a magic number, the numbers of points and elements, time, then positions and velocities (f32), one
//! byte per element, and held vertices.

use nalgebra::Vector3;

use super::block::Block;
use super::held::HeldVertex;
use super::lane_layout::LaneLayout;
use super::points::RowOfPoints as _;
use crate::state_reader::StateReader;
use crate::{Divergence, TissueError};

/// Magic number and version.
const MARK: &[u8; 8] = b"XPBD\x01\0\0\0";

/// Bytes of a held vertex.
const HELD_LEN: usize = 4 + 4 + 1 + 24;

/// A state that was read and validated.
struct Snapshot {
    time: f64,
    diverged: Option<Divergence>,
    /// Positions, then velocities.
    points: Vec<f32>,
    alive: Vec<bool>,
    held: Vec<HeldVertex>,
}

impl<Y: LaneLayout> Block<Y> {
    /// The state of a world.
    pub(super) fn save(&self, world: usize) -> Vec<u8> {
        let topology = &self.model.topology;
        let n_points = topology.rest.len();
        let state = &self.worlds[world];
        let mut bytes = MARK.to_vec();
        bytes.extend((n_points as u32).to_le_bytes());
        bytes.extend((topology.tets.len() as u32).to_le_bytes());
        bytes.extend(state.time.to_le_bytes());
        let (kind, speed, most) = match state.diverged {
            None => (0u8, 0.0f64, 0.0f64),
            Some(Divergence::Runaway { speed, most }) => (1, speed, most),
            Some(_) => (2, 0.0, 0.0),
        };
        bytes.push(kind);
        bytes.extend(speed.to_le_bytes());
        bytes.extend(most.to_le_bytes());
        for rows in [&self.positions, &self.velocities] {
            for i in 0..n_points {
                let (row, lane) = Y::row_and_lane(i, world);
                for x in rows[row].at(lane) {
                    bytes.extend(x.to_le_bytes());
                }
            }
        }
        bytes.extend((0..topology.tets.len()).map(|tet| u8::from(self.has_tet(tet, world))));
        bytes.extend((state.held.len() as u32).to_le_bytes());
        for held in &state.held {
            bytes.extend(held.vertex.to_le_bytes());
            bytes.extend(held.tool.to_le_bytes());
            bytes.push(u8::from(held.sticks));
            for x in &held.at {
                bytes.extend(x.to_le_bytes());
            }
        }
        bytes
    }

    /// Restores the state of a world.
    pub(super) fn restore(&mut self, world: usize, bytes: &[u8]) -> Result<(), TissueError> {
        let state = self.read(bytes)?;
        self.put(world, &state);
        Ok(())
    }

    /// As [`Self::restore`], for a state that this block has just saved. Wrenches and contact points stay.
    pub(super) fn put_back(&mut self, world: usize, bytes: &[u8]) {
        let former = &self.worlds[world];
        let (wrenches, points) = (former.wrenches.clone(), former.contact_points.clone());
        if let Ok(state) = self.read(bytes) {
            self.put(world, &state);
        }
        self.worlds[world].wrenches = wrenches;
        self.worlds[world].contact_points = points;
    }

    fn read(&self, bytes: &[u8]) -> Result<Snapshot, TissueError> {
        let topology = &self.model.topology;
        let (n_points, n_tets) = (topology.rest.len(), topology.tets.len());
        let mut reader = StateReader(bytes);
        if &reader.take::<8>()? != MARK {
            return Err(TissueError::State("not one of this solver".into()));
        }
        let counts = [reader.count()?, reader.count()?];
        if counts != [n_points, n_tets] {
            return Err(TissueError::State(format!(
                "of {} points and {} tetrahedra, not {n_points} and {n_tets}",
                counts[0], counts[1]
            )));
        }
        let time = reader.float("time")?;
        let [kind] = reader.take()?;
        let (speed, most) = (reader.float("speed")?, reader.float("most")?);
        let diverged = match kind {
            0 => None,
            1 => Some(Divergence::Runaway { speed, most }),
            2 => Some(Divergence::NotFinite),
            _ => return Err(TissueError::State(format!("diverged is {kind}"))),
        };
        // Check lengths before allocating memory.
        if reader.0.len() < 24 * n_points + n_tets {
            return Err(TissueError::State("it ends too early".into()));
        }
        let mut points = Vec::with_capacity(6 * n_points);
        for _ in 0..6 * n_points {
            let value = f32::from_le_bytes(reader.take()?);
            if !value.is_finite() {
                return Err(TissueError::State(format!("a coordinate is {value}")));
            }
            points.push(value);
        }
        let mut alive = Vec::with_capacity(n_tets);
        for _ in 0..n_tets {
            let [is_alive] = reader.take()?;
            if is_alive > 1 || (is_alive == 0 && !topology.tears) {
                return Err(TissueError::State(format!("alive is {is_alive}")));
            }
            alive.push(is_alive == 1);
        }
        let n_held = reader.count()?;
        if reader.0.len() != n_held * HELD_LEN {
            return Err(TissueError::State(format!(
                "{} bytes for {n_held} held vertices",
                reader.0.len()
            )));
        }
        let mut held = Vec::with_capacity(n_held);
        for _ in 0..n_held {
            let (vertex, tool) = (reader.count()?, reader.count()?);
            let [sticks] = reader.take()?;
            let mut at = Vector3::zeros();
            for axis in 0..3 {
                at[axis] = reader.float("held")?;
            }
            if vertex >= topology.n_vertices {
                return Err(TissueError::State(format!("vertex {vertex} is held")));
            }
            held.push(HeldVertex {
                vertex: vertex as u32,
                tool: tool as u32,
                sticks: sticks == 1,
                at,
            });
        }
        Ok(Snapshot {
            time,
            diverged,
            points,
            alive,
            held,
        })
    }

    fn put(&mut self, world: usize, state: &Snapshot) {
        self.reset(world);
        let n_points = self.model.topology.rest.len();
        let (positions, velocities) = state.points.split_at(3 * n_points);
        for (rows, values) in [
            (&mut self.positions, positions),
            (&mut self.velocities, velocities),
        ] {
            for (i, point) in values.chunks_exact(3).enumerate() {
                let (row, lane) = Y::row_and_lane(i, world);
                rows[row].set(lane, [point[0], point[1], point[2]]);
            }
        }
        for (tet, _) in state.alive.iter().enumerate().filter(|(_, alive)| !**alive) {
            self.remove(tet, world);
        }
        for held in &state.held {
            self.worlds[world].hold(*held);
        }
        self.worlds[world].time = state.time;
        self.worlds[world].diverged = state.diverged;
    }
}
