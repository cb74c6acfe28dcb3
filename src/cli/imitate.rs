//! `insonate imitate`.

use std::path::PathBuf;

use clap::Args;
use insonate::demonstrations::{
    ImitationData, Round, RoundProgress, RoundsPlan, imitate_in_rounds, imitation_json, losses_csv,
    rounds_csv,
};
use insonate::envs::{EnvError, tasks};
use insonate::rl::imitation::{EpochLosses, Imitation, ImitationConfig};
use insonate::rl::run::POLICY;
use insonate::training::ppo_defaults;

use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::print;
use super::progress_bar::bar;
use super::settings_args::SettingsArgs;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate imitate probe-sweep --data output/sweep-demos --output output/imitate
  insonate imitate probe-sweep --data output/sweep.hdf5 --epochs 200 --hidden 256,256
  insonate imitate find-view --data output/view-demos --rounds 3 --episodes 80
  insonate evaluate output/imitate --episodes 200
  insonate train probe-sweep --from-policy output/imitate --output output/better

Reads LeRobot folders (v3.0) and robomimic files; one demonstration of ten is for validation, or the last of fewer.

With --rounds (DAgger, Ross et al. 2011) the policy acts in new episodes, the task's script labels
the states that it visits, and the network is trained from its initial weights on all samples so far.")]
pub(crate) struct Imitate {
    /// Task, one of `insonate list`.
    task: String,
    /// Demonstrations: a LeRobot folder or a robomimic file.
    #[arg(long, value_name = "PATH")]
    data: PathBuf,
    /// Folder for policy, losses and summary.
    #[arg(long, short, value_name = "DIR", default_value = "output/imitate")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Number of passes over the demonstrations.
    #[arg(long, value_name = "N", default_value_t = 100)]
    epochs: usize,
    /// Number of samples per step (batch size).
    #[arg(long, value_name = "N", default_value_t = 128)]
    batch_size: usize,
    /// Initial learning rate of Adam; it decays to zero.
    #[arg(long, value_name = "RATE", default_value_t = 1e-3)]
    learning_rate: f64,
    /// Widths of the hidden layers [default: as in `insonate train`].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    hidden: Vec<usize>,
    /// Channels of the convolutions over the images of observations, multiples of 16, such as 16,16,32 [default: pixels enter the hidden layers].
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    convolutions: Vec<usize>,
    /// Number of rounds in which the policy acts and the task's script labels its states; 0 imitates the demonstrations alone.
    #[arg(long, value_name = "N", default_value_t = 0)]
    rounds: usize,
    /// Number of episodes in a round.
    #[arg(long, value_name = "N", default_value_t = 40, requires = "rounds")]
    episodes: usize,
    /// Probability that the script acts in a step of the first round; in round r it is the r-th power.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "rounds")]
    expert_share: f64,
    /// Number of threads; 0 uses one per core.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rounds")]
    threads: usize,
    /// Seed of the weights, of the order of samples and of the episodes of rounds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    settings: SettingsArgs,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Imitate {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let config = self.config()?;
        config.check()?;
        let overrides = self.settings.env_overrides()?;
        let plan = RoundsPlan {
            n_rounds: self.rounds,
            n_episodes: self.episodes,
            expert_share: self.expert_share,
            n_threads: self.threads,
        };
        plan.check()?;
        let mut lesson = ImitationData::read(&self.data, &self.task, &overrides.env)?;
        let folder = self.overwrite.folder(&self.output, "imitate")?;
        let interrupt = Interrupt::listen()?;
        let template = "{wide_bar} {pos}/{len}  {msg}  {elapsed} (left {eta})";
        let bar = bar(config.epochs, template)?;
        let learnt = imitate_in_rounds(&mut lesson, &config, &plan, &mut |progress| {
            match progress {
                RoundProgress::Epoch(round, losses) => {
                    bar.set_length(config.epochs as u64);
                    bar.set_position(losses.epoch as u64);
                    bar.set_message(format!(
                        "epochs{}  {}",
                        in_round(round),
                        losses_text(losses)
                    ));
                }
                RoundProgress::Episodes(round, n_done) => {
                    bar.set_length(plan.n_episodes as u64);
                    bar.set_position(n_done as u64);
                    bar.set_message(format!("episodes{}", in_round(round)));
                }
                RoundProgress::Round(round) => {
                    bar.suspend(|| eprintln!("{}", round_text(round, plan.n_rounds)));
                }
            }
            interrupt.flow()
        });
        bar.finish_and_clear();
        let (learnt, rounds) = learnt?;
        learnt.policy.save(&folder.file(POLICY)?)?;
        folder.write("losses.csv", losses_csv(&learnt.losses).as_bytes())?;
        if plan.n_rounds > 0 {
            folder.write("rounds.csv", rounds_csv(&rounds).as_bytes())?;
        }
        let paths = [&*self.data, &*self.output];
        let summary = imitation_json(&lesson, &learnt, &config, paths, (&plan, &rounds));
        let text = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{text}\n").as_bytes())?;
        if self.json {
            print(&text)?;
        } else {
            print(&self.text(&lesson, &learnt))?;
        }
        if interrupt.is_interrupted() {
            let path = self.output.display();
            return Err(interrupt
                .error(format!("saved the policy so far in {path}"))
                .into());
        }
        Ok(())
    }

    fn config(&self) -> Result<ImitationConfig, EnvError> {
        let usual = ppo_defaults(tasks::by_name(&self.task)?)?;
        let hidden_sizes = match &self.hidden[..] {
            [] => usual.hidden_sizes,
            given => given.to_vec(),
        };
        Ok(ImitationConfig {
            epochs: self.epochs,
            batch_size: self.batch_size,
            learning_rate: self.learning_rate,
            clip_obs: usual.clip_obs,
            hidden_sizes,
            convolutions: self.convolutions.clone(),
            activation: usual.activation,
            seed: self.seed,
        })
    }

    fn text(&self, lesson: &ImitationData, learnt: &Imitation) -> String {
        let best = &learnt.losses[learnt.best_epoch - 1];
        let folder = self.output.display();
        format!(
            "{} demonstrations, {} steps; best of {} epochs: {}, {}\npolicy: {folder}/{POLICY}\n\
             next:   insonate evaluate {folder}\n        insonate train {} --from-policy {folder}",
            lesson.n_demonstrations,
            lesson.n_steps,
            learnt.losses.len(),
            learnt.best_epoch,
            losses_text(best),
            self.task
        )
    }
}

fn in_round(round: usize) -> String {
    match round {
        0 => String::new(),
        round => format!(" of round {round}"),
    }
}

/// A line about a round that ended.
fn round_text(round: &Round, n_rounds: usize) -> String {
    let rate = round.success_rate.map_or_else(String::new, |rate| {
        format!(", {:.1} % succeeded", 100.0 * rate)
    });
    let validation = round
        .validation_loss
        .map_or_else(String::new, |loss| format!(", validation {loss:.5}"));
    format!(
        "round {} of {n_rounds}: {} episodes{rate}; {} samples, loss {:.5}{validation}",
        round.round, round.episodes, round.steps, round.training_loss
    )
}

fn losses_text(losses: &EpochLosses) -> String {
    let training = losses.training;
    if losses.validation.is_nan() {
        return format!("loss {training:.5}, no validation with one demonstration");
    }
    format!("loss {training:.5}, validation {:.5}", losses.validation)
}
