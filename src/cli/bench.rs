//! `insonate bench`.

use clap::{Args, Subcommand};
use insonate::envs::{Autoreset, VecConfig, VecEnv, tasks};
use insonate::evaluation::Contestant;
use insonate::rl::{PpoConfig, bench};
use insonate::speed::tissue::{Device, MpmPlan, XpbdPlan, measure_mpm, measure_xpbd};
use insonate::speed::{SpeedPlan, measure};
use serde_json::{Map, Value, json};

use super::print;
use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate bench env --task probe-sweep --envs 32 --threads 2 --json
  insonate bench ppo --json")]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Steps of environments per second, beside the physics engine alone.
    ///
    /// raw_physics_steps_per_second is the yardstick: states of the same compiled scenes are put where the environments are now and
    /// stepped as often with constant motors, without controller, observation, reward or reset, on as many threads. A step is MuJoCo's,
    /// and with a fast torso that of the shell beside it. Both are measured in turns, round by round, and medians count.
    #[command(after_help = "Examples:
  insonate bench env --task table-slide --envs 32 --threads 2 --json
  insonate bench env --task probe-sweep --policy scripted --set randomization.breathing=true")]
    Env(EnvBench),
    /// Training steps of PPO per second, simulation and learning together, on `reacher`.
    ///
    /// 8 environments, 2048 samples an update, minibatches of 64, 10 epochs, two hidden layers of 64 tanh units: what Stable-Baselines3
    /// takes by default. The median of the updates counts.
    #[command(after_help = "Examples:
  insonate bench ppo --updates 30 --threads 2 --json")]
    Ppo(PpoBench),
    /// Frames of soft tissue per second, on the scenes of docs/performance.md that other engines run too.
    ///
    /// mpm: a block of particles, eight in a cell, on the floor of a unit cube; a box is pressed in and slides. The median of the frames
    /// counts, after 30 others. xpbd: a block of tetrahedra, of springs and volumes, fixed to the floor; a ball is pressed in and slides.
    /// The median of the frames counts, after 60 others; several worlds are stepped together.
    #[command(after_help = "Examples:
  insonate bench tissue --solver mpm --particles 24000 --grid 64 --substeps 25 --threads 2 --json
  insonate bench tissue --solver mpm --particles 1000000 --grid 128
  insonate bench tissue --solver xpbd --tets 1170 --substeps 10 --worlds 32 --json
  insonate bench tissue --solver mpm --device gpu")]
    Tissue(TissueBench),
}

#[derive(Debug, Args)]
struct EnvBench {
    /// Task.
    #[arg(long, value_name = "TASK", default_value = "probe-sweep")]
    task: String,
    /// Environments that step together.
    #[arg(long, value_name = "N", default_value_t = 32)]
    envs: usize,
    /// Threads; 0: one for each core.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Who acts: scripted (in contact all the time), zero, random or a policy file; its own time is left out.
    #[arg(long, value_name = "POLICY", default_value = "scripted")]
    policy: String,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Rounds, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 60)]
    rounds: usize,
    /// Control steps of each environment in a round [default: 5, and more where a round takes less than 5 ms]
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Control steps of each environment before the first round.
    #[arg(long, value_name = "N", default_value_t = 50)]
    warmup: usize,
    /// Seed of episodes and random actions.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct TissueBench {
    /// Solver.
    #[arg(long, value_name = "SOLVER", default_value = "mpm")]
    solver: Solver,
    /// Particles (mpm).
    #[arg(long, value_name = "N", default_value_t = 24_000)]
    particles: usize,
    /// Cells along each axis (mpm).
    #[arg(long, value_name = "N", default_value_t = 64)]
    grid: usize,
    /// Tetrahedra (xpbd).
    #[arg(long, value_name = "N", default_value_t = 1170)]
    tets: usize,
    /// Worlds that step together (xpbd).
    #[arg(long, value_name = "N", default_value_t = 1)]
    worlds: usize,
    /// Substeps in a frame [default: mpm 25, xpbd 10]
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// Where: auto takes a hardware GPU where there is one.
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceWord,
    /// Threads; 0: one for each core.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Frames, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 40)]
    frames: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Solver {
    /// Particles and a grid.
    Mpm,
    /// Tetrahedra with compliant constraints.
    Xpbd,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum DeviceWord {
    Auto,
    Cpu,
    Gpu,
}

impl From<DeviceWord> for Device {
    fn from(word: DeviceWord) -> Self {
        match word {
            DeviceWord::Auto => Self::Auto,
            DeviceWord::Cpu => Self::Cpu,
            DeviceWord::Gpu => Self::Gpu,
        }
    }
}

#[derive(Debug, Args)]
struct PpoBench {
    /// Updates, of which the median counts.
    #[arg(long, value_name = "N", default_value_t = 20)]
    updates: usize,
    /// Threads; 0: one for each core.
    #[arg(long, value_name = "T", default_value_t = 0)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Bench {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match &self.what {
            What::Env(bench) => bench.run(),
            What::Ppo(bench) => bench.run(),
            What::Tissue(bench) => bench.run(),
        }
    }
}

impl EnvBench {
    fn run(&self) -> anyhow::Result<()> {
        let given = self.settings.given_env()?;
        let policy = [self.policy.clone()];
        let contestants = Contestant::find_all(&policy, Some(&self.task), &given.env)?;
        let plan = SpeedPlan {
            n_envs: self.envs,
            n_threads: self.threads,
            n_rounds: self.rounds.max(1),
            n_steps: self.steps.map(|steps| steps.max(1)),
            n_warmup: self.warmup,
            seed: self.seed,
        };
        for contestant in &contestants {
            let speed = serde_json::to_value(measure(contestant, &plan)?)?;
            tell(&speed, self.json)?;
        }
        Ok(())
    }
}

impl TissueBench {
    fn run(&self) -> anyhow::Result<()> {
        let device = self.device.into();
        let speed = match self.solver {
            Solver::Mpm => serde_json::to_value(measure_mpm(&MpmPlan {
                n_particles: self.particles,
                grid: self.grid,
                n_substeps: self.substeps.unwrap_or(25) as usize,
                n_threads: self.threads,
                n_frames: self.frames as usize,
                device,
            })?)?,
            Solver::Xpbd => serde_json::to_value(measure_xpbd(&XpbdPlan {
                n_tets: self.tets,
                n_substeps: self.substeps.unwrap_or(10),
                n_worlds: self.worlds,
                n_threads: self.threads,
                n_frames: self.frames,
                device,
            })?)?,
        };
        tell(&speed, self.json)
    }
}

impl PpoBench {
    fn run(&self) -> anyhow::Result<()> {
        let config = PpoConfig {
            n_envs: 8,
            n_steps: 256,
            n_minibatches: 32,
            update_epochs: 10,
            hidden_sizes: vec![64, 64],
            ..PpoConfig::default()
        };
        let factory = (tasks::by_name("reacher")?.build)(&toml::Table::new())?;
        let vector = VecConfig {
            autoreset: Autoreset::SameStep,
            n_threads: self.threads,
            ..VecConfig::default()
        };
        let env = VecEnv::new(factory.make_many(config.n_envs)?, vector)?;
        let n_threads = env.n_threads();
        let speed = bench::ppo_frames_per_second(env, &config, self.updates)?;
        let figures = json!({
            "task": "reacher",
            "n_envs": config.n_envs,
            "n_threads": n_threads,
            "batch_size": config.batch_size(),
            "minibatch_size": config.minibatch_size(),
            "update_epochs": config.update_epochs,
            "frames_per_second": speed.frames_per_second,
            "rollout_s": speed.rollout_s,
            "update_s": speed.update_s,
        });
        tell(&figures, self.json)
    }
}

fn tell(figures: &Value, as_json: bool) -> anyhow::Result<()> {
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
                (None, Some(word)) => word.to_owned(),
                (None, None) => "–".to_owned(),
            };
            format!("{name:<30} {shown:>14}")
        });
    print(&lines.collect::<Vec<_>>().join("\n"))
}
