//! How fast environments step, against the physics engine alone, and how fast tissue does.

mod envs;
mod raw;
pub mod tissue;

pub use envs::{EnvSpeed, SpeedPlan, measure};

/// The middle of some numbers; NaN without any.
fn median(mut numbers: Vec<f64>) -> f64 {
    if numbers.is_empty() {
        return f64::NAN;
    }
    numbers.sort_by(f64::total_cmp);
    let n = numbers.len();
    0.5 * (numbers[(n - 1) / 2] + numbers[n / 2])
}
