//! Writes `softness.toml`: deterministic, with comments for readers.

use std::fmt::Write as _;

use super::{LogEntry, MapEntry, PooledEntry, SceneEntry, SoftnessFile};

const OPENING: &str = "\
# How soft the tissue is, from recorded presses. All numbers are in SI units.
# `insonate scene --softness THIS_FILE` gives a torso this stiffness and damping; so do press, scan, render and view.
";

impl SoftnessFile {
    /// The text of the file. Numbers have seven significant digits, far more precise than any uncertainty here.
    pub fn to_toml(&self) -> String {
        let mut out = format!("{OPENING}\nformat = {}\n", self.format);
        out.line("generator", &string(&self.generator));
        out.line("model", &string(&self.model));
        if !self.equation.is_empty() {
            out.line("equation", &string(&self.equation));
        }
        out.line("n_sites", &self.n_sites.to_string());
        // Parameters of a scene come first, the others by name.
        let rank = |name: &str| match name {
            "stiffness" => 0,
            "damping" => 1,
            _ => 2,
        };
        let mut pooled: Vec<_> = self.pooled.iter().collect();
        pooled.sort_by_key(|(name, _)| (rank(name), name.as_str()));
        for (index, (name, entry)) in pooled.into_iter().enumerate() {
            write_pooled(&mut out, name, entry, index == 0);
        }
        if let Some(ratio) = &self.ratio {
            out.push_str("\n[ratio] # stiffness over damping [1/s]\n");
            out.line("value", &number(ratio.value));
            out.line("ci95", &pair(ratio.ci95));
        }
        if let Some(mujoco) = &self.mujoco {
            out.push_str("\n[mujoco]\n");
            out.comment("mass", &number(mujoco.mass), "moving mass [kg]");
            let meaning = "[-stiffness/mass, -damping/mass], MuJoCo's direct form";
            out.comment("solref", &pair(mujoco.solref), meaning);
        }
        for (name, entry) in &self.map {
            write_map(&mut out, name, entry);
        }
        for (torso, entry) in &self.scene {
            write_scene(&mut out, torso, entry);
        }
        for log in &self.logs {
            write_log(&mut out, log);
        }
        out
    }
}

fn write_pooled(out: &mut String, name: &str, entry: &PooledEntry, with_comments: bool) {
    let _ = writeln!(out, "\n[pooled.{}]", key(name));
    let mut line = |name: &str, value: Option<String>, meaning: &str| {
        let Some(value) = value else { return };
        if with_comments {
            out.comment(name, &value, meaning);
        } else {
            out.line(name, &value);
        }
    };
    line("mean", Some(number(entry.mean)), "over the logs");
    line(
        "sd",
        entry.sd.map(number),
        "standard deviation over the logs; 0 for one log",
    );
    line("ci95", entry.ci95.map(pair), "95 % interval of the mean");
    line("range", entry.range.map(pair), "smallest and largest");
    line(
        "randomisation",
        entry.randomisation.map(pair),
        "range of a new site with 95 %: draw from this range",
    );
    if !entry.unit.is_empty() {
        out.line("unit", &string(&entry.unit));
    }
}

fn write_map(out: &mut String, name: &str, entry: &MapEntry) {
    let _ = writeln!(
        out,
        "\n[map.{}] # over the skin: value[i][j] is at y[i], x[j] in the frame of the logs [m]",
        key(name)
    );
    let numbers = |values: &[f64]| {
        let texts: Vec<String> = values.iter().copied().map(number).collect();
        format!("[{}]", texts.join(", "))
    };
    if !entry.unit.is_empty() {
        out.line("unit", &string(&entry.unit));
    }
    out.line("x", &numbers(&entry.x));
    out.line("y", &numbers(&entry.y));
    for (name, table) in [
        ("z", &entry.z),
        ("value", &entry.value),
        ("low", &entry.low),
        ("high", &entry.high),
    ] {
        let _ = writeln!(out, "{name} = [");
        for row in table {
            let _ = writeln!(out, "  {},", numbers(row));
        }
        out.push_str("]\n");
    }
}

fn write_scene(out: &mut String, torso: &str, entry: &SceneEntry) {
    let torso = key(torso);
    let _ = writeln!(
        out,
        "\n[scene.{torso}] # settings of this torso with which a press measures the above"
    );
    out.line("stiffness", &number(entry.stiffness));
    out.line("damping", &number(entry.damping));
    if let Some(shape) = &entry.shape {
        out.line("shape", &string(shape));
    }
    if let Some([x, y, z]) = entry.count {
        out.line("count", &format!("[{x}, {y}, {z}]"));
    }
    if let Some(spacing) = entry.spacing {
        out.line("spacing", &number(spacing));
    }
    if let Some(layers) = entry.soft_layers {
        out.line("soft_layers", &layers.to_string());
    }
    if !entry.parameters.is_empty() {
        let _ = writeln!(out, "\n[scene.{torso}.parameters]");
        for (name, value) in &entry.parameters {
            out.line(&key(name), &number(*value));
        }
    }
    if let Some(achieved) = &entry.achieved {
        let _ = writeln!(
            out,
            "\n[scene.{torso}.achieved] # by a simulated press, with the same regression"
        );
        out.line("stiffness", &number(achieved.stiffness));
        out.line("damping", &number(achieved.damping));
        out.comment(
            "stiffness_error",
            &number(achieved.stiffness_error),
            "relative",
        );
        out.comment("damping_error", &number(achieved.damping_error), "relative");
        out.line("reached", &achieved.reached.to_string());
    }
}

fn write_log(out: &mut String, log: &LogEntry) {
    out.push_str("\n[[log]]\n");
    out.line("file", &string(&log.file));
    if !log.sha256.is_empty() {
        out.line("sha256", &string(&log.sha256));
    }
    out.line("format", &string(&log.format));
    if !log.columns.is_empty() {
        out.push_str("columns = [\n");
        for column in &log.columns {
            let _ = writeln!(out, "  {},", string(column));
        }
        out.push_str("]\n");
    }
    if let Some(window) = log.window_s {
        out.line("window_s", &pair(window));
    }
    if let Some(bias) = log.force_bias_n {
        out.line("force_bias_n", &number(bias));
    }
    out.line("n", &log.n.to_string());
    // Undefined numbers, such as the R² of a constant, are left out.
    for (name, value) in [("r_squared", log.r_squared), ("rmse_n", log.rmse_n)] {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            out.line(name, &number(value));
        }
    }
    for (name, parameter) in &log.parameters {
        let value = format!(
            "{{ value = {}, ci95 = {} }}",
            number(parameter.value),
            pair(parameter.ci95)
        );
        out.line(&format!("parameters.{}", key(name)), &value);
    }
    for (name, reason) in &log.unidentifiable {
        out.line(&format!("unidentifiable.{}", key(name)), &string(reason));
    }
}

/// Lines of a TOML table.
trait Lines {
    fn line(&mut self, key: &str, value: &str);
    fn comment(&mut self, key: &str, value: &str, comment: &str);
}

impl Lines for String {
    fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self, "{key} = {value}");
    }

    fn comment(&mut self, key: &str, value: &str, comment: &str) {
        let _ = writeln!(self, "{key} = {value} # {comment}");
    }
}

/// Seven significant digits, in the shortest notation.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.6e}").parse().unwrap_or(value);
    format!("{rounded:?}")
}

fn pair([first, second]: [f64; 2]) -> String {
    format!("[{}, {}]", number(first), number(second))
}

/// A string on one line, with all special characters escaped.
fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A key, quoted if necessary.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        string(name)
    }
}
