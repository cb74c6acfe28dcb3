//! `README.md` of a data set: what is known of the recording.

use crate::{DatasetInfo, EpisodeKind, RigInfo};

/// The text.
pub(super) fn text(
    info: &DatasetInfo,
    rig: &RigInfo,
    kinds: &[EpisodeKind],
    failed: &[usize],
) -> String {
    let rate = 1.0 / info.control_timestep;
    let n_episodes = kinds.len();
    let cameras = info.cameras.iter().map(|camera| {
        let (name, width, height) = (camera.key(), camera.width, camera.height);
        format!("- `{name}`: {width} x {height} pixels, {rate} frames/s")
    });
    let cameras: Vec<String> = cameras.collect();
    let failed: Vec<String> = failed.iter().map(usize::to_string).collect();
    let failed = match failed.len() {
        0 => "none".to_owned(),
        _ => failed.join(", "),
    };
    let [frequency, elements, depth, fov, radius, angle] = rig.acquisition;
    format!(
        "# {task}

## Dataset description

{n_episodes} simulated episodes of the task `{name}` of insonate {version}: {task}
Nothing was recorded on a person.
Indices of the episodes that failed their task: {failed}.{kinds}

## Robot

`{robot}`, simulated in MuJoCo. `observation.state` holds its joints in the order of `info.json` [rad].
`action` is absolute: the pose of the probe's face at the end of the step, as x, y, z [m] and roll, pitch, yaw [rad] about the fixed axes x, y, z of the robot's base.
The base is at ({x}, {y}, {z}) m in the world, with parallel axes; z is up.
`{task_action}` is the action that the task executed, in its own mode.

## Sensors

- `observation.meta.force_torque`: force [N] and torque [N m] of the probe on the tissue about the middle of its face, in the probe's frame (z out of the face, x along the array), without noise.
- Probe `{probe}`: {frequency} MHz, {elements} elements, {depth} cm deep; linear field of view {fov} mm, or radius {radius} mm and angle {angle:.2} degrees.
- `observation.meta.prob_cali_mtx`: the probe's face in the flange; `observation.meta.tpv_cali_mtx`, if present: the third-person camera in the robot's base, with x right, y down, z into the picture.
{cameras}

## Synchronization

All streams are of the same simulated time: a row holds pictures, joints and force at its `timestamp`, and the action of the step that follows. {defects}

## Collection procedure

The expert `{expert}` acted at {rate} Hz. Each episode has a seed (`meta/insonate.json`), from which patient, place and softness are drawn; the settings of the task are in the same file.
",
        task = info.description,
        name = info.task,
        version = info.insonate_version,
        robot = rig.robot,
        x = rig.base_position[0],
        y = rig.base_position[1],
        z = rig.base_position[2],
        task_action = super::TASK_ACTION,
        probe = rig.probe_type,
        kinds = kinds_text(kinds),
        defects = defects(info),
        cameras = cameras.join("\n"),
        expert = info.expert,
    )
}

/// What the splits of some kinds hold; empty without them.
fn kinds_text(kinds: &[EpisodeKind]) -> String {
    let recovery = "
Episodes of the split `recovery` begin after a random action was held for a moment, which they do not hold; the expert then recovers.";
    let failure = "
Episodes of the split `failure` failed, and are no examples to follow.";
    let texts = [
        (EpisodeKind::Recovery, recovery),
        (EpisodeKind::Failure, failure),
    ];
    let present = texts.iter().filter(|(kind, _)| kinds.contains(kind));
    present.map(|(_, text)| *text).collect()
}

/// Defects of the pictures.
fn defects(info: &DatasetInfo) -> String {
    let latency = match info.image_latency {
        0.0 => "There is no latency".to_owned(),
        lag => format!("Pictures lag {lag} s behind, on purpose"),
    };
    match info.dropped_frames {
        0.0 => format!("{latency} and no dropped frame."),
        share => format!(
            "{latency}. A picture is lost with probability {share}; its row holds the one before it."
        ),
    }
}
