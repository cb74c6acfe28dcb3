//! Which program reports the force of a soft block on a rigid tool how well, and for how much processor time: the table of
//! `docs/trust/tissue.md`, as JSON.
//!
//! ```text
//! python3 -m venv target/peers/newton && target/peers/newton/bin/pip install newton==1.8.0 warp-lang==1.19.0
//! python3 -m venv target/peers/mujoco-3.17 && target/peers/mujoco-3.17/bin/pip install mujoco==3.17.0
//! python3 -m venv target/peers/mujoco-4.0 && target/peers/mujoco-4.0/bin/pip install mujoco==4.0.0
//! cargo run --release -p insonate-sim --example force_peers -- --newton target/peers/newton/bin/python \
//!     --mujoco target/peers/mujoco-3.17/bin/python --mujoco target/peers/mujoco-4.0/bin/python
//! ```
//!
//! Without options it presses with insonate's solvers only. The reference takes most of half an hour.

#![expect(clippy::print_stdout, reason = "the table is the result")]
#![expect(clippy::print_stderr, reason = "it takes long")]

#[path = "../tests/soft_block/mod.rs"]
mod soft_block;

use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::{Map, Value, json};
use soft_block::motion::{GAP, HOLD, Measured, READ, SPEED, STEP};
use soft_block::reference::{self, Law, Resolution};
use soft_block::{CASES, Case, HEIGHT, POISSON, Tool, contestants, flex};

/// Widths of cells [m].
const CELLS: [f64; 2] = [0.01, 0.005];
/// Iterations of Newton's solver in a step, by default and more, for each of them.
const ITERATIONS: [&[u32]; 2] = [&[10, 50], &[10]];
/// Presses the block of a case with cells of a width [m].
type Press = fn(&Case, f64) -> Measured;

/// Names of the columns of forces, in the order of the cases.
const COLUMNS: [&str; 5] = ["punch", "ball", "layers", "stick", "slide"];

/// Forces on the tool in the columns [N]. The force of the press before a drag is not in them.
fn columns(cases: &[Vec<f64>]) -> Vec<f64> {
    let pairs = CASES.iter().zip(cases);
    let of_case = |(case, forces): (&Case, &Vec<f64>)| {
        let first = usize::from(!case.drags.is_empty());
        forces[first..].to_vec()
    };
    pairs.flat_map(of_case).collect()
}

/// The finest grid of a case, and a coarser one.
fn resolutions(case: &Case) -> [Resolution; 2] {
    let grid = |finest: f64, growth: f64| Resolution {
        finest,
        growth,
        per_quarter: 2,
    };
    match (case.tool, case.drags.is_empty()) {
        (Tool::Punch { .. }, _) => [grid(5e-4, 1.6), grid(1e-3, 1.6)],
        (Tool::Ball { .. }, true) => [grid(2e-3, 1.35), grid(3e-3, 1.5)],
        (Tool::Ball { .. }, false) => [grid(3e-3, 1.5), grid(4e-3, 1.6)],
    }
}

/// The columns by the reference with a law, on the finest grid or on the coarser one; with Hooke's law those without friction.
fn reference(law: Law, grid: usize) -> Vec<f64> {
    let is_in = |case: &&Case| law == Law::NeoHookean || case.drags.is_empty();
    let one = |case: &Case| reference::forces(case, law, resolutions(case)[grid]);
    let found = std::thread::scope(|scope| {
        let all: Vec<_> = CASES
            .iter()
            .filter(is_in)
            .map(|case| scope.spawn(move || one(case)))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<f64>>| {
            thread.join().expect("there is an equilibrium")
        };
        all.into_iter().map(join).collect::<Vec<_>>()
    });
    columns(&found)
}

/// A row of the table; forces are compared with those of the reference.
fn row(
    program: &str,
    cell: &str,
    cases: &[Vec<f64>],
    cpu: &[Option<f64>],
    wanted: &[f64],
) -> Value {
    let errors: Vec<f64> = columns(cases)
        .iter()
        .zip(wanted)
        .map(|(force, wanted)| 100.0 * (force / wanted - 1.0))
        .collect();
    let mut row = named(&errors, |error| format!("{error:+.1} %").replace('-', "−"));
    row.insert("program".to_owned(), program.into());
    row.insert("cell".to_owned(), cell.into());
    // The ball's.
    let cpu = cpu.get(1).copied().flatten();
    row.insert(
        "cpu".to_owned(),
        cpu.map_or(Value::Null, |cpu| rounded(cpu).into()),
    );
    eprintln!("{}", Value::Object(row.clone()));
    Value::Object(row)
}

/// Two significant digits.
fn rounded(seconds: f64) -> String {
    let decimals = (1.0 - seconds.log10().floor()).max(0.0) as usize;
    format!("{seconds:.decimals$} s")
}

fn named(values: &[f64], text: impl Fn(f64) -> String) -> Map<String, Value> {
    let pairs = COLUMNS.iter().zip(values);
    pairs
        .map(|(name, value)| ((*name).to_owned(), text(*value).into()))
        .collect()
}

/// What the other programs read: mesh, tools, motions and MJCF.
fn write_problem(folder: &Path, cell: f64) -> std::io::Result<std::path::PathBuf> {
    let mesh = contestants::mesh(cell);
    let mut cases = Vec::new();
    for case in &CASES {
        let scene = folder.join(format!("{}.xml", case.name));
        std::fs::write(&scene, flex::scene(case, cell))?;
        let (tool, radius) = match case.tool {
            Tool::Ball { radius } => ("ball", radius),
            Tool::Punch { radius } => ("punch", radius),
        };
        cases.push(json!({
            "name": case.name, "tool": tool, "radius": radius, "half_length": contestants::HALF_LENGTH, "depth": case.depth,
            "friction": case.friction, "drags": case.drags, "young": contestants::moduli(case, &mesh), "scene": scene,
        }));
    }
    let problem = json!({
        "points": mesh.positions, "tets": mesh.tets, "fixed": contestants::base(&mesh), "poisson": POISSON, "height": HEIGHT,
        "gap": GAP, "speed": SPEED, "hold": HOLD, "read": READ, "step": STEP, "cases": cases,
    });
    let path = folder.join("problem.json");
    std::fs::write(&path, problem.to_string())?;
    Ok(path)
}

/// Name of a program, forces of the cases [N], and processor time of a simulated second in them [s].
type Found = (String, Vec<Vec<f64>>, Vec<Option<f64>>);

/// Runs a script of `python/benches` and returns the name of the program, forces [N] and processor time [s]. `None`, with a message, if it fails.
fn peer(python: &str, script: &str, problem: &Path, more: &[String]) -> Option<Found> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../python/benches")
        .join(script);
    let mut command = Command::new(python);
    command.arg(script).arg(problem).args(more);
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
        command.env(variable, "1");
    }
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let found: Option<Value> = output
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| {
            let text = String::from_utf8(output.stdout).ok()?;
            serde_json::from_str(text.lines().last()?).ok()
        });
    let Some(found) = found else {
        eprintln!("`{python}` could not run the script");
        return None;
    };
    let case = |case: &Case| &found["cases"][case.name];
    let numbers = |list: &Value| {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect()
    };
    Some((
        found["program"].as_str()?.to_owned(),
        CASES
            .iter()
            .map(|own| numbers(&case(own)["forces"]))
            .collect(),
        CASES.iter().map(|own| case(own)["cpu"].as_f64()).collect(),
    ))
}

/// The Python environments of other programs.
#[derive(Default)]
struct Peers {
    newton: Vec<String>,
    mujoco: Vec<String>,
}

impl Peers {
    /// Reads the arguments, and checks that each environment has its program, before anything takes long.
    fn from_arguments() -> Result<Self, String> {
        let mut peers = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(option) = arguments.next() {
            let (module, list) = match option.as_str() {
                "--newton" => ("newton", &mut peers.newton),
                "--mujoco" => ("mujoco", &mut peers.mujoco),
                _ => {
                    return Err(format!(
                        "{option} is no option: --newton PYTHON, --mujoco PYTHON"
                    ));
                }
            };
            let python = arguments
                .next()
                .ok_or_else(|| format!("{option} needs the path of a Python"))?;
            let import = Command::new(&python)
                .args(["-c", &format!("import {module}")])
                .status();
            match import {
                Ok(status) if status.success() => list.push(python),
                Ok(_) => return Err(format!("{option} {python}: it cannot import {module}")),
                Err(error) => return Err(format!("{option} {python}: {error}")),
            }
        }
        Ok(peers)
    }
}

fn main() -> ExitCode {
    let peers = match Peers::from_arguments() {
        Ok(peers) => peers,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let wanted = reference(Law::NeoHookean, 0);
    let mut forces = named(&wanted, |force| format!("{force:.3} N"));
    forces.insert("program".to_owned(), "finite elements: force".into());
    let mut rows = vec![Value::Object(forces)];
    for (name, law, grid) in [
        ("the same, coarser", Law::NeoHookean, 1),
        ("the same, Hooke's law", Law::Linear, 0),
    ] {
        let found = reference(law, grid);
        let errors: Vec<f64> = found
            .iter()
            .zip(&wanted)
            .map(|(own, wanted)| 100.0 * (own / wanted - 1.0))
            .collect();
        let mut row = named(&errors, |error| format!("{error:+.1} %").replace('-', "−"));
        row.insert("program".to_owned(), name.into());
        rows.push(Value::Object(row));
    }
    for row in &rows {
        eprintln!("{row}");
    }
    let solvers: [(&str, Press); 4] = [
        ("`elastic`", contestants::elastic),
        ("`xpbd`", contestants::xpbd),
        ("`mpm`", contestants::mpm),
        ("`flex`", flex::flex),
    ];
    for (name, solver) in solvers {
        for cell in CELLS {
            let found: Vec<Measured> = CASES.iter().map(|case| solver(case, cell)).collect();
            let forces: Vec<Vec<f64>> = found.iter().map(|own| own.forces.clone()).collect();
            let cpu: Vec<Option<f64>> = found.iter().map(|own| own.cpu).collect();
            rows.push(row(name, &millimetres(cell), &forces, &cpu, &wanted));
        }
    }
    let mut n_failed = 0;
    for (cell, iterations) in CELLS.into_iter().zip(ITERATIONS) {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let problem = write_problem(folder.path(), cell).expect("the folder takes files");
        let mut add = |name: &str, found: Option<Found>| match found {
            Some((program, forces, cpu)) => {
                let name = format!("{program}, {name}");
                rows.push(row(&name, &millimetres(cell), &forces, &cpu, &wanted));
            }
            None => n_failed += 1,
        };
        for (python, n) in peers
            .newton
            .iter()
            .flat_map(|python| iterations.iter().map(move |n| (python, n)))
        {
            let found = peer(python, "force_newton.py", &problem, &[n.to_string()]);
            add(&format!("VBD, {n} iterations"), found);
        }
        for python in &peers.mujoco {
            add("flex", peer(python, "force_mujoco.py", &problem, &[]));
        }
    }
    println!("{}", json!({ "rows": rows }));
    if n_failed > 0 {
        eprintln!("error: {n_failed} runs of other programs failed; their rows are missing");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn millimetres(length: f64) -> String {
    format!("{:.0} mm", 1e3 * length)
}
