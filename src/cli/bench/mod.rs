//! `insonate bench`.

mod b_mode;
mod continuum;
mod env;
mod gpu;
mod ppo;
mod raw_physics;
mod tissue;

use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate bench env --task probe-sweep --envs 32 --threads 2 --json
  insonate bench b-mode --json
  insonate bench ppo --json")]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: BenchKind,
}

#[derive(Debug, Subcommand)]
enum BenchKind {
    /// B-mode frames per second, of an adult patient with organs under a probe that moves along the body.
    ///
    /// Each frame is computed from scratch: no geometry, scatterers or pictures are reused. The median is reported. On a GPU the
    /// processor computes the geometry of frames, and the GPU the rest; the figures include both times.
    #[command(after_help = "Examples:
  insonate bench b-mode --probe c5-2 --lines 256 --samples 512 --size 512 --device cpu --threads 2 --json
  insonate bench b-mode --device gpu --batch 64 --json
  insonate bench b-mode --lines 128 --samples 256 --size 0 --scatterers 2 --threads 2")]
    BMode(b_mode::BModeBench),
    /// Step time of a continuum robot for numbers of nodes and contacts, and for solvers.
    ///
    /// A rod lies on a floor under a hundred times its weight, and its base moves in a small ellipse. A step assembles the stiffness, finds
    /// the walls, solves the quadratic program and moves the rod, on one core. contacts is the least number of those that pressed in a step;
    /// kkt_residual the greatest violation of the optimality conditions: unbalanced force over the load, or open gap over a millimetre.
    #[command(after_help = "Examples:
  insonate bench continuum --nodes 400 --contacts 200 --json
  insonate bench continuum --nodes 400 --contacts 10 --solver gauss-seidel")]
    Continuum(continuum::ContinuumBench),
    /// Environment steps per second, compared with the physics alone.
    ///
    /// raw_physics_steps_per_second is the reference: the physics of the same scenes, from the environments' states, with constant motors and
    /// without controller, observation, reward and reset, on as many threads. A step is MuJoCo's, with a fast torso also that of the shell.
    /// Both are measured alternately; medians over rounds are reported.
    #[command(after_help = "Examples:
  insonate bench env --task table-slide --envs 32 --threads 2 --json
  insonate bench env --task probe-sweep --policy scripted --set randomization.breathing=true")]
    Env(env::EnvBench),
    /// Every table of a GPU in at most 8 minutes: torsos in tasks, tissue alone, and B-mode frames, each for several sizes.
    ///
    /// torsos and mpm_torsos: environments of `probe-press` with an `xpbd` and an `mpm` torso, whose wrenches come back in one transfer per physics step. xpbd
    /// and mpm: the scenes of `bench tissue`, by worlds and by particles. b_mode: frames per batch, as `bench b-mode`. A row that the GPU has no room for says so.
    #[command(after_help = "Examples:
  insonate bench gpu --json
  insonate bench gpu --quick
  INSONATE_GPU=radeon insonate bench gpu --json")]
    Gpu(gpu::GpuBench),
    /// Training steps of PPO per second, simulation and learning together, on `reacher`.
    ///
    /// 8 environments, 2048 samples per update, minibatches of 64, 10 epochs, two hidden layers of 64 tanh units: the defaults of
    /// Stable-Baselines3. The median over updates is reported.
    #[command(after_help = "Examples:
  insonate bench ppo --updates 30 --threads 2 --json")]
    Ppo(ppo::PpoBench),
    /// Soft tissue frames per second, on the scenes of docs/trust/performance.md that other engines also run.
    ///
    /// mpm: a block of particles, eight per cell, on the floor of a unit cube; a box is pressed in and slides. The median over frames
    /// is reported, after 30 frames of warm-up. xpbd: a block of tetrahedra, of springs and volumes, fixed to the floor; a ball is pressed in and slides.
    /// The median over frames is reported, after 60 frames of warm-up; several worlds step in parallel.
    #[command(after_help = "Examples:
  insonate bench tissue --solver mpm --particles 24000 --grid 64 --substeps 25 --threads 2 --json
  insonate bench tissue --solver mpm --particles 1000000 --grid 128
  insonate bench tissue --solver xpbd --tets 1170 --substeps 10 --worlds 32 --json
  insonate bench tissue --solver mpm --device gpu")]
    Tissue(tissue::TissueBench),
}

impl Bench {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.what {
            BenchKind::BMode(bench) => bench.run(),
            BenchKind::Continuum(bench) => bench.run(),
            BenchKind::Env(bench) => bench.run(),
            BenchKind::Gpu(bench) => bench.run(),
            BenchKind::Ppo(bench) => bench.run(),
            BenchKind::Tissue(bench) => bench.run(),
        }
    }
}

fn print_figures(figures: &Value, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print(&serde_json::to_string_pretty(figures)?);
    }
    let none = Map::new();
    let lines = figures
        .as_object()
        .unwrap_or(&none)
        .iter()
        .map(|(name, value)| {
            let shown = match (value.as_f64(), value.as_str()) {
                (Some(number), _) if number.abs() >= 100.0 => format!("{number:.0}"),
                (Some(number), _) => format!("{number:.4}")
                    .trim_end_matches('0')
                    .trim_end_matches('.')
                    .to_owned(),
                (None, Some(text)) => text.to_owned(),
                (None, None) => "–".to_owned(),
            };
            format!("{name:<30} {shown:>14}")
        });
    print(&lines.collect::<Vec<_>>().join("\n"))
}

/// NaN without any numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    if numbers.is_empty() {
        return f64::NAN;
    }
    numbers.sort_by(f64::total_cmp);
    let n = numbers.len();
    0.5 * (numbers[(n - 1) / 2] + numbers[n / 2])
}
