//! Trains a policy on a task, and compares it with the task's scripted one on the same episodes.
//!
//! `cargo run --release --example train_policy -- [TASK] [STEPS]`

#![expect(clippy::print_stdout, reason = "an example tells its result")]

use std::path::Path;

use insonate::envs::ResetOptions;
use insonate::evaluation::{
    Contestant, Schedule, difference, difference_table, evaluate, result_table,
};
use insonate::training::{Event, Given, Plan, Start, train};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().unwrap_or_else(|| "reacher".to_owned());
    let steps = arguments.next().unwrap_or_else(|| "300000".to_owned());

    // Settings are the task's usual ones and what is given over them.
    let mut given = Given::default();
    given.set(&format!("ppo.total_timesteps={steps}"))?;
    let folder = Path::new("output/train_policy");
    let plan = Plan::new(Some(&task), &given, folder, Start::Overwrite)?;
    train(&plan, &|| false, &mut |event| {
        if let Event::Evaluated(evaluation) = event {
            let (step, mean) = (evaluation.global_step, evaluation.return_mean);
            println!("step {step}: return {mean:.2}");
        }
    })?;

    let names = [folder.display().to_string(), "scripted".to_owned()];
    let schedule = Schedule {
        seeds: vec![0],
        n_episodes: 100,
        options: ResetOptions::default(),
        n_envs: 8,
        n_threads: 0,
    };
    let contestants = Contestant::find_all(&names, None, &toml::Table::new())?;
    let mut results = Vec::new();
    for contestant in &contestants {
        let result = evaluate(contestant, &schedule, &mut |_| ())?;
        println!("\n{}", result_table(&result));
        results.push(result);
    }
    match difference(&results[0], &results[1]) {
        Ok(difference) => println!("\n{}", difference_table(&difference)),
        Err(problem) => println!("\nnot the same episodes: {problem}"),
    }
    Ok(())
}
