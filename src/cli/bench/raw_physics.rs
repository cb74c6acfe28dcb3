//! The physics alone: the same models, from the environments' states, on as many threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::Instant;

use insonate::envs::VecEnv;
use insonate::sim::{Physics, SimError};

/// Copies of the environments' states.
#[derive(Debug, Default)]
pub(super) struct RawPhysics {
    states: Vec<State>,
}

#[derive(Debug)]
struct State {
    physics: Physics,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    ctrl: Vec<f64>,
    /// Displacements and velocities of a fast torso.
    shell: (Vec<f64>, Vec<f64>),
}

impl RawPhysics {
    /// Copies the states of all environments; false: they have no physics engine, or torsos on a GPU, which has no room for copies.
    pub(super) fn copy_states(&mut self, env: &VecEnv) -> Result<bool, SimError> {
        for env_idx in 0..env.n_envs() {
            let Some((scene, physics)) = env.env(env_idx).scene() else {
                return Ok(false);
            };
            if physics.has_torso_on_gpu() {
                return Ok(false);
            }
            let known = self
                .states
                .get(env_idx)
                .map(|state| state.physics.model_arc());
            let is_same = known.is_some_and(|model| Arc::ptr_eq(&model, scene.physics_model()));
            if !is_same {
                let state = State::new(Physics::from_scene(scene)?);
                match self.states.get_mut(env_idx) {
                    Some(old) => *old = state,
                    None => self.states.push(state),
                }
            }
            self.states[env_idx].copy(physics);
        }
        Ok(true)
    }

    /// Time of `n_steps` steps of each state with constant motors, on `n_threads` threads [s].
    pub(super) fn seconds(&mut self, n_steps: usize, n_threads: usize) -> f64 {
        self.states.iter_mut().for_each(State::restore);
        let states: Vec<Mutex<&mut State>> = self.states.iter_mut().map(Mutex::new).collect();
        let (next, barrier) = (AtomicUsize::new(0), Barrier::new(n_threads));
        let work = || {
            barrier.wait();
            let start = Instant::now();
            while let Some(state) = states.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                // A state that diverges stops, and is restored before the next round.
                let _ = state.physics.step_n(n_steps);
            }
            start.elapsed().as_secs_f64()
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..n_threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let times = others.into_iter().map(|other| other.join().unwrap_or(own));
            times.fold(own, f64::max)
        })
    }
}

impl State {
    fn new(physics: Physics) -> Self {
        Self {
            physics,
            qpos: Vec::new(),
            qvel: Vec::new(),
            ctrl: Vec::new(),
            shell: (Vec::new(), Vec::new()),
        }
    }

    fn copy(&mut self, from: &Physics) {
        self.qpos = from.qpos().to_vec();
        self.qvel = from.qvel().to_vec();
        self.ctrl = from.ctrl().to_vec();
        if let (Some(from), Some(own)) = (from.shell(), self.physics.shell_mut()) {
            self.shell = (from.displacements().to_vec(), from.rates().to_vec());
            let (frame, twist) = from.frame();
            own.set_frame(&frame, &twist);
        }
    }

    fn restore(&mut self) {
        if self.physics.diverged().is_some() {
            self.physics.reset();
        }
        self.physics.qpos_mut().copy_from_slice(&self.qpos);
        self.physics.qvel_mut().copy_from_slice(&self.qvel);
        self.physics.ctrl_mut().copy_from_slice(&self.ctrl);
        if let Some(shell) = self.physics.shell_mut() {
            let (q, v) = shell.state_mut();
            q.copy_from_slice(&self.shell.0);
            v.copy_from_slice(&self.shell.1);
        }
        self.physics.forward();
    }
}
