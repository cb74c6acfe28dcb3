//! Contract: the schema with which `models` rejects unknown elements is the schema that the linked MuJoCo prints.

use insonate_models::mjcf::schema::PRINTED;
use insonate_sim::ffi;

#[test]
fn the_committed_schema_is_the_linked_librarys() {
    let linked = ffi::schema_text().expect("libmujoco is there");
    for (n, (ours, theirs)) in PRINTED.lines().zip(linked.lines()).enumerate() {
        assert_eq!(ours.trim_end(), theirs.trim_end(), "line {}", n + 1);
    }
    assert_eq!(PRINTED.lines().count(), linked.lines().count());
}
