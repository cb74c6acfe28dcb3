//! trial
#[path = "../tests/soft_block/mod.rs"]
mod soft_block;
use soft_block::reference::{forces, Law, Resolution};
use soft_block::{contestants, flex};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let f = |i: usize| a[i].parse::<f64>().unwrap();
    for case in soft_block::CASES {
        if !a[5].contains(case.name) { continue; }
        let t = std::time::Instant::now();
        let law = match a[1].as_str() {
            "nh" => Law::NeoHookean,
            "lin" => Law::Linear,
            other => {
                let m = match other { "xpbd" => contestants::xpbd(&case, f(2)), "mpm" => contestants::mpm(&case, f(2)), "elastic" => contestants::elastic(&case, f(2)), _ => flex::flex(&case, f(2)) };
                println!("{} {other} {} {:?}", case.name, a[2], m);
                continue;
            }
        };
        let r = Resolution { finest: f(2), growth: f(3), per_quarter: a[4].parse().unwrap() };
        println!("{} {:?} {:?} {:.1?}", case.name, law, forces(&case, law, r), t.elapsed());
    }
}
