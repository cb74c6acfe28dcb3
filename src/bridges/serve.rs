//! The loop that keeps the simulation, the clients and the clock in step.

use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::Map;

use super::b_mode::{BModePlan, Tissue};
use super::devices::DEVICES;
use super::frame::frame;
use super::newest::NewestSlot;
use super::outlets::Outlets;
use super::pictures::Snapshot;
use super::{LiveSource, Steering, ras};
use crate::foxglove;
use crate::learning::LearningError;
use crate::openigtlink::{self, Message, Text, encode};
use crate::sim::Pose;
use crate::sim::readings::ProbeFrame;
use crate::sim::render::RenderConfig;

/// Maximum lag of the simulation behind real time. The schedule is reset if the lag is larger.
const MAX_LAG: Duration = Duration::from_millis(200);

/// Interval at which the last status is sent again [frames], for clients that connect later.
const STATUS_EVERY: u64 = 30;

/// Settings of the server.
#[derive(Debug, Clone)]
pub struct ServePlan {
    /// Frames per second [Hz].
    pub rate: f64,
    /// Duration [s]; `None` serves until it is interrupted.
    pub duration: Option<f64>,
    /// Camera whose pictures are sent; `None` sends no pictures.
    pub camera: Option<String>,
    /// Size of the pictures.
    pub picture: RenderConfig,
    /// Ultrasound pictures, which need [`LiveSource::start_imaging`]; `None` sends none.
    pub b_mode: Option<BModePlan>,
}

/// Statistics of a finished session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SessionStatistics {
    /// Number of frames with pose and force.
    pub frames: u64,
    /// Mean frames per second [Hz].
    pub rate_hz: f64,
    /// Number of pictures drawn.
    pub pictures: u64,
    /// Pictures per second since the first one [Hz].
    pub picture_rate_hz: f64,
    /// States that were replaced by newer ones before they were drawn.
    pub pictures_skipped: u64,
    /// Number of ultrasound pictures.
    pub b_mode_pictures: u64,
    /// Ultrasound pictures per second since the first one [Hz].
    pub b_mode_rate_hz: f64,
    /// States that were replaced by newer ones before they were imaged.
    pub b_mode_skipped: u64,
    /// Wall-clock duration [s].
    pub wall_s: f64,
    /// Simulated time divided by wall-clock time; 1 is real time.
    pub real_time_factor: f64,
    /// Number of clients that connected.
    pub clients: u64,
    /// Number of clients refused because there were too many.
    pub clients_refused: u64,
    /// Number of clients dropped because of invalid messages or because they did not read.
    pub clients_dropped: u64,
    /// Number of frames, and of messages of Foxglove, sent to all clients.
    pub frames_sent: u64,
    /// Number of them lost by slow clients.
    pub frames_lost: u64,
    /// Number of targets received.
    pub targets: u64,
    /// Number of targets that were moved into the workspace.
    pub targets_clamped: u64,
    /// What is doubtful about the forces, as it was noticed first.
    pub warning: Option<String>,
    /// Reason why no picture was sent, if any.
    pub no_pictures: Option<String>,
    /// Reason why no ultrasound picture was sent, if any.
    pub no_b_mode: Option<String>,
}

/// Slots of the threads that make pictures.
#[derive(Debug, Default)]
struct Slots {
    camera: Option<NewestSlot<Snapshot>>,
    b_mode: Option<NewestSlot<Tissue>>,
}

impl Slots {
    /// Offers the current state to both threads, as far as somebody wants their pictures.
    fn offer(&self, live: &dyn LiveSource, outlets: Outlets<'_>, time: f64) {
        if let (Some(slot), Some((scene, physics))) = (&self.camera, live.scene())
            && outlets.wants("/camera")
        {
            slot.offer_scene(scene, physics, time);
        }
        if let Some(slot) = &self.b_mode
            && outlets.wants("/b_mode")
            && let Some(view) = live.torso_view()
        {
            slot.offer(|_| Ok(Tissue { view, time }));
        }
    }

    /// Ends both threads.
    fn end(&self) {
        if let Some(slot) = &self.camera {
            slot.end();
        }
        if let Some(slot) = &self.b_mode {
            slot.end();
        }
    }

    fn count(&self, served: &mut SessionStatistics) {
        if let Some(counts) = self.camera.as_ref().map(NewestSlot::counts) {
            served.pictures = counts.used;
            served.picture_rate_hz = counts.rate();
            served.pictures_skipped = counts.replaced;
        }
        if let Some(counts) = self.b_mode.as_ref().map(NewestSlot::counts) {
            served.b_mode_pictures = counts.used;
            served.b_mode_rate_hz = counts.rate();
            served.b_mode_skipped = counts.replaced;
        }
        served.no_pictures = self.camera.as_ref().and_then(NewestSlot::problem);
        served.no_b_mode = self.b_mode.as_ref().and_then(NewestSlot::problem);
    }
}

/// Simulates in real time, sends frames and receives targets until the duration is over or `observer` interrupts. Pictures of the camera
/// and of ultrasound are made on a thread each.
///
/// # Errors
/// Errors of the simulation.
pub fn serve(
    live: &mut dyn LiveSource,
    outlets: Outlets<'_>,
    steering: &mut Steering,
    plan: &ServePlan,
    observer: &mut dyn FnMut(&SessionStatistics) -> ControlFlow<()>,
) -> Result<SessionStatistics, LearningError> {
    let scanner = match (&plan.b_mode, live.torso_view()) {
        (Some(plan), Some(view)) => Some((plan.scanner(&view)?, plan.with_labels)),
        _ => None,
    };
    let slots = Slots {
        camera: plan.camera.as_ref().map(|_| NewestSlot::default()),
        b_mode: scanner.as_ref().map(|_| NewestSlot::default()),
    };
    thread::scope(|scope| {
        if let (Some(slot), Some(camera)) = (&slots.camera, &plan.camera) {
            scope.spawn(move || slot.serve(outlets, camera, plan.picture));
        }
        if let (Some(slot), Some((scanner, with_labels))) = (&slots.b_mode, scanner) {
            scope.spawn(move || slot.serve(outlets, scanner, with_labels));
        }
        let served = simulate(live, outlets, steering, plan, &slots, observer);
        // The scope waits for the threads, so end them.
        slots.end();
        served
    })
}

/// Main loop of [`serve`].
fn simulate(
    live: &mut dyn LiveSource,
    outlets: Outlets<'_>,
    steering: &mut Steering,
    plan: &ServePlan,
    slots: &Slots,
    observer: &mut dyn FnMut(&SessionStatistics) -> ControlFlow<()>,
) -> Result<SessionStatistics, LearningError> {
    let mut served = SessionStatistics::default();
    let mut status = "ready".to_owned();
    let period = Duration::from_secs_f64(1.0 / plan.rate);
    let start = Instant::now();
    let mut due = start;
    loop {
        // (clients) => target
        if let Some(target) = outlets.take_target() {
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
        if served.warning.is_none() {
            served.warning = live.depth_warning();
            if let Some(warning) = &served.warning {
                status.clone_from(warning);
            }
        }
        // (state) => messages, pictures
        let time = now();
        let scene = live.scene();
        let mut messages = scene.map_or_else(Vec::new, |(_, physics)| frame(physics, time));
        if let (Some(watchers), Some((_, physics))) = (outlets.foxglove(), scene) {
            let is_wanted = outlets
                .foxglove
                .is_some_and(|server| server.is_wanted("/sample"));
            let mut values = if is_wanted { live.values() } else { Map::new() };
            values.insert(
                "real_time_factor".to_owned(),
                served.real_time_factor.into(),
            );
            watchers.show_scene(physics, time, values)?;
        }
        slots.offer(live, outlets, time);
        if served.frames.is_multiple_of(STATUS_EVERY) || status != "ready" {
            messages.extend(encode(DEVICES.status, time, &Message::Text(Text(&status))));
            "ready".clone_into(&mut status);
        }
        outlets.send(messages);
        served.frames += 1;
        update(&mut served, outlets, start.elapsed(), period);
        slots.count(&mut served);
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
    slots.count(&mut served);
    Ok(served)
}

/// Time since 1970 [s], the time stamp of messages.
#[expect(
    clippy::disallowed_methods,
    reason = "a stamp for other programs; nothing here is computed from it"
)]
pub(super) fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

/// Sets a target and returns a status text that lists what was changed.
fn take(
    live: &dyn LiveSource,
    steering: &mut Steering,
    target: &Pose,
    served: &mut SessionStatistics,
) -> String {
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

fn update(
    served: &mut SessionStatistics,
    outlets: Outlets<'_>,
    elapsed: Duration,
    period: Duration,
) {
    served.wall_s = elapsed.as_secs_f64();
    served.rate_hz = served.frames as f64 / served.wall_s.max(f64::MIN_POSITIVE);
    served.real_time_factor = served.rate_hz * period.as_secs_f64();
    let traffic = outlets.openigtlink.map(openigtlink::Server::traffic);
    let watched = outlets.foxglove.map(foxglove::Server::traffic);
    let [traffic, watched] = [traffic, watched].map(Option::unwrap_or_default);
    served.clients = traffic.n_accepted + watched.n_accepted;
    served.clients_refused = traffic.n_refused + watched.n_refused;
    served.clients_dropped = traffic.n_dropped + watched.n_dropped;
    served.frames_sent = traffic.n_sent + watched.n_sent;
    served.frames_lost = traffic.n_lost + watched.n_lost;
    served.targets = traffic.n_taken;
}
