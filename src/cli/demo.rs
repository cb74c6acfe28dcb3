//! `insonate demo`: a short scan of a patient, as a film and a page.

use std::path::PathBuf;

use clap::Args;
use indicatif::ProgressBar;
use insonate::experiments::{
    BModeFilm, FilmSettings, Pictures, Record, Scan, Summary, scan, time_plot,
};
use insonate::files::OutputFolder;
use insonate::models::patients::Physique;
use insonate::models::torsos::Shape;
use insonate::models::{Scene, SceneConfig};
use insonate::report::DemoPage;

use super::interrupt::Interrupt;
use super::output_folder::OverwriteArg;
use super::print;
use super::progress_bar::named_bar;
use super::verdict_args::ending;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate demo
  insonate demo --output output/first --json

A Panda slides a C5-2 probe 9 cm over an adult at 5 N, which takes about half a minute on two cores.
The folder holds index.html (open it in a browser), film.gif, log.csv, force.svg, scene.xml and summary.json.
Without EGL the film shows ultrasound and force alone.")]
pub(crate) struct Demo {
    /// Folder for the page and its files.
    #[arg(long, short, value_name = "DIR", default_value = "output/demo")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Do not render pictures of the scene.
    #[arg(long)]
    no_pictures: bool,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// The path over the liver.
const PATH: [[f64; 2]; 2] = [[-0.06, -0.06], [-0.06, 0.03]];
/// Seed of organs and speckle.
const SEED: u64 = 0;

impl Demo {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let folder = self.overwrite.folder(&self.output, "demo")?;
        let interrupt = Interrupt::listen()?;
        let scene = scene()?;
        folder.write("scene.xml", scene.to_mjcf()?.to_xml()?.as_bytes())?;
        let bar = named_bar("scanning")?;
        let plan = Scan {
            from: PATH[0],
            to: PATH[1],
            ..Scan::default()
        };
        let mut pictures = Pictures::none();
        let film = FilmSettings {
            seed: SEED,
            has_camera: !self.no_pictures,
            ..FilmSettings::default()
        };
        pictures.b_mode = Some(BModeFilm::new(&scene, &film)?);
        let (record, summary) = scan(&scene, &plan, &mut pictures, &mut |share| {
            bar.set_position((1000.0 * share) as u64);
            interrupt.flow()
        })?;
        folder.write("log.csv", record.to_csv().as_bytes())?;
        let json = serde_json::to_string_pretty(&summary)?;
        folder.write("summary.json", format!("{json}\n").as_bytes())?;
        let saved = format!(
            "saved log.csv and summary.json in {}",
            self.output.display()
        );
        if interrupt.is_interrupted() {
            bar.finish_and_clear();
            return Err(interrupt.error(saved).into());
        }
        interrupt.saved(&saved);
        write_page(&record, &summary, &plan, &pictures, &folder, &bar)?;
        bar.finish_and_clear();
        if interrupt.is_interrupted() {
            return Err(interrupt.error(saved).into());
        }
        if self.json {
            print(&json)?;
        } else {
            let page = folder.path().join("index.html");
            print(&format!("{}\nopen: {}", verdict(&summary), page.display()))?;
        }
        ending(&summary.verdict, "scanning")
    }
}

/// A Panda with a C5-2 probe and an adult of mean size.
fn scene() -> anyhow::Result<Scene> {
    let config = SceneConfig {
        shape: Shape::Adult,
        patient: Some(Physique::default()),
        ..SceneConfig::default()
    };
    Ok(config.build()?)
}

/// Writes film, plot and page.
fn write_page(
    record: &Record,
    summary: &Summary,
    plan: &Scan,
    pictures: &Pictures,
    folder: &OutputFolder,
    bar: &ProgressBar,
) -> anyhow::Result<()> {
    bar.set_message("drawing");
    let b_mode = pictures.b_mode.as_ref();
    let problem = b_mode.and_then(|film| film.problem.as_ref());
    if let Some(problem) = problem {
        eprintln!("note: the film has no picture of the scene: {problem}");
    }
    let film = b_mode.map(|film| film.film_with_force(record, plan.force));
    let film = film.transpose()?.flatten();
    let film = film.map(|film| film.to_gif()).transpose()?;
    if let Some(film) = &film {
        folder.write("film.gif", film)?;
    }
    let plot = time_plot(record, "", Some(plan.force), Some(plan.speed))?;
    folder.write("force.svg", plot.svg.as_bytes())?;
    let problem = problem.map(ToString::to_string);
    let page = DemoPage {
        summary,
        force: plan.force,
        speed: plan.speed,
        film: film.as_deref(),
        problem: problem.as_deref(),
        plot: &plot,
    };
    Ok(folder.write("index.html", page.to_html().as_bytes())?)
}

/// The result in one line.
fn verdict(summary: &Summary) -> String {
    format!(
        "{}: {:.1} cm in contact at {:.2} N, mean absolute error {:.2} N",
        summary.verdict.outcome.name(),
        100.0 * summary.path_covered_m.unwrap_or(0.0),
        summary.mean_force_n,
        summary.force_mae_n
    )
}
