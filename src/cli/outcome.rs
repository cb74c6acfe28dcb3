//! The output of commands that run an experiment: folder, progress bar, pictures, summary.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use indicatif::ProgressBar;
use insonate::datasets::mcap::{Dialect, McapLog};
use insonate::experiments::{
    BModeFilm, ExperimentError, FilmSettings, Pictures, Plot, Record, Summary,
};
use insonate::files::OutputFolder;
use insonate::models::Scene;
use insonate::report::record_log;
use insonate::sim::render::RenderConfig;

use super::interrupt::Interrupt;
use super::number_list;
use super::output_folder::OverwriteArg;
use super::patient_args::Person;
use super::progress_bar::named_bar;
use super::scanner_args::ScannerArgs;
use super::verdict_args::ending;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(next_help_heading = "RunOutput")]
pub(crate) struct RunOutputArgs {
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
    /// Do not render pictures.
    #[arg(long)]
    no_pictures: bool,
    /// Also write log.mcap, for Foxglove and PyPI's mcap, and ros2.mcap, with the messages of ROS 2.
    #[arg(long)]
    pub(crate) mcap: bool,
    /// Size of the pictures [pixels].
    #[arg(long, value_name = "WxH", default_value = "960x720", value_parser = picture_size)]
    picture_size: (u32, u32),
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Seed of random sites and paths, if they are not given.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// A running experiment's surroundings.
#[derive(Debug)]
pub(crate) struct RunOutput {
    folder: OutputFolder,
    /// Names of the files that are written.
    written: RefCell<Vec<String>>,
    bar: ProgressBar,
    json: bool,
    mcap: bool,
    doing: &'static str,
    pictures: Option<RenderConfig>,
    interrupt: Interrupt,
}

impl RunOutputArgs {
    /// Makes the folder of a command and writes the scene into it.
    pub(crate) fn start(
        &self,
        scene: &Scene,
        output: &Path,
        command: &str,
        doing: &'static str,
    ) -> anyhow::Result<RunOutput> {
        if self.mcap {
            McapLog::check_built()?;
        }
        let folder = self.overwrite.folder(output, command)?;
        folder.write("scene.xml", scene.to_mjcf()?.to_xml()?.as_bytes())?;
        let bar = named_bar(doing)?;
        let (width, height) = self.picture_size;
        let config = RenderConfig::still(width, height);
        Ok(RunOutput {
            folder,
            written: RefCell::default(),
            bar,
            json: self.json,
            mcap: self.mcap,
            doing,
            pictures: (!self.no_pictures).then_some(config),
            interrupt: Interrupt::listen()?,
        })
    }

    /// A film of ultrasound.
    pub(crate) fn b_mode(
        &self,
        scene: &Scene,
        person: &Person,
        scanner: &ScannerArgs,
        persistence: f64,
    ) -> anyhow::Result<BModeFilm> {
        let settings = FilmSettings {
            seed: self.seed.unwrap_or(0),
            has_camera: !self.no_pictures,
            controls: scanner.controls(),
            persistence,
        };
        let film = match person {
            Person::Own(own) => {
                let phantom = own.phantom().map_err(Usage::new)?;
                BModeFilm::of_phantom(scene, Arc::new(phantom), &settings)
            }
            Person::Nobody | Person::Adult(_) => BModeFilm::new(scene, &settings),
        };
        film.map_err(|error| match error {
            ExperimentError::NoOrgans
            | ExperimentError::Model(_)
            | ExperimentError::Ultrasound(_) => Usage::new(error).into(),
            other => other.into(),
        })
    }
}

impl RunOutput {
    /// Takes pictures; shows progress, and breaks off after Ctrl-C.
    pub(crate) fn observers(&self) -> (Pictures, impl FnMut(f64) -> ControlFlow<()> + use<>) {
        let (bar, interrupt) = (self.bar.clone(), self.interrupt.clone());
        let pictures = self.pictures.map_or_else(Pictures::none, Pictures::sized);
        (pictures, move |share: f64| {
            bar.set_position((1000.0 * share) as u64);
            interrupt.flow()
        })
    }

    /// Writes everything and prints the summary; an interrupted experiment has no plots.
    pub(crate) fn finish(
        self,
        record: &Record,
        summary: &Summary,
        pictures: &Pictures,
        plots: impl FnOnce() -> anyhow::Result<Vec<(&'static str, Plot)>>,
    ) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        self.write("log.csv", record.to_csv().as_bytes())?;
        if self.mcap {
            for (name, dialect) in Dialect::ALL {
                self.write(
                    name,
                    &record_log(record, pictures.b_mode.as_ref(), dialect)?,
                )?;
            }
        }
        let json = serde_json::to_string_pretty(summary)?;
        self.write("summary.json", format!("{json}\n").as_bytes())?;
        self.interrupt.saved(self.saved());
        if !self.interrupt.is_interrupted() {
            for (name, plot) in plots()? {
                self.write(name, plot.svg.as_bytes())?;
            }
        }
        self.write_pictures(pictures)?;
        for note in &record.notes {
            eprintln!("note: {note}");
        }
        for warning in &summary.warnings {
            eprintln!("warning: {warning}");
        }
        if self.json {
            print(&json)?;
            self.end()?;
            return ending(&summary.verdict, self.doing);
        }
        let value = serde_json::to_value(summary)?;
        let figures = value.as_object().into_iter().flatten();
        let line = |(name, figure): (&String, &serde_json::Value)| {
            Some(format!("{name:<20} {:>12.4}", figure.as_f64()?))
        };
        let verdict = summary.verdict.outcome.name();
        let mut lines = vec![format!("{:<20} {verdict:>12}", "verdict")];
        lines.extend(figures.filter_map(line));
        if !self.interrupt.is_interrupted() {
            let folder = self.folder.path().display();
            lines.push(format!("\nlog, plots and pictures: {folder}"));
        }
        print(&lines.join("\n"))?;
        self.end()?;
        ending(&summary.verdict, self.doing)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.folder.write(name, content)?;
        self.written.borrow_mut().push(name.to_owned());
        Ok(())
    }

    /// What is saved, and where.
    fn saved(&self) -> String {
        let names = self.written.borrow().join(", ");
        format!("saved {names} in {}", self.folder.path().display())
    }

    /// How the command ends: as interrupted, or well.
    fn end(&self) -> anyhow::Result<()> {
        if self.interrupt.is_interrupted() {
            return Err(self.interrupt.error(self.saved()).into());
        }
        Ok(())
    }

    /// Writes files and pictures; prints the summary as JSON, or lines for people.
    pub(crate) fn finish_files(
        self,
        files: &[(String, Vec<u8>)],
        summary: &serde_json::Value,
        lines: &[String],
        pictures: &Pictures,
    ) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        for (name, content) in files {
            self.write(name, content)?;
        }
        self.interrupt.saved(self.saved());
        self.write_pictures(pictures)?;
        if self.json {
            print(&serde_json::to_string_pretty(summary)?)?;
        } else {
            print(&lines.join("\n"))?;
            if !self.interrupt.is_interrupted() {
                print(&format!("logs: {}", self.folder.path().display()))?;
            }
        }
        self.end()
    }

    fn write_pictures(&self, pictures: &Pictures) -> anyhow::Result<()> {
        for (camera, frame) in &pictures.frames {
            let name = format!("{camera}.png");
            frame.write_rgb(&self.folder.file(&name)?)?;
            self.written.borrow_mut().push(name);
        }
        if let Some(b_mode) = &pictures.b_mode {
            for (name, file) in b_mode.files()? {
                self.write(name, &file)?;
            }
            self.interrupt.saved(self.saved());
            // Compressing a film takes longer than whoever interrupts wants to wait.
            if !self.interrupt.is_interrupted()
                && let Some((name, film)) = b_mode.film()?
            {
                self.write(name, &film)?;
            }
        }
        if let Some(problem) = &pictures.problem {
            eprintln!("note: no pictures: {problem}");
        }
        Ok(())
    }
}

/// Two numbers between commas.
pub(crate) fn point(text: &str) -> Result<[f64; 2], String> {
    number_list::finite(text).ok_or_else(|| "two numbers, such as 0.02,-0.05".to_owned())
}

pub(crate) fn picture_size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text
        .split_once('x')
        .ok_or("width x height, such as 960x720")?;
    let side = |word: &str| {
        word.parse::<u32>()
            .ok()
            .filter(|n| (16..=4096).contains(n))
            .ok_or("each side must be between 16 and 4096 pixels")
    };
    Ok((side(width)?, side(height)?))
}
