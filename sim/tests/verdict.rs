//! Contract: a verdict fails for each figure beyond its limit, names the limit in words, and names a joint at its limit as the cause.

use insonate_sim::verdict::{
    ForceFigures, Judge, LimitKind, Outcome, PathFigures, RunWatch, VerdictLimits,
};
use insonate_sim::{Physics, compile};

const PATH: PathFigures = PathFigures {
    asked: 0.12,
    covered: 0.119,
    lag: 0.001,
    error: 0.001,
};
const FORCE: ForceFigures = ForceFigures {
    asked: 5.0,
    mean: 5.0,
    mae: 0.02,
    worst: 0.2,
    peak: 5.4,
};

fn reasons(path: PathFigures, force: ForceFigures, contact: f64, tilt: f64) -> Vec<String> {
    let limits = VerdictLimits::default();
    let judge = Judge::new(&limits).path(path).force(force);
    judge.contact(contact).tilt(tilt).verdict().reasons
}

#[test]
fn each_figure_beyond_its_limit_is_a_reason() {
    assert_eq!(reasons(PATH, FORCE, 1.0, 0.5), Vec::<String>::new());
    let path = |change: fn(&mut PathFigures)| {
        let mut path = PATH;
        change(&mut path);
        reasons(path, FORCE, 1.0, 0.5).join("; ")
    };
    assert_eq!(path(|path| path.covered = 0.052), "covered 52 of 120 mm");
    assert_eq!(
        path(|path| path.lag = 0.067),
        "the lag along the path was 67.0 mm; it must be at most 10.0 mm"
    );
    assert_eq!(
        path(|path| path.error = 0.018),
        "the distance from the path was 18.0 mm; it must be at most 10.0 mm"
    );
    let force = |change: fn(&mut ForceFigures)| {
        let mut force = FORCE;
        change(&mut force);
        reasons(PATH, force, 1.0, 0.5).join("; ")
    };
    assert!(force(|force| force.mae = 0.6).contains("error of the force was 0.60 N"));
    assert!(force(|force| force.worst = 2.6).contains("largest error of the force was 2.60 N"));
    assert!(force(|force| force.peak = 3e5).contains("peak force was 300000.0 N"));
    assert!(reasons(PATH, FORCE, 0.9, 0.5)[0].contains("90.0 % of the time"));
    assert!(reasons(PATH, FORCE, 1.0, 6.0)[0].contains("tilt of the probe was 6.0°"));
    // A figure that is not a number violates every limit.
    assert_eq!(reasons(PATH, FORCE, f64::NAN, f64::NAN).len(), 2);
}

#[test]
fn limits_are_changed_by_name() {
    let limits = VerdictLimits::default();
    let changed = limits
        .with("covered=0.5")
        .unwrap()
        .with("force_mae=0.2,1")
        .unwrap();
    assert_eq!((changed.covered, changed.force_mae), (0.5, [0.2, 1.0]));
    for (given, expected) in [
        ("cover=1", "known are covered, lag"),
        ("lag=far", "at least 0"),
        ("lag=-1", "at least 0"),
        ("lag=NaN", "at least 0"),
        ("overshoot=1", "two numbers"),
        ("lag", "name=value"),
    ] {
        let error = limits.with(given).unwrap_err().to_string();
        assert!(error.contains(expected), "{given}: {error}");
    }
}

/// A slide that pushes against its damper with all of its 20 N, a hinge at its stop, and a fin that is pressed onto the floor.
const ARM: &str = r#"<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>
<worldbody>
  <geom name="floor" type="plane" size="1 1 .1" condim="1"/>
  <body name="robot/base">
    <body name="robot/slide" pos="0 0 .5">
      <joint name="robot/y" type="slide" axis="0 1 0" damping="1000"/>
      <geom type="sphere" size=".02" mass="1" contype="0" conaffinity="0"/>
      <body name="robot/fin">
        <joint name="robot/down" type="slide" axis="0 0 1"/>
        <geom type="sphere" size=".05" pos="0 0 -.4501" mass="1" condim="1"/>
        <body name="probe">
          <joint name="robot/stop" axis="1 0 0" range="-1 0" limited="true"/>
          <geom type="sphere" size=".01" mass=".1" contype="0" conaffinity="0"/><site name="probe/face_center"/>
        </body>
      </body>
    </body>
  </body>
</worldbody>
<actuator>
  <motor joint="robot/y" ctrlrange="-20 20" ctrllimited="true"/>
  <motor joint="robot/down"/>
  <motor joint="robot/stop"/>
</actuator></mujoco>"#;

#[test]
fn joints_at_limits_and_contacts_of_the_robot_are_named() {
    let mut physics = Physics::new(compile(ARM).unwrap()).unwrap();
    let mut watch = RunWatch::new(&physics).unwrap();
    physics.ctrl_mut().copy_from_slice(&[20.0, -30.0, 0.01]);
    for _ in 0..500 {
        physics.step().unwrap();
        watch.see(&physics);
    }
    let limits = watch.joints_at_limits(0.1);
    let kinds: Vec<_> = limits
        .iter()
        .map(|limit| (limit.number, limit.kind))
        .collect();
    assert_eq!(kinds, [(1, LimitKind::Torque), (3, LimitKind::Position)]);
    // At the terminal speed of 20 mm/s the damper takes all of the 20 N; the two kilograms reach it within milliseconds.
    assert!((limits[0].damping - 20.0).abs() < 0.5, "{limits:?}");
    let touch = watch.other_contact().unwrap();
    assert_eq!((&*touch.body, &*touch.other), ("robot/fin", "floor"));
    assert!(touch.force > 29.0, "{touch:?}");

    let judge = Judge::new(&VerdictLimits::default())
        .path(PathFigures {
            covered: 0.02,
            ..PATH
        })
        .arm(&watch, "slide");
    let verdict = judge.verdict();
    assert_eq!(verdict.outcome, Outcome::Failed);
    let [first, touched] = &verdict.reasons[..] else {
        panic!("{verdict}");
    };
    assert!(
        first.starts_with("covered 20 of 120 mm: joint 1 (y) sat at its force limit of 20 N for 100 % of the slide; its damping took 20 N"),
        "{first}"
    );
    assert!(
        touched.starts_with("robot/fin of the robot touched floor with up to"),
        "{touched}"
    );

    watch.restart_joints();
    assert!(watch.joints_at_limits(0.0).is_empty() && watch.other_contact().is_some());
}
