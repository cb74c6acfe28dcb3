//! Contract: imitation in rounds labels the states of the policy by the script, says how the policy did, and needs a script.

mod command;

use command::{done, insonate, json, refused, stderr};

#[test]
fn rounds_do_not_depend_on_threads_and_say_how_the_policy_did() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().to_str().expect("the path is text");
    let data = format!("{folder}/set.hdf5");
    let recorded = json(&format!(
        "demonstrate pendulum --expert scripted --episodes 3 --seed 5 --format robomimic --output {data}"
    ));
    assert_eq!(recorded["steps"], 600);
    let learn = |threads: usize| {
        let output = format!("{folder}/learnt-{threads}");
        let output_of = insonate(&format!(
            "imitate pendulum --data {data} --output {output} --epochs 3 --rounds 2 --episodes 5 \
             --expert-share 0.5 --threads {threads} --json"
        ));
        assert!(output_of.status.success(), "{}", stderr(&output_of));
        let summary: serde_json::Value =
            serde_json::from_slice(&output_of.stdout).expect("it is JSON");
        let read = |file: &str| std::fs::read(format!("{output}/{file}")).expect("was written");
        let files = ["policy.safetensors", "losses.csv", "rounds.csv"].map(read);
        (stderr(&output_of), summary, files)
    };
    let ((said, summary, files), (_, _, others)) = (learn(1), learn(2));
    assert!(files == others);
    assert!(said.contains("round 2 of 2: 5 episodes"), "{said}");
    // 3 demonstrations and 5 episodes in each round, of 200 steps; the share is a power.
    for (round, steps, share) in [(0, 1600, 0.5), (1, 2600, 0.25)] {
        let round = &summary["rounds"][round];
        assert_eq!(round["steps"], steps, "{round}");
        assert_eq!(round["expert_share"], share, "{round}");
    }
    assert_eq!(summary["steps"], 2600);
    assert_eq!(summary["plan"]["n_episodes"], 5);
    let table = String::from_utf8(files[2].clone()).expect("it is text");
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn rounds_need_a_script() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().to_str().expect("the path is text");
    let data = format!("{folder}/set.hdf5");
    // The script of find-view decides motions over the skin, not of joints.
    done(&format!(
        "demonstrate find-view --expert zero --episodes 1 --set env.action.mode=joint_velocity \
         --set env.time.limit=0.2 --format robomimic --output {data}"
    ));
    let output = format!("{folder}/learnt");
    let text = refused(
        &format!("imitate find-view --data {data} --output {output} --epochs 1 --rounds 1"),
        2,
    );
    assert!(
        text.contains("rounds: needs a script, which find-view does not have"),
        "{text}"
    );
    assert!(
        !std::path::Path::new(&output)
            .join("policy.safetensors")
            .exists()
    );
    let text = refused(
        &format!("imitate find-view --data {data} --output {output} --episodes 3"),
        2,
    );
    assert!(text.contains("required arguments"), "{text}");
    let text = refused(
        &format!("imitate find-view --data {data} --output {output} --rounds 1 --expert-share 2"),
        2,
    );
    assert!(text.contains("expert-share"), "{text}");
}
