//! Reading MJCF: written documents are read back with the same bits, includes and repeated sections become one document, and errors
//! contain the location.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::path::Path;

use insonate_models::mjcf::{Element, Mjcf, Namespace, ReadOptions, Value};
use proptest::prelude::*;

fn read_str(xml: &str) -> Result<Mjcf, String> {
    Mjcf::read_str(xml, "model.xml", &ReadOptions::default()).map_err(|error| error.to_string())
}

fn read_files(files: &[(&str, &str)]) -> Result<Mjcf, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let main = folder.path().join(files[0].0);
    Mjcf::read(&main, &ReadOptions::default()).map_err(|error| {
        error
            .to_string()
            .replace(
                &folder.path().canonicalize().unwrap().display().to_string(),
                "DIR",
            )
            .replace(&folder.path().display().to_string(), "DIR")
    })
}

const SMALL: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- a robot -->
<mujoco model="&lt;small&gt; &#38; &quot;quick&quot;">
  <option timestep="1e-3"><flag contact="disable"/></option>
  <default>
    <geom rgba=".5 +0.25 1. 1"/>
    <default class="7"><joint type="slide"/></default>
  </default>
  <worldbody>
    text without meaning
    <body name="1" childclass="7">
      <joint name="2"/>
      <geom size="0.1" user="0.1 1e-300 -0 3" name=""/>
    </body>
  </worldbody>
  <actuator><motor joint="2"/></actuator>
</mujoco>
"#;

#[test]
fn numbers_become_numbers_and_names_stay_text() {
    let mjcf = read_str(SMALL).unwrap();
    assert_eq!(mjcf.model(), "<small> & \"quick\"");
    let body = mjcf.find(Namespace::Body, "1").unwrap();
    assert_eq!(body.get("childclass"), Some(&Value::from("7")));
    let geom = body.child("geom").unwrap();
    assert_eq!(
        geom.reals("user"),
        Some([0.1, 1e-300, -0.0, 3.0].as_slice())
    );
    assert_eq!(geom.name(), None);
    let default = mjcf.section("default").unwrap().child("geom").unwrap();
    assert_eq!(default.array("rgba"), Some([0.5, 0.25, 1.0, 1.0]));
}

#[test]
fn what_was_read_is_written_and_read_back_identically() {
    let first = read_str(SMALL).unwrap();
    let written = first.to_xml().unwrap();
    let second = read_str(&written).unwrap();
    assert_eq!(first, second);
    assert_eq!(written, second.to_xml().unwrap());
}

#[test]
fn repeated_sections_are_merged() {
    let mjcf = read_str(
        r#"<mujoco>
            <option timestep="0.001"><flag contact="disable"/></option>
            <worldbody><body name="a"/></worldbody>
            <option timestep="0.004" density="3"><flag gravity="disable"/></option>
            <default><geom size="1"/></default>
            <worldbody><body name="b"/></worldbody>
            <default><geom size="2" condim="1"/><default class="c"/></default>
        </mujoco>"#,
    )
    .unwrap();
    insta::assert_snapshot!(mjcf.to_xml().unwrap(), @r#"
    <mujoco>
      <option timestep="0.004" density="3">
        <flag contact="disable" gravity="disable"/>
      </option>
      <worldbody>
        <body name="a"/>
        <body name="b"/>
      </worldbody>
      <default>
        <geom size="2" condim="1"/>
        <default class="c"/>
      </default>
    </mujoco>
    "#);
    // MuJoCo resolves classes at their definition, so this order cannot be expressed in one section.
    let error = read_str(
        r#"<mujoco><default><default class="c"/></default><default><geom size="2"/></default></mujoco>"#,
    )
    .unwrap_err();
    assert!(error.contains("write both as one <default>"), "{error}");
}

#[test]
fn includes_are_resolved_from_the_main_files_folder() {
    let mjcf = read_files(&[
        (
            "main.xml",
            r#"<mujoco><include file="parts/arm.xml"/><worldbody><include file="./parts/leg.xml"></include></worldbody></mujoco>"#,
        ),
        (
            "parts/arm.xml",
            r#"<mujoco model="ignored"><worldbody><body name="arm"/></worldbody><include file="parts/sensors.xml"/></mujoco>"#,
        ),
        (
            "parts/leg.xml",
            r#"<mujocoinclude><body name="leg"/><body name="foot"/><include file="parts/toe.xml"/></mujocoinclude>"#,
        ),
        // The root may have any name. It is dropped with its attributes.
        (
            "parts/toe.xml",
            r#"<body name="dropped"><body name="toe"/></body>"#,
        ),
        (
            "parts/sensors.xml",
            r#"<mujocoinclude><sensor><framepos objtype="body" objname="leg"/></sensor></mujocoinclude>"#,
        ),
    ])
    .unwrap();
    assert_eq!(mjcf.names(Namespace::Body), ["arm", "leg", "foot", "toe"]);
    assert_eq!(mjcf.section("sensor").unwrap().children().len(), 1);
    assert_eq!(mjcf.root().get("model"), None);
}

#[test]
fn errors_say_file_and_line() {
    let cases: &[(&str, &str)] = &[
        (
            "<mujoco>\n <worldbody>\n  <geom size='1' frction='2'/></worldbody></mujoco>",
            r#"model.xml:3: <geom> has no attribute "frction"; did you mean "friction"?"#,
        ),
        (
            "<mujoco>\n<worldbody><geom name='g'\n mass='heavy'/></worldbody></mujoco>",
            r#"model.xml:2: geom "g": mass="heavy" is not a number"#,
        ),
        (
            "<mujoco><worldbody>\n<geom pos='1 2 3 4 5'/></worldbody></mujoco>",
            r#"model.xml:2: <geom>: pos="1 2 3 4 5" holds 5 numbers; 3 needed"#,
        ),
        (
            "<mujoco><worldbody><geom pos='1 nan 3'/></worldbody></mujoco>",
            r#"model.xml:1: <geom>: pos="1 NaN 3" holds NaN; numbers must be finite"#,
        ),
        (
            "<mujoco><worldbody><geom pos='1 1e999 3'/></worldbody></mujoco>",
            r#"model.xml:1: <geom>: pos="1 inf 3" holds inf; numbers must be finite"#,
        ),
        (
            "<mujoco>\n<worldbody>\n<body name='b'><camera/><chair/></body></worldbody></mujoco>",
            r#"model.xml:3: body "b" cannot contain <chair>"#,
        ),
        (
            "<mujoco>\n<worldbody><body name='b'>",
            "model.xml:2: the text ends inside <body>, opened in line 2",
        ),
        (
            "<mujoco>\n<worldbody></body></mujoco>",
            "model.xml:2: ill-formed document: expected `</worldbody>`, but `</body>` was found",
        ),
        (
            "<mujoco/>\n<mujoco/>",
            "model.xml:2: <mujoco> comes after the end of the document",
        ),
        (
            "<robot name='r'/>",
            "model.xml:1: this is URDF, not MJCF; MuJoCo can save it as MJCF (mj_saveLastXML)",
        ),
        (
            "<html/>",
            "model.xml:1: MJCF starts with <mujoco>, not <html>",
        ),
        (
            "",
            "model.xml:1: the text holds no element; MJCF starts with <mujoco>",
        ),
        (
            "<mujoco><worldbody><geom size='1' size='2'/></worldbody></mujoco>",
            r#"model.xml:1: <geom> has two attributes "size""#,
        ),
        (
            "<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>",
            r#"model.xml: the name "a" is used by two elements of kind body"#,
        ),
        (
            "<mujoco><actuator><motor joint='j'/></actuator></mujoco>",
            r#"model.xml: <motor>: joint="j" names no joint"#,
        ),
    ];
    for (xml, expected) in cases {
        let error = read_str(xml).unwrap_err();
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
    let error = read_files(&[
        ("main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>"),
        (
            "a.xml",
            "<mujoco><worldbody>\n\n<geom sise='1'/></worldbody></mujoco>",
        ),
    ])
    .unwrap_err();
    assert_eq!(
        error,
        r#"DIR/a.xml:3: <geom> has no attribute "sise"; did you mean "size"?"#
    );
}

/// A tree of bodies with awkward names and numbers.
fn tree() -> impl Strategy<Value = Mjcf> {
    let real = prop_oneof![
        any::<f64>().prop_filter("finite", |real| real.is_finite()),
        Just(0.1),
        Just(-0.0),
        -10.0..10.0
    ];
    let text = "[ -~äé<&\"'\u{1F600}]{0,12}";
    let geom = (prop::collection::vec(real, 1..6), text).prop_map(|(user, text)| {
        let geom = Element::new("geom").with_attribute("user", user);
        if text.is_empty() {
            geom
        } else {
            geom.with_attribute("material", text)
        }
    });
    let leaf = Just(Element::new("body"));
    let body = leaf.prop_recursive(6, 40, 4, move |inner| {
        (
            prop::collection::vec(inner, 0..4),
            prop::collection::vec(geom.clone(), 0..3),
        )
            .prop_map(|(bodies, geoms)| {
                let mut body = Element::new("body");
                body.children_mut().extend(geoms);
                body.children_mut().extend(bodies);
                body
            })
    });
    (body, text).prop_map(|(body, model)| {
        let mut mjcf = Mjcf::new(&model);
        mjcf.worldbody().add(body);
        let mut names: Vec<String> = Vec::new();
        let mut index = 0;
        mjcf.worldbody().visit_mut(&mut |element| {
            if element.tag() == "body" {
                element.set("name", format!("body {index}"));
                index += 1;
            }
            if let Some(name) = element.text("material") {
                names.push(name.to_owned());
            }
        });
        names.sort();
        names.dedup();
        for name in names {
            mjcf.asset()
                .add(Element::new("material").with_attribute("name", name));
        }
        mjcf
    })
}

proptest! {
    #[test]
    fn write_read_write_is_identical(mjcf in tree()) {
        let written = mjcf.to_xml().unwrap();
        let read = read_str(&written).unwrap();
        prop_assert_eq!(&read, &mjcf);
        prop_assert_eq!(read.to_xml().unwrap(), written);
    }
}

#[test]
fn a_root_given_as_a_text_option_allows_includes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.xml"),
        "<mujoco><worldbody><body name='a'/></worldbody></mujoco>",
    )
    .unwrap();
    let xml = "<mujoco><include file='a.xml'/></mujoco>";
    let options = ReadOptions {
        root: Some(folder.path().to_owned()),
        ..ReadOptions::default()
    };
    assert!(Mjcf::read_str(xml, "text", &options).is_ok());
    assert!(read_str(xml).unwrap_err().contains("give a root folder"));
    assert!(Mjcf::read(Path::new("/nowhere/model.xml"), &options).is_err());
}
