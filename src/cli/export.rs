//! `insonate export`.

use std::path::{Path, PathBuf};

use clap::Args;
use insonate::evaluation::exported_policy;
use insonate::files;
use insonate::rl::Policy;
use serde_json::json;

use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate export output/sweep
  insonate export data/policies/probe-sweep/policy.safetensors --onnx sweep.onnx

The model takes `observation` [batch, n], as the environment gives it, and gives `action` [batch, m] within its bounds:
normalisation, layers and scaling are inside. Its metadata have task, settings, and of each number name, frame, filter and bounds.
docs/lookup/policy-files.md has the arithmetic of both files.")]
pub(crate) struct Export {
    /// Policy file or training folder.
    policy: String,
    /// ONNX file to write [default: next to the policy file, with the extension .onnx]
    #[arg(long, value_name = "FILE")]
    onnx: Option<PathBuf>,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

impl Export {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (policy, file) = exported_policy(&self.policy)?;
        let onnx = self
            .onnx
            .clone()
            .unwrap_or_else(|| file.with_extension("onnx"));
        let bytes = policy.to_onnx();
        files::write(&onnx, &bytes)?;
        self.tell(&policy, &file, &onnx, bytes.len())
    }

    fn tell(
        &self,
        policy: &Policy,
        file: &Path,
        onnx: &Path,
        n_bytes: usize,
    ) -> anyhow::Result<()> {
        let (n_obs, n_actions) = (policy.observation_space.len(), policy.action_space.len());
        if self.json {
            let written = json!({
                "task": policy.identity.task,
                "policy_file": file,
                "onnx": onnx,
                "bytes": n_bytes,
                "observation": ["batch", n_obs],
                "action": ["batch", n_actions],
            });
            return print(&serde_json::to_string_pretty(&written)?);
        }
        print(&format!(
            "{}: observation [batch, {n_obs}] to action [batch, {n_actions}], {n_bytes} bytes\nfrom {}\nto   {}",
            policy.identity.task,
            file.display(),
            onnx.display()
        ))
    }
}
