//! Contract: `insonate demo` scans a patient, and its page holds the film and loads nothing.

mod command;

use std::fs;

use command::{done, json, refused};

#[test]
fn the_demo_makes_a_page_with_its_film() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("demo");
    let output = folder.to_str().unwrap();
    let summary = json(&["demo", "--no-pictures", "--output", output]);
    assert_eq!(summary["verdict"], "passed");
    assert!(summary["force_mae_n"].as_f64().unwrap() < 0.5, "{summary}");

    let film = fs::read(folder.join("film.gif")).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(&film[..]).unwrap();
    // Without pictures: ultrasound, and the force below it.
    assert_eq!((decoder.width(), decoder.height()), (360, 360 + 144));
    let mut n_frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        n_frames += 1;
    }
    // 9 cm at 4 cm/s, and ten frames a second.
    assert!((20..30).contains(&n_frames), "{n_frames}");

    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("src=\"data:image/gif;base64,R0lGODlh"));
    assert!(page.contains(">passed<") && page.contains("<svg"));
    assert!(!page.contains("://") && !page.contains("<script"));
    // The commands that it advises exist.
    let commands = page.split("<pre>").skip(1);
    let commands: Vec<&str> = commands
        .filter_map(|part| part.split("</pre>").next())
        .collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words[0], "insonate");
        let help = done(&[words[1], "--help"]);
        let options = words.iter().filter(|word| word.starts_with("--"));
        assert!(
            options.into_iter().all(|option| help.contains(option)),
            "{command}"
        );
    }
    let line = refused(&["scan", "--no-pictures", "--output", output], 1);
    assert!(line.contains("insonate demo"), "{line}");
}
