//! A person who watches the scene in a window and acts by keyboard or gamepad, in real time.

use std::thread::sleep;
use std::time::{Duration, Instant};

use insonate_envs::{Env, EnvSpec, VecEnv};
use insonate_sim::names::{self, ObjectType};
use insonate_sim::render::{RenderConfig, Renderer};
use rand_chacha::ChaCha8Rng;

#[cfg(feature = "gamepad")]
use super::pad::Pad;
use super::window::{Window, key};
use super::{Levers, keyboard};
use crate::LearningError;
use crate::demonstrations::{Choice, Demonstrator};

/// Minimum time between two pictures, because drawing is slow without a GPU.
const FRAME: Duration = Duration::from_millis(33);

/// Maximum lag of the simulation behind real time. The schedule is reset if the lag is larger.
const MAX_LAG: Duration = Duration::from_millis(200);

/// Settings for a human operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPlan {
    /// Uses the gamepad for the action; the keyboard's commands remain. Otherwise the keyboard controls the action.
    pub with_gamepad: bool,
    /// Camera that the window shows first. If the scene has no camera of this name, its first one is used.
    pub camera: String,
    /// Size of the window.
    pub picture: RenderConfig,
}

/// A person at a window.
#[derive(Debug)]
pub struct Operator {
    window: Window,
    input: Input,
    levers: Levers,
    control_timestep: f64,
    config: RenderConfig,
    camera: String,
    renderer: Option<Renderer>,
    /// When the next action and the next picture are due.
    due: Instant,
    next_picture: Instant,
    n_kept: usize,
}

#[derive(Debug)]
enum Input {
    Keyboard(Vec<keyboard::KeyPair>),
    #[cfg(feature = "gamepad")]
    Gamepad(Box<Pad>),
}

impl Operator {
    /// Opens the window.
    ///
    /// # Errors
    /// Without a screen or a gamepad, or if the action has more entries than there are keys or sticks.
    pub fn new(spec: &EnvSpec, plan: OperatorPlan) -> Result<Self, LearningError> {
        let names = &spec.action_space.names;
        let input = if plan.with_gamepad {
            gamepad(names)?
        } else {
            let keys = keyboard::keys(names);
            Input::Keyboard(keys.map_err(|name| no_control("key", &name))?)
        };
        let now = Instant::now();
        Ok(Self {
            window: Window::open((plan.picture.width, plan.picture.height))?,
            input,
            levers: Levers::new(&spec.action_space),
            control_timestep: spec.control_timestep,
            config: plan.picture,
            camera: plan.camera,
            renderer: None,
            due: now,
            next_picture: now,
            n_kept: 0,
        })
    }

    /// Describes the mapping.
    pub fn describe(&self, spec: &EnvSpec) -> String {
        let names = &spec.action_space.names;
        match &self.input {
            Input::Keyboard(keys) => keyboard::describe(names, keys),
            #[cfg(feature = "gamepad")]
            Input::Gamepad(pad) => super::gamepad::describe(names, pad.sticks()),
        }
    }

    /// Handles events of the window and the gamepad, and returns the pressed keys.
    fn take_events(&mut self, env: &dyn Env) -> Result<Vec<char>, LearningError> {
        self.window.poll()?;
        let mut pressed = self.window.take_pressed();
        #[cfg(feature = "gamepad")]
        if let Input::Gamepad(pad) = &mut self.input {
            pressed.extend(pad.take_pressed());
        }
        if pressed.contains(&key::SPACE) {
            self.levers.release();
        }
        if pressed.contains(&key::TAB) {
            self.camera = next_camera(env, &self.camera);
        }
        pressed.retain(|key| [key::ENTER, key::BACKSPACE, key::ESCAPE].contains(key));
        Ok(pressed)
    }

    fn drives(&self) -> Vec<f32> {
        match &self.input {
            Input::Keyboard(keys) => {
                let is_held = |key| self.window.is_held(key);
                keyboard::drives(keys, is_held, self.window.with_shift())
            }
            #[cfg(feature = "gamepad")]
            Input::Gamepad(pad) => pad.drives(),
        }
    }

    /// Shows the scene if a picture is due.
    fn show(&mut self, env: &dyn Env, title: &str) -> Result<(), LearningError> {
        let now = Instant::now();
        if now < self.next_picture {
            return Ok(());
        }
        let (_, physics) = env.scene().ok_or_else(no_scene)?;
        if let Some(renderer) = &mut self.renderer {
            let picture = renderer.render(physics, &self.camera)?;
            self.window.show(picture, title);
        }
        self.next_picture = now + FRAME;
        Ok(())
    }

    /// Shows the scene until the person decides with Enter, Backspace or Escape.
    fn ask(&mut self, env: &dyn Env, title: &str) -> Result<Choice, LearningError> {
        loop {
            match self.take_events(env)?.first() {
                Some(&key::ENTER) => return Ok(Choice::Go),
                Some(&key::BACKSPACE) => return Ok(Choice::Discard),
                Some(&key::ESCAPE) => return Ok(Choice::Quit),
                _ => self.show(env, title)?,
            }
            sleep(FRAME / 4);
        }
    }
}

const NO_SCENE: &str = "this task has no scene that a person could see";

impl Demonstrator for Operator {
    fn begin(&mut self, env: &dyn Env, n_kept: usize) -> Result<Choice, LearningError> {
        let (scene, _) = env.scene().ok_or_else(no_scene)?;
        if names::try_find(scene.visual_model(), ObjectType::Camera, &self.camera).is_none() {
            self.camera = next_camera(env, &self.camera);
        }
        // Each episode may have a different scene.
        self.renderer = Some(Renderer::new(scene, self.config)?);
        self.levers.release();
        self.n_kept = n_kept;
        let title = format!("{n_kept} kept: Enter begins, Tab: next camera, Escape ends");
        let choice = self.ask(env, &title)?;
        self.due = Instant::now();
        // There is nothing to discard yet.
        Ok(if choice == Choice::Quit {
            choice
        } else {
            Choice::Go
        })
    }

    fn act(
        &mut self,
        env: &mut VecEnv,
        _: &mut ChaCha8Rng,
        action: &mut [f32],
    ) -> Result<Choice, LearningError> {
        match self.take_events(env.env(0))?.last() {
            Some(&key::BACKSPACE) => return Ok(Choice::Discard),
            Some(&key::ESCAPE) => return Ok(Choice::Quit),
            _ => {}
        }
        let drives = self.drives();
        action.copy_from_slice(self.levers.advance(&drives, self.control_timestep));
        let title = format!("{} kept: Backspace discards, Escape ends", self.n_kept);
        self.show(env.env(0), &title)?;
        self.due += Duration::from_secs_f64(self.control_timestep);
        let now = Instant::now();
        if now > self.due + MAX_LAG {
            self.due = now;
        }
        sleep(self.due.saturating_duration_since(now));
        Ok(Choice::Go)
    }

    fn judge(&mut self, env: &dyn Env, is_success: Option<bool>) -> Result<Choice, LearningError> {
        let verdict = match is_success {
            Some(true) => "success",
            Some(false) => "failure",
            None => "over",
        };
        self.ask(env, &format!("{verdict}: Enter keeps, Backspace discards"))
    }
}

/// The next camera of the scene after this one.
fn next_camera(env: &dyn Env, camera: &str) -> String {
    let Some((scene, _)) = env.scene() else {
        return camera.to_owned();
    };
    let cameras: Vec<&str> = names::all(scene.visual_model(), ObjectType::Camera)
        .map(|(_, name)| name)
        .collect();
    let next = cameras
        .iter()
        .position(|name| *name == camera)
        .map_or(0, |index| index + 1);
    let next = cameras.get(next).or(cameras.first());
    next.map_or_else(|| camera.to_owned(), ToString::to_string)
}

fn no_scene() -> LearningError {
    LearningError::Teleoperation(NO_SCENE.to_owned())
}

fn no_control(what: &str, name: &str) -> LearningError {
    LearningError::Teleoperation(format!(
        "no {what} is left for {name} of the action: choose another action mode"
    ))
}

#[cfg(feature = "gamepad")]
fn gamepad(names: &[String]) -> Result<Input, LearningError> {
    let sticks = super::gamepad::sticks(names).map_err(|name| no_control("stick", &name))?;
    Ok(Input::Gamepad(Box::new(Pad::open(sticks)?)))
}

#[cfg(not(feature = "gamepad"))]
fn gamepad(_: &[String]) -> Result<Input, LearningError> {
    Err(LearningError::NoGamepadSupport)
}
