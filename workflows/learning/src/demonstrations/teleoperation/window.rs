//! A window that shows pictures and reports which keys are held. It must be created on the main thread, as window systems require.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

use insonate_sim::render::Image;
use softbuffer::Surface;
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::platform::pump_events::EventLoopExtPumpEvents as _;
use winit::window::{Window as WinitWindow, WindowId};

use crate::LearningError;

/// Keys for commands, as characters that the mapping does not use.
pub(super) mod key {
    pub(in super::super) const ENTER: char = '\n';
    pub(in super::super) const BACKSPACE: char = '\u{8}';
    pub(in super::super) const ESCAPE: char = '\u{1b}';
    pub(in super::super) const TAB: char = '\t';
    pub(in super::super) const SPACE: char = ' ';
}

/// A window. Closing it counts as the key Escape.
#[derive(Debug)]
pub(super) struct Window {
    events: EventLoop<()>,
    app: App,
}

type WindowSurface = Surface<Rc<WinitWindow>, Rc<WinitWindow>>;

/// State that the window's events change.
#[derive(Default)]
struct App {
    size: (u32, u32),
    shown: Option<(Rc<WinitWindow>, WindowSurface)>,
    held: BTreeSet<char>,
    with_shift: bool,
    /// Keys that were pressed since the last query.
    pressed: Vec<char>,
    picture: Option<Image>,
    problem: Option<LearningError>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("size", &self.size)
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

impl Window {
    /// Opens a window for pictures of a given size.
    pub(super) fn open(size: (u32, u32)) -> Result<Self, LearningError> {
        let events = EventLoop::new().map_err(|error| {
            LearningError::Teleoperation(format!(
                "no window: neither DISPLAY nor WAYLAND_DISPLAY leads to a screen (Debian packages: libx11-6 libxcursor1 libxi6 libxrandr2 libxkbcommon-x11-0): {error}"
            ))
        })?;
        let app = App {
            size,
            ..App::default()
        };
        let mut window = Self { events, app };
        window.poll()?;
        Ok(window)
    }

    /// Handles pending events of the window.
    pub(super) fn poll(&mut self) -> Result<(), LearningError> {
        self.events
            .pump_app_events(Some(Duration::ZERO), &mut self.app);
        self.app.problem.take().map_or(Ok(()), Err)
    }

    /// Whether a key is held.
    pub(super) fn is_held(&self, key: char) -> bool {
        self.app.held.contains(&key)
    }

    /// Whether Shift is held.
    pub(super) fn with_shift(&self) -> bool {
        self.app.with_shift
    }

    /// Keys that were pressed since the last call.
    pub(super) fn take_pressed(&mut self) -> Vec<char> {
        std::mem::take(&mut self.app.pressed)
    }

    /// Shows a picture and sets the title.
    pub(super) fn show(&mut self, picture: Image, title: &str) {
        self.app.picture = Some(picture);
        if let Some((window, _)) = &self.app.shown {
            window.set_title(title);
            window.request_redraw();
        }
    }
}

fn no_window(error: &dyn std::error::Error) -> LearningError {
    LearningError::Teleoperation(format!("no window: {error}"))
}

impl App {
    fn open(&mut self, events: &ActiveEventLoop) -> Result<(), LearningError> {
        let size = PhysicalSize::new(self.size.0, self.size.1);
        let attributes = WinitWindow::default_attributes().with_title("insonate");
        let window = events.create_window(attributes.with_inner_size(size));
        let window = Rc::new(window.map_err(|error| no_window(&error))?);
        let failed = |error: softbuffer::SoftBufferError| no_window(&error);
        let context = softbuffer::Context::new(Rc::clone(&window)).map_err(failed)?;
        let surface = Surface::new(&context, Rc::clone(&window)).map_err(failed)?;
        self.shown = Some((window, surface));
        Ok(())
    }

    fn draw(&mut self) -> Result<(), LearningError> {
        let (Some((window, surface)), Some(picture)) = (&mut self.shown, &self.picture) else {
            return Ok(());
        };
        let PhysicalSize { width, height } = window.inner_size();
        let (Some(w), Some(h)) = (NonZeroU32::new(width), NonZeroU32::new(height)) else {
            return Ok(());
        };
        let failed = |error: softbuffer::SoftBufferError| {
            LearningError::Teleoperation(format!("cannot draw: {error}"))
        };
        surface.resize(w, h).map_err(failed)?;
        let mut pixels = surface.buffer_mut().map_err(failed)?;
        stretch(picture, (width, height), &mut pixels);
        pixels.present().map_err(failed)
    }

    fn take_key(&mut self, event: &KeyEvent) {
        // Use the letter of the key, not its position on the keyboard.
        let key = match &event.logical_key {
            Key::Named(NamedKey::Shift) => {
                self.with_shift = event.state == ElementState::Pressed;
                return;
            }
            Key::Named(NamedKey::Enter) => key::ENTER,
            Key::Named(NamedKey::Backspace) => key::BACKSPACE,
            Key::Named(NamedKey::Escape) => key::ESCAPE,
            Key::Named(NamedKey::Tab) => key::TAB,
            Key::Named(NamedKey::Space) => key::SPACE,
            Key::Character(text) => match text.chars().next() {
                Some(letter) => letter.to_ascii_lowercase(),
                None => return,
            },
            _ => return,
        };
        if event.state == ElementState::Released {
            self.held.remove(&key);
        } else if self.held.insert(key) {
            self.pressed.push(key);
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.shown.is_none()
            && let Err(problem) = self.open(events)
        {
            self.problem = Some(problem);
        }
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.pressed.push(key::ESCAPE),
            // A key release is not reported while the window has no focus.
            WindowEvent::Focused(false) => {
                self.held.clear();
                self.with_shift = false;
            }
            WindowEvent::KeyboardInput { event, .. } => self.take_key(&event),
            WindowEvent::RedrawRequested => {
                if let Err(problem) = self.draw() {
                    self.problem = Some(problem);
                }
            }
            _ => {}
        }
    }
}

/// Scales a picture to the size of a window [pixels], in the format 0RGB, by the nearest pixel.
fn stretch(picture: &Image, (width, height): (u32, u32), pixels: &mut [u32]) {
    let (from_width, from_height) = (picture.width as usize, picture.height as usize);
    let rows = pixels.chunks_exact_mut(width as usize);
    for (y, row) in rows.take(height as usize).enumerate() {
        let from_row = y * from_height / height as usize * from_width;
        for (x, pixel) in row.iter_mut().enumerate() {
            let at = 3 * (from_row + x * from_width / width as usize);
            let [r, g, b] = [0, 1, 2].map(|part| u32::from(picture.rgb[at + part]));
            *pixel = r << 16 | g << 8 | b;
        }
    }
}
