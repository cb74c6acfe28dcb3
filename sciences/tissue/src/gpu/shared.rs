//! Worlds that several owners step together.
//!
//! Each owner has one world as a [`SoftTissue`]. The first owner who steps also makes the steps that others have
//! [announced](SoftTissue::announce_step), in one launch, with one transfer. Results do not depend on it, because the bits of a world do not
//! depend on other worlds.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nalgebra::Vector3;

use super::{Gpu, GpuError, MAX_TOOLS};
use crate::tool::{ContactPoint, Tool, Wrench};
use crate::{Divergence, SoftTissue, TissueError, TissueStress};

/// Distance from the body at rest beyond which a tool cannot touch it [m]: it bulges less far.
const MARGIN: f64 = 0.05;

/// Worlds of the same body that a GPU steps together. Methods without an explanation are those of the solvers.
pub trait Worlds: Sized + Send + fmt::Debug {
    /// Settings and body of all worlds.
    type Body: Send + Sync + fmt::Debug;

    /// A number of worlds at rest.
    fn new(gpu: &Gpu, body: &Self::Body, n_worlds: usize) -> Result<Self, GpuError>;
    /// Positions at rest [m].
    fn positions_at_rest(body: &Self::Body) -> Vec<[f64; 3]>;
    /// Young's modulus [Pa] and damping time [s] for which the factors of softness are 1.
    fn softness_of(body: &Self::Body) -> [f64; 2];

    fn n_worlds(&self) -> usize;
    fn time(&self, world: usize) -> f64;
    fn divergence(&self, world: usize) -> Option<Divergence>;
    fn tools_mut(&mut self, world: usize) -> &mut Vec<Tool>;
    fn wrench(&self, world: usize, tool: usize) -> Wrench;
    fn set_softness(&mut self, world: usize, factors: [f64; 2]) -> Result<(), GpuError>;
    fn step_some(&mut self, time: f64, moves: &[bool]) -> Result<(), GpuError>;
    fn reset(&mut self, worlds: &[usize]) -> Result<(), GpuError>;
    fn save(&self, world: usize) -> Result<Vec<u8>, GpuError>;
    fn restore(&mut self, world: usize, state: &[u8]) -> Result<(), GpuError>;
    fn positions(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError>;
    fn velocities(&self, world: usize) -> Result<Vec<[f64; 3]>, GpuError>;
    fn stress(&self, world: usize) -> Result<Option<TissueStress>, GpuError>;
}

/// The methods of [`Worlds`] that a solver has itself.
macro_rules! own_methods {
    () => {
        fn n_worlds(&self) -> usize {
            self.n_worlds()
        }

        fn time(&self, world: usize) -> f64 {
            self.time(world)
        }

        fn divergence(&self, world: usize) -> Option<$crate::Divergence> {
            self.divergence(world)
        }

        fn tools_mut(&mut self, world: usize) -> &mut Vec<$crate::tool::Tool> {
            self.tools_mut(world)
        }

        fn wrench(&self, world: usize, tool: usize) -> $crate::tool::Wrench {
            self.wrench(world, tool)
        }

        fn set_softness(
            &mut self,
            world: usize,
            factors: [f64; 2],
        ) -> Result<(), $crate::gpu::GpuError> {
            self.set_softness(world, factors)
        }

        fn step_some(&mut self, time: f64, moves: &[bool]) -> Result<(), $crate::gpu::GpuError> {
            self.step_some(time, moves)
        }

        fn reset(&mut self, worlds: &[usize]) -> Result<(), $crate::gpu::GpuError> {
            self.reset(worlds)
        }

        fn save(&self, world: usize) -> Result<Vec<u8>, $crate::gpu::GpuError> {
            self.save(world)
        }

        fn restore(&mut self, world: usize, state: &[u8]) -> Result<(), $crate::gpu::GpuError> {
            self.restore(world, state)
        }

        fn positions(&self, world: usize) -> Result<Vec<[f64; 3]>, $crate::gpu::GpuError> {
            self.positions(world)
        }

        fn velocities(&self, world: usize) -> Result<Vec<[f64; 3]>, $crate::gpu::GpuError> {
            self.velocities(world)
        }
    };
}
pub(super) use own_methods;

/// Worlds of one body on a GPU, with an owner each.
#[derive(Debug)]
pub struct Shared<W: Worlds> {
    gpu: Gpu,
    body: W::Body,
    at_rest: Vec<[f64; 3]>,
    /// Least and greatest coordinates of the body at rest [m].
    bounds: [Vector3<f64>; 2],
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    worlds: W,
    /// Whether each world has an owner, and its factors of softness.
    owned: Vec<bool>,
    softness: Vec<[f64; 2]>,
    /// Time of the announced step of each world [s].
    announced: Vec<Option<f64>>,
    /// What went wrong in the last step of each world.
    faults: Vec<Option<TissueError>>,
}

/// One world of [`Shared`].
#[derive(Debug)]
pub struct Seat<W: Worlds> {
    shared: Arc<Shared<W>>,
    index: usize,
    tools: Vec<Tool>,
    /// The tools near the tissue in the announced step, by index.
    near: Option<Vec<usize>>,
    wrenches: Vec<Wrench>,
    time: f64,
}

impl<W: Worlds> Shared<W> {
    /// Room for worlds of a body.
    ///
    /// # Errors
    /// Those of the worlds.
    pub fn of_body(gpu: &Gpu, body: W::Body) -> Result<Arc<Self>, GpuError> {
        let at_rest = W::positions_at_rest(&body);
        let at = || at_rest.iter().map(|at| Vector3::from(*at));
        let bounds = [
            at().reduce(|a, b| a.inf(&b)).unwrap_or_default(),
            at().reduce(|a, b| a.sup(&b)).unwrap_or_default(),
        ];
        let worlds = W::new(gpu, &body, 1)?;
        Ok(Arc::new(Self {
            gpu: gpu.clone(),
            body,
            at_rest,
            bounds,
            state: Mutex::new(State {
                worlds,
                owned: Vec::new(),
                softness: Vec::new(),
                announced: Vec::new(),
                faults: Vec::new(),
            }),
        }))
    }

    /// A world at rest with an owner of its own, with the softness of the body.
    pub fn seat(self: &Arc<Self>) -> Seat<W> {
        let mut state = self.lock();
        let free = state.owned.iter().position(|owned| !owned);
        let index = free.unwrap_or_else(|| {
            state.owned.push(false);
            state.softness.push([1.0; 2]);
            state.announced.push(None);
            state.faults.push(None);
            state.owned.len() - 1
        });
        state.owned[index] = true;
        state.faults[index] = None;
        state.softness[index] = [1.0; 2];
        if index < state.worlds.n_worlds() {
            let cleared = state.worlds.set_softness(index, [1.0; 2]);
            cleared.expect("factors of 1 are in range");
        }
        drop(state);
        let mut seat = Seat {
            shared: Arc::clone(self),
            index,
            tools: Vec::new(),
            near: None,
            wrenches: Vec::new(),
            time: 0.0,
        };
        seat.reset();
        seat
    }

    /// Each part of the state is valid after a panic in a step.
    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Worlds for all owners: as many as there are owners when the first of them steps, later at least twice as many as before.
    fn grow(&self, state: &mut State<W>) -> Result<(), GpuError> {
        let (before, needed) = (state.worlds.n_worlds(), state.owned.len());
        if needed <= before {
            return Ok(());
        }
        let has_moved = (0..before).any(|world| state.worlds.time(world) > 0.0);
        let n_worlds = if has_moved {
            needed.max(2 * before)
        } else {
            needed
        };
        let mut worlds = W::new(&self.gpu, &self.body, n_worlds)?;
        for (world, factors) in state.softness.iter().enumerate() {
            worlds.set_softness(world, *factors)?;
        }
        for world in (0..before).filter(|_| has_moved) {
            worlds.restore(world, &state.worlds.save(world)?)?;
        }
        state.worlds = worlds;
        Ok(())
    }

    /// Makes the announced steps, those with equal times at once.
    fn step_announced(state: &mut State<W>) {
        while let Some(time) = state.announced.iter().find_map(|time| *time) {
            let moves: Vec<bool> = (0..state.worlds.n_worlds())
                .map(|world| state.announced.get(world) == Some(&Some(time)))
                .collect();
            let fault = state.worlds.step_some(time, &moves).err();
            let fault = fault.map(TissueError::from);
            for (world, _) in moves.iter().enumerate().filter(|(_, moves)| **moves) {
                state.announced[world] = None;
                let diverged = state.worlds.divergence(world);
                let time = state.worlds.time(world);
                state.faults[world] = fault
                    .clone()
                    .or(diverged.map(|reason| TissueError::Diverged { reason, time }));
            }
        }
    }

    /// Whether a tool may touch the body within a time [s].
    fn is_near(&self, tool: &Tool, time: f64) -> bool {
        let Some(bounds) = tool.shape.bounds() else {
            return true;
        };
        let turn = tool.rotation.to_rotation_matrix();
        let center = tool.position + turn * bounds.center;
        let margin = bounds.radius + MARGIN + tool.speed(f64::INFINITY) * time;
        let half = (turn.matrix().abs() * bounds.half).add_scalar(margin);
        let [low, high] = self.bounds;
        (0..3).all(|axis| {
            center[axis] - half[axis] <= high[axis] && center[axis] + half[axis] >= low[axis]
        })
    }
}

impl<W: Worlds> Seat<W> {
    /// The tools that may touch the body within a time [s], by index.
    fn near(&self, time: f64) -> Result<Vec<usize>, TissueError> {
        for tool in &self.tools {
            tool.check()?;
        }
        let near = self.tools.iter().enumerate();
        let near = near.filter(|(_, tool)| self.shared.is_near(tool, time));
        let near: Vec<usize> = near.map(|(index, _)| index).collect();
        if near.len() > MAX_TOOLS {
            let allowed = format!("at most {MAX_TOOLS} near the tissue on the GPU");
            return Err(TissueError::setting("tools", near.len(), allowed));
        }
        Ok(near)
    }

    /// Announces a step; returns the tools near the tissue.
    fn announce(&self, time: f64) -> Result<Vec<usize>, TissueError> {
        let near = self.near(time)?;
        let mut state = self.shared.lock();
        self.shared.grow(&mut state).map_err(TissueError::from)?;
        let tools = near.iter().map(|index| self.tools[*index].clone());
        *state.worlds.tools_mut(self.index) = tools.collect();
        state.announced[self.index] = Some(time);
        Ok(near)
    }

    fn read<T>(&self, read: impl FnOnce(&W, usize) -> Result<T, GpuError>) -> Result<T, GpuError> {
        let mut state = self.shared.lock();
        self.shared.grow(&mut state)?;
        read(&state.worlds, self.index)
    }

    /// Numbers of all points; NaN if the GPU fails, which the next step reports.
    fn points(
        &self,
        read: impl FnOnce(&W, usize) -> Result<Vec<[f64; 3]>, GpuError>,
    ) -> Vec<[f64; 3]> {
        let n = self.shared.at_rest.len();
        self.read(read).unwrap_or_else(|_| vec![[f64::NAN; 3]; n])
    }
}

impl<W: Worlds> SoftTissue for Seat<W> {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.tools
    }

    fn set_softness(&mut self, young_modulus: f64, damping_time: f64) -> Result<bool, TissueError> {
        let [modulus, time] = W::softness_of(&self.shared.body);
        let factors = [young_modulus / modulus, damping_time / time];
        let mut state = self.shared.lock();
        // A world that is not there yet gets them when it is made.
        if self.index < state.worlds.n_worlds() {
            let changed = state.worlds.set_softness(self.index, factors);
            changed.map_err(TissueError::from)?;
        }
        state.softness[self.index] = factors;
        drop(state);
        self.reset();
        Ok(true)
    }

    fn announce_step(&mut self, time: f64) {
        // The step reports what is wrong.
        self.near = self.announce(time).ok();
    }

    fn step(&mut self, time: f64) -> Result<(), TissueError> {
        let near = match self.near.take() {
            Some(near) => near,
            None => self.announce(time)?,
        };
        let mut state = self.shared.lock();
        if state.announced[self.index].is_some() {
            Shared::step_announced(&mut state);
        }
        if let Some(fault) = state.faults[self.index].take() {
            return Err(fault);
        }
        self.wrenches = vec![Wrench::default(); self.tools.len()];
        for (place, index) in near.into_iter().enumerate() {
            self.wrenches[index] = state.worlds.wrench(self.index, place);
        }
        drop(state);
        for tool in &mut self.tools {
            *tool = tool.after(time);
        }
        self.time += time;
        Ok(())
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.wrenches.get(tool).copied().unwrap_or_default()
    }

    /// `None`: kernels sum the forces of points.
    fn contact_points(&self, _tool: usize) -> Option<&[ContactPoint]> {
        None
    }

    fn positions(&self) -> Vec<[f64; 3]> {
        if self.time == 0.0 {
            return self.shared.at_rest.clone();
        }
        self.points(W::positions)
    }

    fn velocities(&self) -> Vec<[f64; 3]> {
        self.points(W::velocities)
    }

    fn stress(&self) -> Option<TissueStress> {
        self.read(W::stress).ok().flatten()
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn reset(&mut self) {
        let mut state = self.shared.lock();
        (state.announced[self.index], self.near) = (None, None);
        // A world that is not there yet is at rest.
        if self.index < state.worlds.n_worlds() {
            let fault = state.worlds.reset(&[self.index]).err();
            state.faults[self.index] = fault.map(TissueError::from);
        }
        drop(state);
        self.wrenches.clear();
        self.time = 0.0;
    }

    /// Empty if the GPU fails.
    fn save(&self) -> Vec<u8> {
        self.read(W::save).unwrap_or_default()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), TissueError> {
        let mut state = self.shared.lock();
        let restored = self.shared.grow(&mut state).and_then(|()| {
            state.worlds.restore(self.index, bytes)?;
            (state.announced[self.index], self.near) = (None, None);
            Ok(state.worlds.time(self.index))
        });
        drop(state);
        self.time = restored.map_err(TissueError::from)?;
        self.wrenches.clear();
        Ok(())
    }
}

impl<W: Worlds> Drop for Seat<W> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        (state.owned[self.index], state.announced[self.index]) = (false, None);
    }
}
