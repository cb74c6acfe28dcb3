//! Contract: a document is checked against MuJoCo's schema before it is written; attaching prefixes every name and reference.

use insonate_models::mjcf::{
    Body, DefaultClass, Element, Equality, FixedTendon, Geom, Joint, Mjcf, MjcfError, Motor,
    Namespace, Sensor, Site,
};

fn arm() -> Mjcf {
    let mut arm = Mjcf::new("arm");
    arm.default()
        .add(Element::new("geom").with_attribute("contype", 0));
    arm.default()
        .add(DefaultClass::new("soft").with(Element::new("joint").with_attribute("damping", 2.0)));
    arm.worldbody().add(
        Body::new("upper")
            .pos([0.0, 0.0, 1.0])
            .with(
                Joint::hinge("shoulder")
                    .axis([0.0, 1.0, 0.0])
                    .range([-1.0, 1.0])
                    .class("soft"),
            )
            .with(Geom::capsule([0.05, 0.2]).name("upper").mass(1.0))
            .with(
                Site::new("flange")
                    .pos([0.0, 0.0, 0.3])
                    .quat([0.0, 1.0, 0.0, 0.0]),
            ),
    );
    arm.actuator()
        .add(Motor::new("shoulder").ctrlrange([-10.0, 10.0]));
    arm.sensor()
        .add(Sensor::new("jointpos", "angle", "joint", "shoulder"));
    arm.sensor().add(Sensor::frame("framepos", "tip", "flange"));
    arm
}

fn tool() -> Mjcf {
    let mut tool = Mjcf::new("tool");
    tool.worldbody().add(
        Body::new("tool")
            .with(Joint::slide("plunger"))
            .with(Joint::slide("piston"))
            .with(Geom::sphere(0.01).mass(0.1)),
    );
    tool.tendon().add(FixedTendon::new(
        "sum",
        [("plunger", 1.0), ("piston", -1.0)],
    ));
    tool.equality()
        .add(Equality::joint("plunger", Some("piston")).polycoef([0.0, 1.0, 0.0, 0.0, 0.0]));
    tool
}

#[test]
fn a_built_document_is_written_as_indented_xml() {
    insta::assert_snapshot!(arm().to_xml().unwrap(), @r#"
    <mujoco model="arm">
      <compiler angle="radian"/>
      <default>
        <geom contype="0"/>
        <default class="soft">
          <joint damping="2"/>
        </default>
      </default>
      <worldbody>
        <body name="upper" pos="0 0 1">
          <joint name="shoulder" type="hinge" axis="0 1 0" range="-1 1" class="soft"/>
          <geom type="capsule" size="0.05 0.2" name="upper" mass="1"/>
          <site name="flange" pos="0 0 0.3" quat="0 1 0 0"/>
        </body>
      </worldbody>
      <actuator>
        <motor name="shoulder" joint="shoulder" ctrlrange="-10 10"/>
      </actuator>
      <sensor>
        <jointpos name="angle" joint="shoulder"/>
        <framepos name="tip" objtype="site" objname="flange"/>
      </sensor>
    </mujoco>
    "#);
}

#[test]
fn attaching_prefixes_names_references_and_defaults() {
    let mut scene = Mjcf::new("scene");
    scene.attach("world", arm(), "robot/").unwrap();
    scene.attach("robot/flange", tool(), "tool/").unwrap();
    scene.attach("robot/upper", tool(), "second/").unwrap();
    insta::assert_snapshot!(scene.to_xml().unwrap(), @r#"
    <mujoco model="scene">
      <compiler angle="radian"/>
      <default>
        <default class="robot/main">
          <geom contype="0"/>
          <default class="robot/soft">
            <joint damping="2"/>
          </default>
        </default>
        <default class="tool/main"/>
        <default class="second/main"/>
      </default>
      <worldbody>
        <body name="robot/upper" pos="0 0 1" childclass="robot/main">
          <joint name="robot/shoulder" type="hinge" axis="0 1 0" range="-1 1" class="robot/soft"/>
          <geom type="capsule" size="0.05 0.2" name="robot/upper" mass="1"/>
          <site name="robot/flange" pos="0 0 0.3" quat="0 1 0 0"/>
          <frame pos="0 0 0.3" quat="0 1 0 0">
            <body name="tool/tool" childclass="tool/main">
              <joint name="tool/plunger" type="slide"/>
              <joint name="tool/piston" type="slide"/>
              <geom type="sphere" size="0.01" mass="0.1"/>
            </body>
          </frame>
          <body name="second/tool" childclass="second/main">
            <joint name="second/plunger" type="slide"/>
            <joint name="second/piston" type="slide"/>
            <geom type="sphere" size="0.01" mass="0.1"/>
          </body>
        </body>
      </worldbody>
      <tendon>
        <fixed name="tool/sum">
          <joint joint="tool/plunger" coef="1"/>
          <joint joint="tool/piston" coef="-1"/>
        </fixed>
        <fixed name="second/sum">
          <joint joint="second/plunger" coef="1"/>
          <joint joint="second/piston" coef="-1"/>
        </fixed>
      </tendon>
      <equality>
        <joint joint1="tool/plunger" joint2="tool/piston" polycoef="0 1 0 0 0"/>
        <joint joint1="second/plunger" joint2="second/piston" polycoef="0 1 0 0 0"/>
      </equality>
      <actuator>
        <motor name="robot/shoulder" joint="robot/shoulder" ctrlrange="-10 10" class="robot/main"/>
      </actuator>
      <sensor>
        <jointpos name="robot/angle" joint="robot/shoulder"/>
        <framepos name="robot/tip" objtype="site" objname="robot/flange"/>
      </sensor>
    </mujoco>
    "#);
}

#[test]
fn a_document_without_defaults_does_not_inherit_from_its_parent_frame() {
    let mut scene = Mjcf::new("scene");
    scene.attach("world", arm(), "robot/").unwrap();
    scene.attach("robot/flange", tool(), "tool/").unwrap();
    let tool = scene.find(Namespace::Body, "tool/tool").unwrap();
    // `robot/main` sets contype 0: the tool must not take it from its parent's childclass.
    assert_eq!(tool.text("childclass"), Some("tool/main"));
}

#[test]
fn find_and_change() {
    let mut arm = arm();
    arm.find_mut(Namespace::Joint, "shoulder")
        .unwrap()
        .set("damping", 3.0);
    assert_eq!(
        arm.find(Namespace::Joint, "shoulder")
            .unwrap()
            .array("damping"),
        Some([3.0])
    );
    assert!(arm.find(Namespace::Joint, "upper").is_none());
    assert_eq!(arm.names(Namespace::Sensor), ["angle", "tip"]);
}

#[test]
fn replicas_keep_their_own_defaults() {
    let mut ring = Mjcf::new("ring");
    ring.worldbody().add(
        Element::new("replicate")
            .with_attribute("count", 3)
            .with(Body::new("stone")),
    );
    let mut scene = Mjcf::new("scene");
    scene.worldbody().add(Body::new("table"));
    scene.attach("table", ring, "ring/").unwrap();
    let stone = scene.find(Namespace::Body, "ring/stone").unwrap();
    assert_eq!(stone.text("childclass"), Some("ring/main"));
}

fn refused(change: impl FnOnce(&mut Mjcf)) -> String {
    let mut arm = arm();
    change(&mut arm);
    arm.to_xml()
        .expect_err("the document must be refused")
        .to_string()
}

#[test]
fn invalid_trees_are_rejected_with_the_name_of_the_element() {
    let upper = |arm: &mut Mjcf, attribute: &'static str, value: f64| {
        arm.find_mut(Namespace::Geom, "upper")
            .unwrap()
            .set(attribute, value);
    };
    let cases = [
        (
            refused(|arm| upper(arm, "mass", f64::NAN)),
            r#"geom "upper": mass="NaN" holds NaN; numbers must be finite"#,
        ),
        (
            refused(|arm| upper(arm, "pos", 1.0)),
            r#"geom "upper": pos="1" holds 1 number; 3 needed"#,
        ),
        (
            refused(|arm| upper(arm, "contype", 0.5)),
            r#"geom "upper": contype="0.5" holds 0.5; whole numbers are needed"#,
        ),
        (
            refused(|arm| upper(arm, "frction", 0.5)),
            r#"geom "upper" has no attribute "frction"; did you mean "friction"?"#,
        ),
        (
            refused(|arm| {
                arm.actuator().add(Motor::new("sholder"));
            }),
            r#"motor "sholder": joint="sholder" names no joint; did you mean "shoulder"?"#,
        ),
        (
            refused(|arm| {
                arm.worldbody().add(Body::new("upper"));
            }),
            r#"the name "upper" is used by two elements of kind body"#,
        ),
        (
            refused(|arm| {
                arm.find_mut(Namespace::Geom, "upper")
                    .unwrap()
                    .set("type", "blob");
            }),
            r#"geom "upper": type="blob" is not one of plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf"#,
        ),
        (
            refused(|arm| {
                arm.sensor()
                    .add(Sensor::frame("framepos", "two", "nowhere"));
            }),
            r#"framepos "two": objname="nowhere" names no site"#,
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, expected);
    }
    assert!(
        refused(|arm| {
            arm.worldbody().add(Joint::hinge("loose"));
        })
        .starts_with("<worldbody> cannot contain <joint>; allowed here: body, geom,")
    );
}

#[test]
fn attaching_to_an_unknown_frame_lists_the_known_ones() {
    let error = arm().attach("wrist", tool(), "tool/").unwrap_err();
    assert!(matches!(error, MjcfError::UnknownFrame { .. }));
    assert_eq!(
        error.to_string(),
        r#"no body, site or frame is called "wrist"; the bodies are upper"#
    );
    assert!(
        arm()
            .attach("flnage", tool(), "tool/")
            .unwrap_err()
            .to_string()
            .ends_with("did you mean \"flange\"?")
    );
    assert!(arm().attach("flange", tool(), "").is_err());
}
