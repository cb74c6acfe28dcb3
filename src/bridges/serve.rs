//! The loop that keeps simulation, clients and clock in step.

use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::frame::frame;
use super::pictures::PictureSlot;
use super::{Live, Steering, ras};
use crate::openigtlink::{Message, Server, Text, encode};
use crate::sim::Pose;
use crate::sim::readings::ProbeFrame;
use crate::sim::render::RenderConfig;

/// How far the simulation may fall behind the clock before the clock waits for it.
const MAX_LAG: Duration = Duration::from_millis(200);

/// How long what was said to clients stays [frames]: those that come later hear it too.
const STATUS_EVERY: u64 = 30;

/// Names of the messages; 3D Slicer's nodes have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    /// TRANSFORM: the probe's face in RAS.
    pub probe: &'static str,
    /// STRING: force [N] and torque [N·m] of the probe on the tissue, in the probe's frame.
    pub force: &'static str,
    /// IMAGE: the camera's picture.
    pub image: &'static str,
    /// STRING: what was changed about a target.
    pub status: &'static str,
    /// TRANSFORM from a client: where the probe shall be.
    pub target: &'static str,
}

/// The names that are used.
pub const DEVICES: Devices = Devices {
    probe: "ProbeToRAS",
    force: "Force",
    image: "Camera",
    status: "Status",
    target: "TargetToRAS",
};

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServePlan {
    /// Frames a second [Hz].
    pub rate: f64,
    /// Ends by itself after so long [s]; none: never.
    pub duration: Option<f64>,
    /// The camera whose pictures are sent; none: no pictures.
    pub camera: Option<String>,
    /// Size of the pictures.
    pub picture: RenderConfig,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Served {
    /// Frames made, of pose and force.
    pub frames: u64,
    /// Frames a second over all the time [Hz].
    pub rate_hz: f64,
    /// Pictures drawn.
    pub pictures: u64,
    /// Pictures a second from the first one on [Hz].
    pub picture_rate_hz: f64,
    /// States that newer ones replaced before they were drawn.
    pub pictures_skipped: u64,
    /// Time that was served [s].
    pub wall_s: f64,
    /// Simulated time over time; 1 is real time.
    pub real_time_factor: f64,
    /// Clients that ever were.
    pub clients: u64,
    /// Clients turned away, as there were too many.
    pub clients_refused: u64,
    /// Clients dropped for what they sent or did not read.
    pub clients_dropped: u64,
    /// Frames sent, over all clients.
    pub frames_sent: u64,
    /// Frames that slow clients lost.
    pub frames_lost: u64,
    /// Targets taken.
    pub targets: u64,
    /// Targets that were brought into the workspace.
    pub targets_clamped: u64,
    /// Why no picture was sent, if so.
    pub no_pictures: Option<String>,
}

/// Simulates in real time, sends, and takes targets, until the duration is over or `observer` breaks off; pictures are drawn beside it.
///
/// # Errors
/// Of the simulation.
pub fn serve(
    live: &mut dyn Live,
    server: &Server,
    steering: &mut Steering,
    plan: &ServePlan,
    observer: &mut dyn FnMut(&Served) -> ControlFlow<()>,
) -> anyhow::Result<Served> {
    let pictures = plan.camera.as_ref().map(|_| PictureSlot::default());
    thread::scope(|scope| {
        if let (Some(slot), Some(camera)) = (&pictures, &plan.camera) {
            scope.spawn(move || slot.serve(server, camera, plan.picture));
        }
        let served = simulate(live, server, steering, plan, pictures.as_ref(), observer);
        // The scope waits for its thread.
        if let Some(slot) = &pictures {
            slot.end();
        }
        served
    })
}

/// The loop of [`serve`].
fn simulate(
    live: &mut dyn Live,
    server: &Server,
    steering: &mut Steering,
    plan: &ServePlan,
    pictures: Option<&PictureSlot>,
    observer: &mut dyn FnMut(&Served) -> ControlFlow<()>,
) -> anyhow::Result<Served> {
    let mut served = Served::default();
    let mut status = "ready".to_owned();
    let period = Duration::from_secs_f64(1.0 / plan.rate);
    let start = Instant::now();
    let mut due = start;
    loop {
        // (clients) => target
        if let Some(target) = server.take_target() {
            let target = ras::to_world(&target);
            status = take(live, steering, &target, &mut served);
        }
        // (target) => reference
        if let Some(reference) = steering.advance(period.as_secs_f64())
            && !live.steer(reference)?
        {
            "targets are ignored: a policy runs".clone_into(&mut status);
        }
        // (state) => state
        live.advance(period.as_secs_f64())?;
        // (state) => messages, picture
        let time = now();
        let mut messages = Vec::new();
        if let Some((scene, physics)) = live.scene() {
            messages = frame(physics, time);
            if let Some(slot) = pictures {
                slot.offer(scene, physics, time);
            }
        }
        if served.frames.is_multiple_of(STATUS_EVERY) || status != "ready" {
            messages.extend(encode(DEVICES.status, time, &Message::Text(Text(&status))));
            "ready".clone_into(&mut status);
        }
        server.send(messages);
        served.frames += 1;
        update(&mut served, server, start.elapsed(), period);
        if let Some(counts) = pictures.map(PictureSlot::counts) {
            served.pictures = counts.sent;
            served.picture_rate_hz = counts.rate();
            served.pictures_skipped = counts.replaced;
        }
        let is_over = plan
            .duration
            .is_some_and(|duration| served.wall_s >= duration);
        if observer(&served).is_break() || is_over {
            break;
        }
        // (clock) => the next frame
        due += period;
        let now = Instant::now();
        if now > due + MAX_LAG {
            due = now;
        }
        thread::sleep(due.saturating_duration_since(now));
    }
    served.no_pictures = pictures.and_then(PictureSlot::problem);
    Ok(served)
}

/// Time since 1970 [s], as messages carry it.
#[expect(
    clippy::disallowed_methods,
    reason = "a stamp for other programs; nothing here is computed from it"
)]
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

/// Takes a target, and says what of it was not allowed.
fn take(live: &dyn Live, steering: &mut Steering, target: &Pose, served: &mut Served) -> String {
    let Some((_, physics)) = live.scene() else {
        return "targets are ignored: there is no scene".to_owned();
    };
    let Ok(probe) = ProbeFrame::new(physics.model()) else {
        return "targets are ignored: there is no probe".to_owned();
    };
    let now = probe.world_from_probe(physics);
    let skin_height = live.skin_height(&target.position);
    let changed = steering.set_target(&now, target, skin_height);
    if changed.is_empty() {
        return "target taken".to_owned();
    }
    served.targets_clamped += 1;
    format!("target brought into the workspace: {}", changed.join(", "))
}

fn update(served: &mut Served, server: &Server, elapsed: Duration, period: Duration) {
    let traffic = server.traffic();
    served.wall_s = elapsed.as_secs_f64();
    served.rate_hz = served.frames as f64 / served.wall_s.max(f64::MIN_POSITIVE);
    served.real_time_factor = served.rate_hz * period.as_secs_f64();
    served.clients = traffic.n_accepted;
    served.clients_refused = traffic.n_refused;
    served.clients_dropped = traffic.n_dropped;
    served.frames_sent = traffic.n_frames;
    served.frames_lost = traffic.n_lost;
    served.targets = traffic.n_targets;
}
