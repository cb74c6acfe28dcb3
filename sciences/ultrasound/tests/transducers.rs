//! Contract: every probe of a robot is a transducer with the probe's name, and names are unique.

use insonate_models::probes;
use insonate_ultrasound::transducer;

#[test]
fn each_probe_of_a_robot_is_a_transducer_of_its_name() {
    let names = transducer::names();
    for (name, make) in probes::ALL {
        assert!(names.contains(name), "{name} is not in {names:?}");
        assert_eq!(transducer::by_name(name), Some(make().transducer), "{name}");
    }
    assert!(names.len() > probes::ALL.len(), "{names:?}");
}

#[test]
fn each_name_is_unique_and_found() {
    let names = transducer::names();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} twice in {names:?}");
        assert!(transducer::by_name(name).is_some(), "{name}");
    }
    assert_eq!(transducer::by_name("c5"), None);
}

#[test]
fn an_array_is_described_by_its_numbers() {
    let c5_2 = transducer::c5_2();
    let text = "elements=128,pitch=0.508e-3,radius=49.57e-3,element-width=0.46e-3,frequency=3.57e6,bandwidth=0.7899,elevation=13.5e-3,elevation-focus=60e-3";
    let own = transducer::described(text).expect("the text is valid");
    let same = transducer::Transducer {
        band: own.band,
        ..c5_2
    };
    assert_eq!(own, same);
    for (edge, known) in own.band.iter().zip(c5_2.band) {
        assert!((edge / known - 1.0).abs() < 1e-3, "{edge} {known}");
    }
    let linear = "elements=64, pitch=2e-4, frequency=8e6, bandwidth=0.5, elevation=4e-3, elevation_focus=0.02";
    let own = transducer::described(linear).expect("the text is valid");
    assert_eq!(own.kind, transducer::ArrayKind::Linear);
    assert_eq!(own.band, [6e6, 10e6]);
    let phased = transducer::described(&format!("{linear},sector=75")).expect("the text is valid");
    assert!((phased.field_of_view().to_degrees() - 75.0).abs() < 1e-9);
}

#[test]
fn numbers_of_an_array_that_are_wrong_are_named() {
    let rest = "pitch=2e-4,frequency=8e6,bandwidth=0.5,elevation=4e-3";
    for (text, wanted) in [
        (format!("elements=64,{rest}"), "elevation-focus=NUMBER"),
        (
            format!("elements=7,{rest},elevation-focus=0.02"),
            "array: elements is 7",
        ),
        (
            format!("elements=64.5,{rest},elevation-focus=0.02"),
            "a whole number",
        ),
        (
            format!("elements=64,{rest},elevation-focus=9"),
            "array: elevation-focus is 9",
        ),
        (
            format!("elements=64,{rest},elevation-focus=0.02,radius=0.006"),
            "angle of the arc",
        ),
        (
            format!("elements=64,{rest},elevation-focus=0.02,radius=0.06,sector=60"),
            "either curved or phased",
        ),
        (
            format!("elements=64,{rest},elevation-focus=0.02,pitch=1e-4"),
            "given once",
        ),
        (
            format!("elements=64,{rest},elevation-focus=0.02,pich=1e-4"),
            "did you mean \"pitch\"",
        ),
        (
            format!("elements=many,{rest},elevation-focus=0.02"),
            "a number",
        ),
        (String::new(), "name=number"),
    ] {
        let told = transducer::described(&text).expect_err(&text).to_string();
        assert!(told.contains(wanted), "{text}: {told}");
    }
}
