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
