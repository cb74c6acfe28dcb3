//! Contract: MJCF text compiles to a model, or to an error that names the element and line; nothing is
//! printed or written to a file.

use insonate_sim::{SimError, compile};

fn refused(xml: &str) -> String {
    let error = compile(xml).expect_err("the scene is broken");
    assert!(matches!(error, SimError::Compile { .. }), "{error:?}");
    let text = error.to_string();
    assert!(!text.contains('\n'), "one line, got: {text}");
    text
}

fn world(body: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{body}\n</worldbody>\n</mujoco>")
}

#[test]
fn a_good_scene_compiles() {
    let model = compile(&world("<geom name='g' size='1'/>")).unwrap();
    assert_eq!(model.ffi().ngeom, 1);
}

#[test]
fn unknown_attribute_names_element_and_line() {
    let text = refused(&world("<geom size='1'/>\n<geom size='1' colour='red'/>"));
    assert!(text.contains("colour") && text.contains("line 4"), "{text}");
    assert!(text.contains("<geom size='1' colour='red'/>"), "{text}");
}

#[test]
fn a_moving_body_without_mass_is_named() {
    let text = refused(&world("<body name='ghost'><freejoint/></body>"));
    assert!(text.contains("ghost"), "{text}");
}

#[test]
fn duplicate_names_are_refused() {
    let text = refused(&world("<geom name='g' size='1'/><geom name='g' size='1'/>"));
    assert!(text.contains("'g'"), "{text}");
}

#[test]
fn text_that_is_not_xml_is_refused() {
    refused("");
    refused("robot");
    refused("<mujoco><worldbody>");
    refused("<mujoco>\0</mujoco>");
}

#[test]
fn hostile_numbers_are_refused() {
    refused(&world("<geom size='nan'/>"));
    refused(&world("<geom size='1e400'/>"));
    refused(&world("<geom size='-1'/>"));
    let text = refused(&world("<geom size='1' pos='0 0 nan'/>"));
    assert!(text.contains("NaN"), "{text}");
}

#[test]
fn missing_files_are_named() {
    let text = refused("<mujoco><asset><mesh name='m' file='absent.stl'/></asset></mujoco>");
    assert!(text.contains("absent.stl"), "{text}");
    let text = refused("<mujoco><include file='absent.xml'/></mujoco>");
    assert!(text.contains("absent.xml"), "{text}");
}
