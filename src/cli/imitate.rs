//! `insonate imitate`.

use std::path::PathBuf;

use clap::Args;
use insonate::demonstrations::{ImitationData, imitate, imitation_json, losses_csv};
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
  insonate evaluate output/imitate --episodes 200
  insonate train probe-sweep --from-policy output/imitate --output output/better

Reads LeRobot folders (v3.0) and robomimic files; one demonstration of ten is for validation, or the last of fewer.")]
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
    /// Seed of the weights and of the order of samples.
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
        let lesson = ImitationData::read(&self.data, &self.task, &overrides.env)?;
        let folder = self.overwrite.folder(&self.output, "imitate")?;
        let interrupt = Interrupt::listen()?;
        let template = "{wide_bar} {pos}/{len} epochs  {msg}  {elapsed} (left {eta})";
        let bar = bar(config.epochs, template)?;
        let learnt = imitate(&lesson, &config, &mut |losses| {
            bar.set_position(losses.epoch as u64);
            bar.set_message(losses_text(losses));
            interrupt.flow()
        });
        bar.finish_and_clear();
        let learnt = learnt?;
        learnt.policy.save(&folder.file(POLICY)?)?;
        folder.write("losses.csv", losses_csv(&learnt.losses).as_bytes())?;
        let summary = imitation_json(&lesson, &learnt, &config, &self.data, &self.output);
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

fn losses_text(losses: &EpochLosses) -> String {
    let training = losses.training;
    if losses.validation.is_nan() {
        return format!("loss {training:.5}, no validation with one demonstration");
    }
    format!("loss {training:.5}, validation {:.5}", losses.validation)
}
