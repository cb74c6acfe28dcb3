//! `insonate completions` and `insonate man`: what a shell and `man` know of the commands.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use insonate::files::write;

use super::{Cli, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate completions bash > ~/.local/share/bash-completion/completions/insonate
  insonate completions zsh > ~/.zfunc/_insonate
  insonate completions fish > ~/.config/fish/completions/insonate.fish")]
pub(crate) struct Completions {
    /// Shell whose script is printed.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "insonate", &mut script);
        print(String::from_utf8(script)?.trim_end())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate man --output ~/.local/share/man/man1
  man insonate-scan")]
pub(crate) struct Man {
    /// Folder for one page per command.
    #[arg(long, short, value_name = "DIR", default_value = "output/man")]
    output: PathBuf,
}

impl Man {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let folder = &self.output;
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let mut root = Cli::command();
        root.build();
        let n_pages = self.write_page(&root, "insonate")?;
        print(&format!("{n_pages} pages in {}", folder.display()))
    }

    /// Writes the page of a command and those of its subcommands; returns their number.
    fn write_page(&self, command: &clap::Command, name: &str) -> anyhow::Result<usize> {
        let mut page = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut page)?;
        write(self.output.join(format!("{name}.1")), &page)?;
        let mut n_pages = 1;
        for inner in command.get_subcommands() {
            if inner.get_name() != "help" {
                n_pages += self.write_page(inner, &format!("{name}-{}", inner.get_name()))?;
            }
        }
        Ok(n_pages)
    }
}
