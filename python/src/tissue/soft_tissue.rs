//! Common base of all worlds of tissue.

use std::sync::{Mutex, MutexGuard, TryLockError};

use insonate_tissue::{Graspable, mpm, tool, xpbd};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Tool;
use super::tool::{ToolChange, vector};
use crate::arrays;
use crate::error::{ClosedError, OrderError, Result, value_error};
use crate::process::{self, Process};

/// A world of tissue that tools press and pull.
#[pyclass(frozen, subclass, module = "insonate.tissue")]
pub(crate) struct SoftTissue {
    process: Process,
    threads: Threads,
    /// `None` after `close`.
    world: Mutex<Option<World>>,
}

/// A world of one of the solvers.
pub(super) enum World {
    Xpbd(Box<xpbd::Xpbd>),
    MlsMpm(Box<mpm::MlsMpm>),
}

/// Threads on which a world steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    Caller,
    Shared,
    Own,
}

impl World {
    fn tissue(&self) -> &dyn insonate_tissue::SoftTissue {
        match self {
            Self::Xpbd(world) => &**world,
            Self::MlsMpm(world) => &**world,
        }
    }

    fn tissue_mut(&mut self) -> &mut dyn insonate_tissue::SoftTissue {
        match self {
            Self::Xpbd(world) => &mut **world,
            Self::MlsMpm(world) => &mut **world,
        }
    }

    fn graspable(&mut self) -> &mut dyn Graspable {
        match self {
            Self::Xpbd(world) => &mut **world,
            Self::MlsMpm(world) => &mut **world,
        }
    }

    fn tool(&mut self, index: usize) -> Result<&mut tool::Tool> {
        let tools = self.tissue_mut().tools_mut();
        let n = tools.len();
        tools
            .get_mut(index)
            .ok_or_else(|| value_error(format!("tool is {index}, but the world has {n}")))
    }
}

impl SoftTissue {
    pub(super) fn new(world: World, threads: Threads) -> Self {
        Self {
            process: Process::current(),
            threads,
            world: Mutex::new(Some(world)),
        }
    }

    /// Locks the world for one caller at a time.
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut World) -> Result<R>) -> Result<R> {
        let mut guard = self.lock()?;
        let Some(world) = guard.as_mut() else {
            return Err(ClosedError::new_err("the world is closed").into());
        };
        work(world)
    }

    fn lock(&self) -> Result<MutexGuard<'_, Option<World>>> {
        self.world.try_lock().map_err(|error| {
            let problem = match error {
                TryLockError::WouldBlock => "another thread is using the world",
                TryLockError::Poisoned(_) => "the world failed: make a new one",
            };
            OrderError::new_err(problem).into()
        })
    }

    /// Fails in a child of the process whose threads step the world.
    fn check_threads(&self) -> Result<()> {
        match self.threads {
            Threads::Caller => Ok(()),
            Threads::Shared => process::check_shared_threads(),
            Threads::Own => self.process.check(),
        }
    }
}

impl Drop for SoftTissue {
    fn drop(&mut self) {
        // After a fork the threads exist only in the parent process, so ending them would block.
        if self.check_threads().is_err()
            && let Ok(world) = self.world.get_mut()
        {
            std::mem::forget(world.take());
        }
    }
}

#[pymethods]
impl SoftTissue {
    /// Simulated time [s].
    #[getter]
    fn time(&self) -> Result<f64> {
        self.with(|world| Ok(world.tissue().time()))
    }

    /// Adds a copy of a tool. Returns its index.
    fn add_tool(&self, tool: &Tool) -> Result<usize> {
        self.with(|world| {
            let tools = world.tissue_mut().tools_mut();
            tools.push(tool.tool.clone());
            Ok(tools.len() - 1)
        })
    }

    /// Copy of a tool in its current state.
    fn tool(&self, tool: usize) -> Result<Tool> {
        self.with(|world| {
            let tool = world.tool(tool)?.clone();
            Ok(Tool { tool })
        })
    }

    /// Changes a tool from the next step on. Arguments that are `None` stay.
    #[pyo3(signature = (tool, *, position=None, rotation=None, linear=None, angular=None, friction=None))]
    fn set_tool(
        &self,
        tool: usize,
        position: Option<[f64; 3]>,
        rotation: Option<[f64; 4]>,
        linear: Option<[f64; 3]>,
        angular: Option<[f64; 3]>,
        friction: Option<f64>,
    ) -> Result<()> {
        let change = ToolChange {
            position,
            rotation,
            linear,
            angular,
            friction,
        };
        self.with(|world| change.apply(world.tool(tool)?))
    }

    /// Runs `n` steps of a time [s].
    #[pyo3(signature = (time, n=1))]
    fn step(&self, py: Python<'_>, time: f64, n: usize) -> Result<()> {
        self.check_threads()?;
        self.with(|world| {
            for _ in 0..n {
                py.detach(|| world.tissue_mut().step(time))?;
                py.check_signals()?;
            }
            Ok(())
        })
    }

    /// Mean force [N] and torque [N·m] of the tissue on a tool over the last step, in the world frame, about the tool's
    /// origin.
    #[expect(clippy::type_complexity, reason = "two arrays")]
    fn wrench<'py>(
        &self,
        py: Python<'py>,
        tool: usize,
    ) -> Result<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        self.with(|world| {
            world.tool(tool)?;
            let wrench = world.tissue().wrench(tool);
            Ok((vector(py, &wrench.force), vector(py, &wrench.torque)))
        })
    }

    /// Positions in the world frame [m], shape `[n_points, 3]`.
    fn positions<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.with(|world| {
            let positions = py.detach(|| world.tissue().positions());
            arrays::table(py, positions)
        })
    }

    /// Velocities in the world frame [m/s], shape `[n_points, 3]`.
    fn velocities<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        self.with(|world| {
            let velocities = py.detach(|| match world {
                World::Xpbd(world) => world.velocities(),
                World::MlsMpm(world) => world.velocities(),
            });
            arrays::table(py, velocities)
        })
    }

    /// Total momentum [kg·m/s].
    fn momentum<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        self.with(|world| {
            let momentum: [f64; 3] = match world {
                World::Xpbd(world) => world.momentum().into(),
                World::MlsMpm(world) => world.momentum(),
            };
            Ok(PyArray1::from_slice(py, &momentum))
        })
    }

    /// Lets a tool hold up to `most` points that are nearest to a point. Returns their number.
    fn grasp(&self, tool: usize, at: [f64; 3], radius: f64, most: usize) -> Result<usize> {
        if !(at.iter().all(|x| x.is_finite()) && radius >= 0.0) {
            return Err(value_error(
                "a grasp is at a finite place [m] with a radius of 0 or more [m]",
            ));
        }
        self.with(|world| {
            world.tool(tool)?;
            Ok(world.graspable().grasp(tool, at.into(), radius, most))
        })
    }

    /// Releases all points that a tool has grasped.
    fn release(&self, tool: usize) -> Result<()> {
        self.with(|world| {
            world.tool(tool)?;
            world.graspable().release(tool);
            Ok(())
        })
    }

    /// Resets to the rest shape at time 0. Tools stay.
    fn reset(&self) -> Result<()> {
        self.with(|world| {
            world.tissue_mut().reset();
            Ok(())
        })
    }

    /// State without tools.
    fn save<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        self.with(|world| {
            let state = py.detach(|| world.tissue().save());
            Ok(PyBytes::new(py, &state))
        })
    }

    /// Restores a saved state of a world that was made in the same way.
    fn restore(&self, state: &[u8]) -> Result<()> {
        self.with(|world| Ok(world.tissue_mut().restore(state)?))
    }

    /// Frees the world.
    fn close(&self) -> Result<()> {
        let world = self.lock()?.take();
        if self.check_threads().is_err() {
            std::mem::forget(world);
        }
        Ok(())
    }
}
