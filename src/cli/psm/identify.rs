//! `insonate psm identify`: recorded motions in, parameters out.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use insonate::dvrk::classic;
use insonate::dvrk::identification::{
    AngleUnit, Coordinates, Filtering, Identification, LengthUnit, Method, MotionLog, Reading,
    TorqueSign,
};
use insonate::report::IdentificationReport;

use crate::cli::output_folder::OverwriteArg;
use crate::cli::print;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate psm identify one.csv --test two.csv --rate 200 --coordinates motor
  insonate psm identify one.csv --test two.csv --method wls --json
  insonate psm identify one.csv --test two.csv --cutoff published
  insonate psm identify one.csv --payload one_105g.csv --output output/payload

A log has 21 numbers per line, q1..q7, dq1..dq7, tau1..tau7, in rad, m, N m and N, or a header that names these columns,
also as ROS topics do (position[0], /PSM1/measured_js.position[0]); a time column gives the rate.
It may also be a NumPy, Parquet, HDF5, MATLAB or spreadsheet file with such columns, or with arrays q, dq and tau.
The folder holds report.html (open it in a browser), result.json, and every plot as SVG and PNG.")]
pub(crate) struct Identify {
    /// The log to fit: an excitation of all joints, at least 5 s.
    #[arg(value_name = "TRAIN")]
    train: PathBuf,
    /// Log of another motion, to validate the result.
    #[arg(long, value_name = "LOG")]
    test: Option<PathBuf>,
    /// Log of the same arm with a compact payload on the carriage; its mass and place are identified.
    #[arg(long, value_name = "LOG")]
    payload: Option<PathBuf>,
    /// Sample rate of the logs [Hz] [default: from the time column, or 200].
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    /// Sample rate of the payload's log [Hz] [default: as --rate].
    #[arg(long, value_name = "HZ", requires = "payload")]
    payload_rate: Option<f64>,
    /// Unit of the logs' angles.
    #[arg(long, value_enum, default_value_t = AngleArg::Radians)]
    angles: AngleArg,
    /// Unit of the logs' insertion.
    #[arg(long, value_enum, default_value_t = LengthArg::Metres)]
    lengths: LengthArg,
    /// Sense of the torques in the logs: of the motors on the arm, or of the arm on its motors.
    #[arg(long, value_enum, default_value_t = TorqueArg::Motor)]
    torques: TorqueArg,
    /// Coordinates of the logs: joints of the mechanism, or motors.
    #[arg(long, value_enum, default_value_t = CoordinatesArg::Motor)]
    coordinates: CoordinatesArg,
    /// Method: ordinary or weighted least squares, or the weighted fit constrained to physically possible bodies.
    #[arg(long, value_enum, default_value_t = MethodArg::Sdp)]
    method: MethodArg,
    /// Cut-off of the zero-phase low-pass [Hz], or `published`: 16.96 Hz and an unfiltered regressor, as in Wang et al. 2019.
    #[arg(long, value_name = "HZ", default_value = "5.4", value_parser = filtering)]
    cutoff: Filtering,
    /// Folder for the report and plots.
    #[arg(long, short, value_name = "DIR", default_value = "output/identify")]
    output: PathBuf,
    #[command(flatten)]
    overwrite: OverwriteArg,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CoordinatesArg {
    Joint,
    Motor,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodArg {
    Ols,
    Wls,
    Sdp,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum AngleArg {
    Radians,
    Degrees,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LengthArg {
    Metres,
    Millimetres,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TorqueArg {
    Motor,
    Reaction,
}

impl Identify {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let folder = self.overwrite.folder(&self.output, "psm identify")?;
        let coordinates = match self.coordinates {
            CoordinatesArg::Joint => Coordinates::Joint,
            CoordinatesArg::Motor => Coordinates::Motor,
        };
        let method = match self.method {
            MethodArg::Ols => Method::Ols,
            MethodArg::Wls => Method::Wls,
            MethodArg::Sdp => Method::Sdp,
        };
        let reading = Reading {
            rate_hz: self.rate,
            coordinates,
            angles: match self.angles {
                AngleArg::Radians => AngleUnit::Radians,
                AngleArg::Degrees => AngleUnit::Degrees,
            },
            lengths: match self.lengths {
                LengthArg::Metres => LengthUnit::Metres,
                LengthArg::Millimetres => LengthUnit::Millimetres,
            },
            torques: match self.torques {
                TorqueArg::Motor => TorqueSign::Motor,
                TorqueArg::Reaction => TorqueSign::Reaction,
            },
        };
        let train = MotionLog::read_with(&self.train, &reading)?;
        let read = |path: &PathBuf| MotionLog::read_with(path, &reading);
        let test = self.test.as_ref().map(read).transpose()?;
        let of_payload = Reading {
            rate_hz: self.payload_rate.or(self.rate),
            ..reading
        };
        let read = |path: &PathBuf| MotionLog::read_with(path, &of_payload);
        let loaded = self.payload.as_ref().map(read).transpose()?;

        let identification = Identification::fit(&classic(), &train, method, self.cutoff)?;
        let payload = loaded
            .as_ref()
            .map(|log| identification.payload(log))
            .transpose()?;
        let report =
            IdentificationReport::new(identification, method, &train, test.as_ref(), payload)?;
        for (name, content) in report.files()? {
            folder.write(&name, &content)?;
        }
        if self.json {
            return print(&serde_json::to_string_pretty(&report.json())?);
        }
        let page = folder.path().join("report.html");
        print(&format!("{}\n\nreport: {}", report.text(), page.display()))
    }
}

/// A cut-off in Hz, or the published filter.
fn filtering(text: &str) -> Result<Filtering, String> {
    if text == "published" {
        return Ok(Filtering::as_published());
    }
    match text.parse::<f64>() {
        Ok(cutoff_hz) if cutoff_hz.is_finite() => Ok(Filtering {
            cutoff_hz,
            ..Filtering::standard()
        }),
        _ => Err("it must be a number of Hz, or published".to_owned()),
    }
}
