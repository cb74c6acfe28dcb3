//! trial
#[path = "../tests/soft_block/mod.rs"]
mod soft_block;
use soft_block::reference::{forces, Law, Resolution};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let r = Resolution { finest: a[2].parse().unwrap(), growth: a[3].parse().unwrap(), per_quarter: a[4].parse().unwrap() };
    let law = if a[1].contains("nh") { Law::NeoHookean } else { Law::Linear };
    for case in soft_block::CASES {
        if a[5].contains(case.name) {
            let t = std::time::Instant::now();
            println!("{} {:?} {:?} {:.1?}", case.name, law, forces(&case, law, r), t.elapsed());
        }
    }
}
