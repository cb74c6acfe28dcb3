//! Contract: ultrasound tasks are solved by scripts that use the true state, and not by the zero action; patients differ as the episodes'
//! parameters say; and motion over the skin has the requested speed and force.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::tasks;
use insonate_envs::{Env, ResetOptions};

fn make(task: &str, sets: &[(&str, &str)]) -> Box<dyn Env> {
    tasks::factory(task, sets).unwrap().make().unwrap()
}

fn metric(env: &dyn Env, name: &str) -> f64 {
    let names = &env.spec().metrics;
    let mut metrics = vec![0.0; names.len()];
    env.metrics(&mut metrics);
    metrics[names.iter().position(|known| *known == name).unwrap()]
}

/// An episode with a seed, by the script or by the zero action.
fn run(env: &mut dyn Env, seed: u64, is_scripted: bool) {
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let mut action = vec![0.0; env.spec().action_space.len()];
    env.reset(seed, &ResetOptions::default(), &mut observation)
        .unwrap();
    loop {
        if is_scripted {
            assert!(env.scripted_action(&mut action));
        }
        if env.step(&action, &mut observation).unwrap().is_over() {
            return;
        }
    }
}

#[test]
fn a_script_that_knows_the_truth_finds_the_view_and_rest_does_not() {
    let mut env = make("find-view", &[("randomization.organs", "[0, 0]")]);
    for seed in 0..3 {
        run(&mut *env, seed, false);
        assert_eq!(metric(&*env, "success"), 0.0, "{seed}");
        run(&mut *env, seed, true);
        assert_eq!(metric(&*env, "success"), 1.0, "{seed}");
        // A proportional controller, 2.5 s after a start at most 40 mm and 40° away.
        assert!(metric(&*env, "view_distance_mm") < 1.0, "{seed}");
        assert!(metric(&*env, "view_angle_deg") < 1.0, "{seed}");
    }
}

#[test]
fn an_arm_with_narrow_joints_finds_the_view_too() {
    // From the posture nearest to home, joint 6 of the Panda reached its limit on the way: 99 N in seed 3 and 1741 N in seed 5.
    let sets = [
        ("scene.robot", "panda"),
        ("scene.lattice", "probe"),
        ("randomization.organs", "[0, 1]"),
    ];
    let mut env = make("find-view", &sets);
    for seed in [3, 5] {
        run(&mut *env, seed, true);
        assert_eq!(metric(&*env, "success"), 1.0, "{seed}");
        assert!(metric(&*env, "peak_force_n") < 15.0, "{seed}");
    }
}

#[test]
fn the_robot_stops_when_it_presses_too_hard_and_not_a_control_step_later() {
    // The desired force of 5 N is reached within a control step of 0.1 s.
    let sets = [
        ("task.max_force", "3.0"),
        ("randomization.organs", "[0, 0]"),
    ];
    let mut env = make("find-view", &sets);
    run(&mut *env, 0, false);
    let reason = env.end_reason().unwrap();
    assert_eq!(reason.text(), "pressed too hard: force above 3 N");
    let peak = metric(&*env, "peak_force_n");
    // A gentle contact increases by less than 200 N/s: by 0.4 N per physics step.
    assert!(peak > 3.0 && peak < 3.4, "{peak} N");
}

#[test]
fn an_upright_probe_keeps_the_picture_good_and_a_tilted_one_does_not() {
    let mut env = make("image-quality", &[("randomization.organs", "[0, 0]")]);
    for seed in 0..3 {
        run(&mut *env, seed, false);
        let [success, tilted] = ["success", "quality"].map(|name| metric(&*env, name));
        assert_eq!(success, 0.0, "{seed}: {tilted}");
        run(&mut *env, seed, true);
        let [success, upright] = ["success", "quality"].map(|name| metric(&*env, name));
        assert_eq!(success, 1.0, "{seed}: {upright}");
        assert!(upright > tilted, "{seed}: {upright} {tilted}");
    }
}

#[test]
fn a_raster_covers_the_kidney_and_rest_sees_a_slice() {
    let mut env = make("coverage", &[("randomization.organs", "[0, 0]")]);
    for seed in 0..3 {
        run(&mut *env, seed, false);
        let resting = metric(&*env, "seen_share");
        assert_eq!(metric(&*env, "success"), 0.0, "{seed}");
        // A slice of about 3 mm, for a kidney of 110 mm.
        assert!(resting < 0.15, "{seed}: {resting}");
        run(&mut *env, seed, true);
        assert_eq!(metric(&*env, "success"), 1.0, "{seed}");
        // Most of the kidney's 110 mm, after the path from the start to its nearer end.
        let path = metric(&*env, "path_mm");
        assert!((50.0..160.0).contains(&path), "{seed}: {path}");
    }
}

#[test]
fn a_raster_covers_the_liver_in_the_time_that_it_takes() {
    let sets = [("randomization.organs", "[0, 0]"), ("task.organ", "liver")];
    let mut env = make("coverage", &sets);
    let names = &env.spec().observation_space.names;
    assert!(names.iter().any(|name| name.starts_with("liver_0_0")));
    run(&mut *env, 0, true);
    assert_eq!(metric(&*env, "success"), 1.0);
}

#[test]
fn the_cells_locate_the_unseen_surface() {
    let sets = [
        ("randomization.organs", "[0, 0]"),
        ("action.hybrid_motion.axes", "[\"y\"]"),
        ("task.share", "1.0"),
    ];
    let mut env = make("coverage", &sets);
    let names = env.spec().observation_space.names.clone();
    let place = |name: &str| names.iter().position(|known| known.starts_with(name));
    let [first, share] = ["unseen_0_0", "seen_share"].map(|name| place(name).unwrap());
    let mut observation = vec![0.0; names.len()];
    env.reset(0, &ResetOptions::default(), &mut observation)
        .unwrap();
    let cells = |observation: &[f32]| {
        let rows = observation[first..first + 21].chunks(3);
        rows.map(|row| row.iter().sum()).collect::<Vec<f32>>()
    };
    let sides = |observation: &[f32]| {
        let rows = cells(observation);
        [rows[..3].iter().sum(), rows[4..].iter().sum::<f32>()]
    };
    let [before, after]: [f32; 2] = sides(&observation);
    let sum = |observation: &[f32]| observation[share] + cells(observation).iter().sum::<f32>();
    assert!((sum(&observation) - 1.0).abs() < 1e-4);
    // To the side on which more is left, by about 5 cm.
    let (ahead, way) = if after > before { (1, 1.0) } else { (0, -1.0) };
    for _ in 0..12 {
        env.step(&[way], &mut observation).unwrap();
        // Each point is either seen or in a cell.
        assert!((sum(&observation) - 1.0).abs() < 1e-4);
    }
    // The cells ahead decrease, and passed parts are no longer unseen.
    let (begun, now) = ([before, after][ahead], sides(&observation)[ahead]);
    assert!(now < begun - 0.1, "{begun} {now}");
    assert!(observation[share] > 0.1);
}

#[test]
fn patients_differ_as_episodes_say() {
    let mut env = make("find-view", &[("randomization.organs", "[0, 1]")]);
    let names = &env.spec().parameters;
    let place = names
        .iter()
        .position(|name| name.starts_with("organs.seed"));
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    let mut joints = |organs: f64| {
        let parameters = [("organs.seed".to_owned(), organs)].into();
        env.reset(3, &ResetOptions { parameters }, &mut observation)
            .unwrap();
        assert_eq!(env.parameters()[place.unwrap()], organs);
        // The start is drawn around the view, whose position depends on the organs.
        env.scene().unwrap().1.qpos().to_vec()
    };
    let [first, second, again] = [0.0, 1.0, 0.0].map(&mut joints);
    assert_ne!(first, second);
    assert_eq!(first, again);
}

#[test]
fn the_probe_moves_over_the_skin_at_the_requested_speed() {
    let axes = ("action.hybrid_motion.axes", "[\"x\"]");
    let sets = [
        axes,
        ("action.hybrid_motion.speed_scale", "0.03"),
        ("randomization.organs", "[0, 0]"),
        ("randomization.friction", "0.0"),
        ("task.start_distance", "0.0"),
        ("task.start_turn", "0.0"),
    ];
    let mut env = make("find-view", &sets);
    let mut observation = vec![0.0; env.spec().observation_space.len()];
    env.reset(0, &ResetOptions::default(), &mut observation)
        .unwrap();
    let mut step = |env: &mut Box<dyn Env>, share: f32, n: usize| {
        for _ in 0..n {
            env.step(&[share], &mut observation).unwrap();
        }
        [metric(&**env, "path_mm"), metric(&**env, "contact_ratio")]
    };
    let [before, _] = step(&mut env, 0.0, 10);
    let [after, contact] = step(&mut env, -1.0, 10);
    // 1 s at 0.03 m/s. The arm lags at the start, and the indented probe moves slightly up and down.
    assert!((26.0..34.0).contains(&(after - before)), "{before} {after}");
    assert_eq!(contact, 1.0);
    // The desired force is 5 N.
    let mae = metric(&*env, "force_mae_n");
    assert!(mae < 1.0, "{mae} N");
}

#[test]
fn views_without_ultrasound_are_refused() {
    let refusal = |task: &str, sets: &[(&str, &str)]| {
        let refused = tasks::factory(task, sets).and_then(|factory| factory.make().map(|_| ()));
        refused.unwrap_err().to_string()
    };
    let blind = [("observation.ultrasound.readings", "[]")];
    assert!(refusal("find-view", &blind).contains("observation.ultrasound.readings"));
    assert!(refusal("image-quality", &blind).contains("confidence"));
    assert!(refusal("coverage", &blind).contains("observation.ultrasound.readings"));
    let unknown = refusal("coverage", &[("task.organ", "heart")]);
    assert!(unknown.contains("right_kidney"), "{unknown}");
    let hollow = [("scene.shape", "cylinder")];
    assert!(refusal("find-view", &hollow).contains("adult"));
    let axes = [("action.hybrid_motion.axes", "[\"x\", \"z\"]")];
    assert!(refusal("find-view", &axes).contains("yaw"));
    let many = [("randomization.organs", "[0, 64]")];
    assert!(refusal("find-view", &many).contains("64"));
    let reversed = [("randomization.organs", "[3, 1]")];
    assert!(refusal("find-view", &reversed).contains("organs"));
}
