//! `insonate bench gpu`.

use std::time::{Duration, Instant};

use clap::Args;
use insonate::experiments::{Backend, Device};
use serde_json::{Value, json};

use super::b_mode::BModeBench;
use super::env::EnvBench;
use super::tissue::TissueBench;
use crate::cli::print;

#[derive(Debug, Args)]
pub(super) struct GpuBench {
    /// Small sizes alone, for a software driver.
    #[arg(long)]
    quick: bool,
    /// Time after which no row begins [s]. A row begins only if it is expected to end before.
    #[arg(long, value_name = "S", default_value_t = 450.0)]
    time: f64,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    json: bool,
}

/// A table: what its rows measure, their sizes in ascending order, the figure to show, and the measurement of a size.
struct Table {
    name: &'static str,
    figure: &'static str,
    sizes: Vec<usize>,
    measure: fn(usize) -> anyhow::Result<Value>,
}

impl GpuBench {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            (1.0..=1e6).contains(&self.time),
            "--time is {} s; it must be between 1 and 1e6 s",
            self.time
        );
        let backend = Device::Gpu.open()?;
        let device = described(&backend);
        drop(backend);
        let start = Instant::now();
        let limit = Duration::from_secs_f64(self.time);
        let mut tables = serde_json::Map::new();
        for table in tables_of(self.quick) {
            if !self.json {
                print(&format!("{}: {}", table.name, table.figure))?;
            }
            let rows = self.rows(&table, start, limit)?;
            tables.insert(table.name.to_owned(), rows.into());
        }
        if self.json {
            let all = json!({
                "device": device,
                "quick": self.quick,
                "seconds": start.elapsed().as_secs_f64(),
                "tables": tables,
            });
            return print(&serde_json::to_string_pretty(&all)?);
        }
        print(&format!(
            "on {}",
            device["name"].as_str().unwrap_or_default()
        ))
    }

    /// The rows of a table. One that the GPU has no room for, or no time is left for, says so in place of figures.
    fn rows(&self, table: &Table, start: Instant, limit: Duration) -> anyhow::Result<Vec<Value>> {
        let mut rows = Vec::new();
        // Time of the last row and its size.
        let mut last: Option<(Duration, usize)> = None;
        for &size in &table.sizes {
            let expected = last.map_or(Duration::ZERO, |(time, before)| {
                time.mul_f64(size as f64 / before as f64)
            });
            let row = if start.elapsed() + expected > limit {
                json!({ "size": size, "problem": "no time is left" })
            } else {
                let begin = Instant::now();
                let figures = (table.measure)(size);
                last = Some((begin.elapsed(), size));
                match figures {
                    Ok(figures) => json!({ "size": size, "figures": figures }),
                    Err(error) => json!({ "size": size, "problem": format!("{error:#}") }),
                }
            };
            if !self.json {
                let figure = row["figures"][table.figure].as_f64();
                let problem = row["problem"].as_str().unwrap_or_default();
                let figure = figure.map_or(problem.to_owned(), |figure| format!("{figure:.1}"));
                print(&format!("{size:>10} {figure:>14}"))?;
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

fn tables_of(quick: bool) -> Vec<Table> {
    let sizes =
        |quick_sizes: &[usize], all: &[usize]| if quick { quick_sizes } else { all }.to_vec();
    vec![
        Table {
            name: "torsos",
            figure: "env_steps_per_second",
            sizes: sizes(&[1, 4], &[1, 4, 16, 64, 256, 1024, 4096]),
            measure: if quick {
                |envs| EnvBench::on_gpu(envs, 1, &["scene.torso=xpbd"]).figures()
            } else {
                |envs| EnvBench::on_gpu(envs, 5, &["scene.torso=xpbd"]).figures()
            },
        },
        Table {
            name: "xpbd",
            figure: "world_frames_per_second",
            sizes: sizes(&[1, 8], &[1, 32, 256, 1024, 4096]),
            measure: if quick {
                |worlds| TissueBench::tets_on_gpu(worlds, 2).measure()
            } else {
                |worlds| TissueBench::tets_on_gpu(worlds, 20).measure()
            },
        },
        Table {
            name: "mpm",
            figure: "frames_per_second",
            sizes: sizes(&[2_000], &[24_000, 200_000, 1_000_000]),
            measure: if quick {
                |particles| TissueBench::particles_on_gpu(particles, 64, 2).measure()
            } else {
                |particles| {
                    let grid = if particles > 500_000 { 128 } else { 64 };
                    TissueBench::particles_on_gpu(particles, grid, 20).measure()
                }
            },
        },
        Table {
            name: "b_mode",
            figure: "frames_per_second",
            sizes: sizes(&[1, 2], &[1, 8, 64]),
            measure: if quick {
                |batch| BModeBench::on_gpu(batch, 64, 2).measure()
            } else {
                |batch| BModeBench::on_gpu(batch, 512, 128).measure()
            },
        },
        Table {
            name: "mpm_torsos",
            figure: "env_steps_per_second",
            sizes: sizes(&[1, 2], &[1, 4, 16, 64, 256, 1024]),
            measure: if quick {
                |envs| {
                    let settings = ["scene.torso=mpm", "scene.tissue.spacing=0.06"];
                    EnvBench::on_gpu(envs, 1, &settings).figures()
                }
            } else {
                |envs| EnvBench::on_gpu(envs, 3, &["scene.torso=mpm"]).figures()
            },
        },
    ]
}

/// The GPU and its driver.
fn described(backend: &Backend) -> Value {
    match backend {
        Backend::Cpu => json!({ "name": backend.name() }),
        #[cfg(feature = "gpu")]
        Backend::Gpu(gpu) => {
            let info = gpu.describe();
            json!({
                "name": info.name,
                "driver": info.driver,
                "backend": info.backend,
                "is_software": info.is_software,
            })
        }
    }
}
