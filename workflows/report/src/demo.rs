//! The page of `insonate demo`: what was done, the film, the forces, the verdict, and what to run next.

use std::fmt::Write as _;

use insonate_drawing::Picture;
use insonate_experiments::{Plot, Summary};

use super::page::{document_with_pictures, escape, figure, list, picture};

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct DemoPage<'a> {
    /// Statistics and verdict of the scan.
    pub summary: &'a Summary,
    /// Target force [N].
    pub force: f64,
    /// Target speed [m/s].
    pub speed: f64,
    /// The film as GIF.
    pub film: Option<&'a [u8]>,
    /// Reason why the film does not show the scene.
    pub problem: Option<&'a str>,
    /// Force, speed and depth over time.
    pub plot: &'a Plot,
}

/// Commands to run next, each with its purpose.
const NEXT: [(&str, &str); 3] = [
    (
        "insonate image --patient adult --site -0.09,-0.035 --force 5 --output output/gallbladder",
        "presses the probe at one place and writes the ultrasound image with the names of the organs.",
    ),
    (
        "insonate press --torso xpbd --depth 0.02 --output output/press",
        "presses a torso of another kind and draws force over indentation.",
    ),
    (
        "insonate train probe-sweep --steps 100000 --output output/sweep",
        "trains a policy that slides the probe at a steady force, in minutes.",
    ),
];

impl DemoPage<'_> {
    /// The page as one HTML file, which loads no other files.
    pub fn to_html(&self) -> String {
        let mut body = "<h1>A robot scans a patient</h1>\n".to_owned();
        let _ = writeln!(
            body,
            "<p>A simulated Panda arm slides a curvilinear ultrasound probe over the soft belly of an adult. \
             It keeps a force of {:.0} N at {:.0} mm/s. \
             The ultrasound image is computed from the organs as the probe deforms them.</p>",
            self.force,
            1e3 * self.speed
        );
        body.push_str(&self.verdict());
        body.push_str(&self.moving_picture());
        body.push_str("<h2>Force, speed and depth</h2>\n");
        body.push_str(&figure(&Picture {
            name: "force".to_owned(),
            caption: "The probe comes down, settles at the target force, slides, and retreats. Lines of another colour are targets. log.csv has every step."
                .to_owned(),
            svg: self.plot.svg.clone(),
            png: Vec::new(),
        }));
        body.push_str("<h2>Next</h2>\n");
        for (command, purpose) in NEXT {
            let (command, purpose) = (escape(command), escape(purpose));
            let _ = writeln!(body, "<pre>{command}</pre>\n<p>{purpose}</p>");
        }
        document_with_pictures("A robot scans a patient", &body)
    }

    fn verdict(&self) -> String {
        let summary = self.summary;
        let is_passed = summary.verdict.is_passed();
        let (class, name) = if is_passed {
            ("fine", "passed")
        } else {
            ("worrying", "failed")
        };
        format!(
            "<div class=\"answer\">Verdict: <span class=\"verdict {class}\">{name}</span>. \
             The probe covered {:.1} cm in contact. The mean force was {:.2} N, with a mean absolute error of {:.2} N; \
             the largest was {:.2} N, and the skin gave way by up to {:.1} mm.</div>\n{}",
            100.0 * summary.path_covered_m.unwrap_or(0.0),
            summary.mean_force_n,
            summary.force_mae_n,
            summary.peak_force_n,
            1e3 * summary.peak_indentation_m,
            list(&summary.verdict.reasons)
        )
    }

    fn moving_picture(&self) -> String {
        let Some(film) = self.film else {
            return "<p class=\"warning\">There is no film: the probe did not slide.</p>\n"
                .to_owned();
        };
        let rest = "the ultrasound image below the probe; ticks are a centimetre apart. Below it: the force of the probe on the skin.";
        let caption = match self.problem {
            Some(problem) => format!("The film shows {rest} The scene is missing: {problem}."),
            None => format!("Left: the scene. Right: {rest}"),
        };
        picture("image/gif", film, &caption)
    }
}
