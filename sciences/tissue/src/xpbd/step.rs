//! A step: substeps of Algorithm 1 of Macklin, Müller and Chentanez 2016, with contact as additional constraints,
//! followed by tearing.

use super::block::Block;
use super::contact;
use super::lane_layout::LaneLayout;
use super::points::RowOfPoints as _;
use super::predict::Predict;
use super::tear::{FindStretched, is_torn};
use super::update::{SpeedCheck, Update};
use crate::lanes;
use crate::threads::Threads;
use crate::tool::Tool;
use crate::{Divergence, TissueError};

impl<Y: LaneLayout> Block<Y> {
    /// Advances the worlds with a `true` entry in `moves` by a time [s]. Returns for each of them the error, if it was
    /// not advanced.
    pub(super) fn step(
        &mut self,
        time: f64,
        moves: impl Fn(usize) -> bool,
    ) -> Vec<Option<TissueError>> {
        let n_substeps = self.model.n_substeps(time);
        let worlds = self.worlds.iter().enumerate();
        let mut errors: Vec<_> = worlds
            .map(|(i, world)| world.check().err().filter(|_| moves(i)))
            .collect();
        let moving: Vec<bool> = errors
            .iter()
            .enumerate()
            .map(|(i, error)| error.is_none() && moves(i))
            .collect();
        if n_substeps == 0 || !moving.contains(&true) {
            return errors;
        }
        self.choose_window();
        // Lanes advance together: the states of worlds that must not move are restored afterwards.
        let stopped = (0..moving.len()).filter(|i| !moving[*i]);
        let stopped: Vec<_> = stopped.map(|i| (i, self.save(i))).collect();
        let dt = time / n_substeps as f64;
        for row in self.model.rows.iter().map(|row| *row as usize) {
            self.start[0][row] = self.positions[row];
            self.start[1][row] = self.velocities[row];
        }
        for world in &mut self.worlds {
            world.begin_step();
        }
        let threads = if self.model.partition.is_whole() {
            Threads::Caller
        } else {
            self.threads.clone()
        };
        let speeds = threads.run(|| self.advance(dt, n_substeps, &moving));
        for (index, error) in errors.iter_mut().enumerate() {
            if moving[index] {
                *error = self.finish(index, time, &speeds).err();
            }
        }
        for (index, state) in stopped {
            self.put_back(index, &state);
        }
        errors
    }

    /// Runs substeps of a length [s].
    fn advance(&mut self, dt: f64, n_substeps: usize, moving: &[bool]) -> SpeedCheck {
        let mut speeds = SpeedCheck::default();
        for index in 0..n_substeps {
            let after = (index + 1) as f64 * dt;
            let worlds = self.worlds.iter().zip(moving);
            let tools: Vec<Vec<Tool>> = worlds
                .map(|(world, moves)| match moves {
                    true => world.tools.iter().map(|tool| tool.after(after)).collect(),
                    false => Vec::new(),
                })
                .collect();
            self.substep(dt, &tools, &mut speeds);
        }
        speeds
    }

    /// Ends the step of a world, or undoes it and stops the world.
    fn finish(&mut self, index: usize, time: f64, speeds: &SpeedCheck) -> Result<(), TissueError> {
        let lanes = if Y::WIDTH == 1 {
            index..index + 1
        } else {
            0..16
        };
        let most = self.model.config.max_speed;
        let reason = match speeds.greatest(lanes.clone()) {
            Some(speed) if speed <= most => {
                self.worlds[index].end_step(time);
                return Ok(());
            }
            Some(speed) => Divergence::Runaway { speed, most },
            None => Divergence::NotFinite,
        };
        let world = &mut self.worlds[index];
        world.diverged = Some(reason);
        world.wrenches.clear();
        world.contact_points.clear();
        let time = world.time;
        let [positions, velocities] = &self.start;
        for row in self.model.rows.iter().map(|row| *row as usize) {
            for lane in lanes.clone() {
                self.positions[row].set(lane, positions[row].at(lane));
                self.velocities[row].set(lane, velocities[row].at(lane));
            }
        }
        Err(TissueError::Diverged { reason, time })
    }

    fn substep(&mut self, dt: f64, tools: &[Vec<Tool>], speeds: &mut SpeedCheck) {
        // x̃ = xⁿ + Δt v + Δt² g, x = x̃, λ = 0
        self.predict(dt);
        for _ in 0..self.model.config.iterations {
            // Δλ => λ + Δλ, x + M⁻¹ ∇C Δλ, constraint by constraint
            self.solve_constraints(dt);
            // contact, held vertices => x, impulses on tools
            self.solve_contacts(dt, tools);
        }
        // v = (x − xⁿ) / Δt
        self.update(dt, speeds);
        // strain => torn elements
        self.tear();
    }

    fn predict(&mut self, dt: f64) {
        lanes::run(Predict::<Y> {
            positions: &mut self.positions,
            predicted: &mut self.predicted,
            velocities: &mut self.velocities,
            movable: &self.model.movable,
            rows: &self.model.rows,
            gravity: self.model.config.gravity.map(|g| g as f32),
            dt: dt as f32,
        });
        for rows in self.parts.iter_mut().flat_map(|part| &mut part.multipliers) {
            rows.fill([0.0; 16]);
        }
    }

    fn solve_contacts(&mut self, dt: f64, tools: &[Vec<Tool>]) {
        let solver = contact::Contacts {
            model: &self.model,
            positions: &mut self.positions,
            predicted: &self.predicted,
            velocities: &self.velocities,
            alive: &self.alive,
            dt,
        };
        solver.solve(tools, &mut self.worlds, &mut self.found);
    }

    fn update(&mut self, dt: f64, speeds: &mut SpeedCheck) {
        lanes::run(Update::<Y> {
            positions: &self.positions,
            predicted: &self.predicted,
            velocities: &mut self.velocities,
            rows: &self.model.rows,
            dt: dt as f32,
            kept: (1.0 - self.model.config.drag * dt) as f32,
            speeds,
        });
    }

    fn tear(&mut self) {
        let model = self.model.clone();
        if !model.topology.tears {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        lanes::run(FindStretched {
            groups: &model.tear_groups,
            positions: &self.positions,
            alive: &self.alive.tets,
            found: &mut found,
        });
        Y::for_each(&found, model.topology.tets.len(), |number, world| {
            let tet = &model.topology.tets[number];
            let corners = tet.vertices.map(|vertex| {
                let (row, lane) = Y::row_and_lane(vertex as usize, world);
                self.positions[row].get(lane)
            });
            if world < self.worlds.len() && is_torn(tet, corners) {
                self.remove(number, world);
            }
        });
        self.found = found;
        self.stop_detached();
    }

    /// Keeps detached vertices where they are.
    fn stop_detached(&mut self) {
        for (index, world) in self.worlds.iter_mut().enumerate() {
            for (vertex, position) in &world.detached {
                let (row, lane) = Y::row_and_lane(*vertex as usize, index);
                let mass = self.model.topology.masses[*vertex as usize];
                world.stopped -= self.velocities[row].get(lane) * mass;
                self.positions[row].set(lane, *position);
                self.velocities[row].set(lane, [0.0; 3]);
            }
        }
    }
}
