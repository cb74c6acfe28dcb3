//! The PSM behind CRTK's topics: the loop that keeps simulation, clients and clock in step.

mod messages;

use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::serve::now;
use super::watchers::Watchers;
use crate::experiments::psm::{LivePsm, PsmReading};
use crate::foxglove;
use crate::learning::LearningError;
use crate::rosbridge::{Command, Server, Topic};

/// Maximum lag of the simulation behind real time. The schedule is reset if the lag is larger.
const MAX_LAG: Duration = Duration::from_millis(200);

/// Maximum rate of messages for Foxglove [Hz].
const MAX_WATCHED: f64 = 50.0;

/// Name of the arm, the first part of its topics.
const ARM: &str = "/PSM1";

/// Frame of poses and forces: frame 0 of the arm's tables.
const BASE: &str = "PSM1_base";

/// Topics with the types of their messages.
const PUBLISHED: [(&str, &str); 8] = [
    ("measured_js", "sensor_msgs/JointState"),
    ("setpoint_js", "sensor_msgs/JointState"),
    ("measured_cp", "geometry_msgs/PoseStamped"),
    ("measured_cf", "geometry_msgs/WrenchStamped"),
    ("jaw/measured_js", "sensor_msgs/JointState"),
    ("operating_state", "crtk_msgs/OperatingState"),
    ("error", "std_msgs/String"),
    ("real_time_factor", "std_msgs/Float64"),
];
const TAKEN: [(&str, &str); 4] = [
    ("servo_jp", "sensor_msgs/JointState"),
    ("servo_jf", "sensor_msgs/JointState"),
    ("servo_cp", "geometry_msgs/PoseStamped"),
    ("jaw/servo_jp", "sensor_msgs/JointState"),
];

/// Topics that a server publishes and those that it takes.
pub fn psm_topics() -> [Vec<Topic>; 2] {
    let topics = |all: &[(&str, &'static str)]| {
        all.iter()
            .map(|(name, kind)| Topic {
                name: format!("{ARM}/{name}"),
                kind,
            })
            .collect()
    };
    [topics(&PUBLISHED), topics(&TAKEN)]
}

/// Settings of the server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServePsmPlan {
    /// States per second of wall-clock time [Hz].
    pub rate: f64,
    /// Duration [s]; `None` serves until it is interrupted.
    pub duration: Option<f64>,
}

/// Statistics of a finished session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PsmSession {
    /// Number of states.
    pub states: u64,
    /// Mean states per second [Hz].
    pub rate_hz: f64,
    /// Wall-clock duration [s].
    pub wall_s: f64,
    /// Simulated time divided by wall-clock time; 1 is real time.
    pub real_time_factor: f64,
    /// Number of clients that connected.
    pub clients: u64,
    /// Number of clients refused.
    pub clients_refused: u64,
    /// Number of clients dropped because of broken frames or because they did not read.
    pub clients_dropped: u64,
    /// Number of messages sent to all clients.
    pub messages_sent: u64,
    /// Number of messages lost by slow clients.
    pub messages_lost: u64,
    /// Number of commands that the arm took.
    pub commands: u64,
    /// Number of commands that were brought within the limits of the joints.
    pub commands_clamped: u64,
    /// Number of commands that were refused.
    pub commands_refused: u64,
}

/// Simulates in real time, publishes states, to Foxglove's clients as well, and takes commands until the duration is over or `observer` interrupts.
///
/// # Errors
/// Errors of the simulation.
pub fn serve_psm(
    live: &mut LivePsm,
    server: &Server,
    watched: Option<&foxglove::Server>,
    plan: &ServePsmPlan,
    observer: &mut dyn FnMut(&PsmSession) -> ControlFlow<()>,
) -> Result<PsmSession, LearningError> {
    let mut session = PsmSession::default();
    let period = Duration::from_secs_f64(1.0 / plan.rate);
    let watched_every = (plan.rate / MAX_WATCHED).ceil() as u64;
    let joints: Vec<String> = messages::JOINTS
        .into_iter()
        .chain(["jaw"])
        .map(str::to_owned)
        .collect();
    let (start, begun) = (Instant::now(), live.reading().time);
    let mut due = start;
    loop {
        // (clients) => goal
        for command in server.take_commands() {
            match take(live, &command) {
                Ok(is_within) => {
                    session.commands += 1;
                    session.commands_clamped += u64::from(!is_within);
                    if !is_within {
                        say(server, &format!("{}: brought within limits", command.topic));
                    }
                }
                Err(problem) => {
                    session.commands_refused += 1;
                    say(server, &format!("{}: {problem}", command.topic));
                }
            }
        }
        // (goal, state) => state
        live.advance(period.as_secs_f64())?;
        // (state) => messages
        let reading = live.reading();
        publish(&reading, server, session.real_time_factor);
        if let Some(watched) = watched.filter(|_| session.states.is_multiple_of(watched_every)) {
            let real_time_factor = session.real_time_factor;
            Watchers(watched).show_psm(&reading, &joints, BASE, now(), real_time_factor)?;
        }
        session.states += 1;
        session.wall_s = start.elapsed().as_secs_f64();
        let wall = session.wall_s.max(f64::MIN_POSITIVE);
        session.rate_hz = session.states as f64 / wall;
        session.real_time_factor = (reading.time - begun) / wall;
        let is_over = plan
            .duration
            .is_some_and(|duration| session.wall_s >= duration);
        if observer(&session).is_break() || is_over {
            break;
        }
        // (clock) => the next state
        due += period;
        let now = Instant::now();
        if now > due + MAX_LAG {
            due = now;
        }
        thread::sleep(due.saturating_duration_since(now));
    }
    let traffic = server.traffic();
    session.clients = traffic.n_accepted;
    session.clients_refused = traffic.n_refused;
    session.clients_dropped = traffic.n_dropped;
    session.messages_sent = traffic.n_sent;
    session.messages_lost = traffic.n_lost;
    session.commands_refused += traffic.n_invalid;
    Ok(session)
}

/// Carries out a command. Returns whether it is within the limits of the joints.
fn take(live: &mut LivePsm, command: &Command) -> Result<bool, String> {
    let message = &command.message;
    let name = command.topic.strip_prefix(ARM).unwrap_or_default();
    match name {
        "/servo_jp" => Ok(live.servo_joints(messages::numbers(message, "position")?)),
        "/servo_jf" => {
            live.servo_efforts(messages::numbers(message, "effort")?);
            Ok(true)
        }
        "/servo_cp" => {
            let pose = messages::pose(message)?;
            live.servo_pose(&pose).map_err(|error| error.to_string())
        }
        "/jaw/servo_jp" => {
            let [opening] = messages::numbers(message, "position")?;
            Ok(live.servo_jaw(opening))
        }
        _ => Err("is not taken".to_owned()),
    }
}

fn publish(reading: &PsmReading, server: &Server, real_time_factor: f64) {
    let send = |name: &str, make: &dyn Fn() -> Value| {
        server.publish(&format!("{ARM}/{name}"), make);
    };
    send("measured_js", &|| messages::measured_joints(reading));
    send("setpoint_js", &|| messages::setpoint_joints(reading));
    send("measured_cp", &|| messages::measured_pose(reading, BASE));
    send("measured_cf", &|| messages::measured_force(reading, BASE));
    send("jaw/measured_js", &|| messages::measured_jaw(reading));
    send("operating_state", &|| {
        json!({
            "header": messages::header(reading.time, ""),
            "state": "ENABLED",
            "is_homed": true,
            "is_busy": false,
        })
    });
    send("real_time_factor", &|| json!({ "data": real_time_factor }));
}

/// Tells clients what was wrong with a command.
fn say(server: &Server, problem: &str) {
    server.publish(&format!("{ARM}/error"), || json!({ "data": problem }));
}
