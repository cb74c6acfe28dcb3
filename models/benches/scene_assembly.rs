//! Time to assemble and write a scene: Panda, C5-2, composite torso of 270 bodies and 807 equalities.

#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use insonate_models::torsos::{self, TorsoConfig};
use insonate_models::{Scene, probes, robots};

fn scene() -> Scene {
    let kind = torsos::by_name("composite").expect("the registry has it");
    let torso = (kind.build)(&TorsoConfig::default()).expect("the default is valid");
    Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso))
}

fn assembly(criterion: &mut Criterion) {
    criterion.bench_function("scene_assembly/parts_to_xml", |bencher| {
        bencher.iter(|| scene().to_mjcf().expect("valid").to_xml_unchecked());
    });
    let mjcf = scene().to_mjcf().expect("valid");
    criterion.bench_function("scene_assembly/validate", |bencher| {
        bencher.iter(|| mjcf.validate());
    });
    criterion.bench_function("scene_assembly/write", |bencher| {
        bencher.iter(|| mjcf.to_xml_unchecked());
    });
}

criterion_group!(benches, assembly);
criterion_main!(benches);
