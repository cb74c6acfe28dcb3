//! `insonate serve`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::Args;
use insonate::bridges::{
    BModePlan, DEVICES, LivePolicy, LiveSource, Outlets, ServePlan, SessionStatistics, Steering,
    Workspace, serve, skin_message,
};
use insonate::experiments::{self, EpisodeCamera, LiveScan};
use insonate::foxglove;
use insonate::models::Scene;
use insonate::models::torsos::Device;
use insonate::openigtlink::{Server, ServerConfig};
use insonate::sim::render::RenderConfig;
use insonate_settings::check_ranges;

use super::b_mode_args::BModeArgs;
use super::episode_args::EpisodeArgs;
use super::interrupt::Interrupt;
use super::outcome::point;
use super::patient_args::Person;
use super::scene_args::SceneArgs;
use super::{Usage, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  insonate serve --openigtlink 18944 --scan --torso fast --force 5 --speed 0.04
  insonate serve --openigtlink 18944 --policy data/policies/probe-sweep/policy.safetensors
  insonate serve --openigtlink 18944 --scan --camera probe/camera --picture-size 320x240 --rate 30
  insonate serve --openigtlink 18944 --scan --patient adult --b-mode --camera none
  insonate serve --openigtlink 18944 --scan --patient output/patient --b-mode --b-mode-labels --camera none
  insonate serve --foxglove 8765 --scan --patient adult --b-mode
  insonate serve --dvrk 9090 --torso fast

In 3D Slicer: module OpenIGTLinkIF, a connector as client to localhost:18944.
Sent: TRANSFORM ProbeToRAS, STRING Force (N, N m; in the probe's frame), IMAGE Camera, STRING Status; with a scan POLYDATA Skin, once;
with --b-mode IMAGE BMode, in its place in RAS, with --b-mode-labels also IMAGE Labels and STRING LabelNames.
Taken: TRANSFORM TargetToRAS, which ends the scan and steers the probe, within a workspace and at a limited speed.
With --foxglove, for Foxglove (app.foxglove.dev) and Lichtblick, the connection Foxglove WebSocket: the topics of --mcap, with the clock's time.
With --dvrk, for roslibpy and roslibjs: /PSM1/measured_js, setpoint_js, measured_cp, measured_cf (the force on the instrument, N),
jaw/measured_js, operating_state, error and real_time_factor; taken: servo_jp, servo_jf (torques in addition to those that hold the arm, for
0.1 s), servo_cp and jaw/servo_jp. Poses and forces are in the arm's base.
RAS in mm about the world's origin: right is -x, anterior +z, superior +y.")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct Serve {
    /// Port of the OpenIGTLink server; 0 takes any free one.
    #[arg(long, value_name = "PORT", required_unless_present_any = ["dvrk", "foxglove"])]
    openigtlink: Option<u16>,
    /// Port of Foxglove's websocket protocol, over which Foxglove and Lichtblick show the scan, the policy or the PSM; 0 takes any free one.
    #[arg(long, value_name = "PORT")]
    foxglove: Option<u16>,
    /// Port of rosbridge's protocol, over which the dVRK's topics (CRTK) show and move a da Vinci PSM; 0 takes any free one.
    #[arg(long, value_name = "PORT", conflicts_with_all = ["openigtlink", "scan", "policy", "from", "to", "b_mode", "b_mode_labels", "robot", "force", "speed", "seed", "camera", "picture_size", "max_speed", "max_depth", "task", "fix", "set"])]
    pub(super) dvrk: Option<u16>,
    /// Address to listen on; anything but localhost lets the network steer the robot.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub(super) bind: IpAddr,
    /// Scan back and forth along a path; the default.
    #[arg(long, conflicts_with = "policy")]
    scan: bool,
    /// Run episodes of a policy instead: a policy file or training folder, zero, random or scripted.
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// Start of the path in the torso's frame [m].
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    from: Option<[f64; 2]>,
    /// End of the path in the torso's frame [m].
    #[arg(long, value_name = "X,Y", value_parser = point, allow_hyphen_values = true)]
    to: Option<[f64; 2]>,
    /// Target force along the probe's axis [N].
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    force: f64,
    /// Speed along the path [m/s].
    #[arg(long, value_name = "M_S", default_value_t = 0.04)]
    speed: f64,
    /// Seed of the first episode of a policy; also draws the organs, unless the policy's task does.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Rate of pose and force, and the maximum rate of pictures [Hz] [default: 40; with --dvrk 500]
    #[arg(long, value_name = "HZ")]
    pub(super) rate: Option<f64>,
    /// Camera of the pictures that are sent; none sends no pictures.
    #[arg(long, value_name = "CAMERA", default_value = "close")]
    camera: String,
    /// Size of the pictures [pixels].
    #[arg(long, value_name = "WxH", default_value = "160x120", value_parser = super::outcome::picture_size)]
    picture_size: (u32, u32),
    /// Also send the B-mode image, up to --rate times a second. Needs --patient, or for a policy scene.shape=adult or scene.patients.
    #[arg(long)]
    b_mode: bool,
    /// Also send the material of each pixel of the B-mode image.
    #[arg(long, requires = "b_mode")]
    b_mode_labels: bool,
    #[command(flatten)]
    picture: BModeArgs,
    /// Maximum speed of the probe towards a target [m/s].
    #[arg(long, value_name = "M_S", default_value_t = 0.1)]
    max_speed: f64,
    /// Maximum depth of a target below the skin at rest [m].
    #[arg(long, value_name = "M", default_value_t = 0.02)]
    max_depth: f64,
    /// Duration [s] [default: until Ctrl-C].
    #[arg(long, value_name = "S")]
    pub(super) duration: Option<f64>,
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    #[command(flatten)]
    episode: EpisodeArgs,
    /// Print the result as JSON on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

/// Rate of pose and force [Hz].
const RATE: f64 = 40.0;

/// How far around the torso a target may be [m], and how high above it.
const MARGIN: f64 = 0.05;
const HEADROOM: f64 = 0.25;

/// Maximum tilt [rad] and turn rate [rad/s] of a target.
const MAX_TILT: f64 = 0.8;
const MAX_TURN: f64 = 0.8;

impl Serve {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if let Some(port) = self.dvrk {
            return self.run_dvrk(port);
        }
        self.check()?;
        let person = self.scene.person()?;
        let scene = self.scene.with(&person, Device::Cpu)?;
        let mut live: Box<dyn LiveSource + '_> = if let Some(name) = &self.policy {
            let policies = self.episode.policies(std::slice::from_ref(name))?;
            let options = self.episode.options()?;
            Box::new(LivePolicy::new(&policies[0], self.seed, options)?)
        } else {
            let scan = LiveScan::new(&scene, &self.path())?;
            Box::new(match person {
                Person::Own(own) => scan.of_patient(Arc::new(*own)),
                Person::Nobody | Person::Adult(_) => scan,
            })
        };
        if self.b_mode {
            live.start_imaging(self.seed).map_err(Usage::new)?;
        }
        let plan = self.plan()?;
        if let (Some(camera), Some((scene, _))) = (&plan.camera, live.scene()) {
            EpisodeCamera::check_scene(camera, scene)?;
        }
        let config = ServerConfig {
            target_device: DEVICES.target.to_owned(),
            // The patients of a policy's episodes may differ.
            greeting: match &self.policy {
                None => skin_message(&scene).unwrap_or_default(),
                Some(_) => Vec::new(),
            },
            ..ServerConfig::default()
        };
        let listen = |port| Server::listen(SocketAddr::new(self.bind, port), config);
        let server = self.openigtlink.map(listen).transpose()?;
        if let Some(server) = &server {
            eprintln!(
                "OpenIGTLink on {}, {} frames/s; Ctrl-C ends",
                server.address(),
                self.rate()
            );
        }
        let watched = self.listen_foxglove()?;
        let outlets = Outlets {
            openigtlink: server.as_ref(),
            foxglove: watched.as_ref(),
        };
        let interrupt = Interrupt::listen()?;
        let mut steering = Steering::new(self.workspace(&scene), self.max_speed, MAX_TURN);
        let mut is_said = false;
        let mut observer = |served: &SessionStatistics| {
            if let Some(warning) = served.warning.as_ref().filter(|_| !is_said) {
                eprintln!("warning: {warning}");
                is_said = true;
            }
            interrupt.flow()
        };
        let served = serve(&mut *live, outlets, &mut steering, &plan, &mut observer)?;
        self.print_summary(&served)?;
        if interrupt.is_interrupted() {
            let said = format!("served {} frames", served.frames);
            return Err(interrupt.error(said).into());
        }
        Ok(())
    }

    /// The server for Foxglove, if there shall be one.
    pub(super) fn listen_foxglove(&self) -> anyhow::Result<Option<foxglove::Server>> {
        let Some(port) = self.foxglove else {
            return Ok(None);
        };
        let address = SocketAddr::new(self.bind, port);
        let server = foxglove::Server::listen(address, foxglove::ServerConfig::default())?;
        let address = server.address();
        eprintln!("Foxglove on {address}: ws://{address}; Ctrl-C ends");
        Ok(Some(server))
    }

    fn rate(&self) -> f64 {
        self.rate.unwrap_or(RATE)
    }

    fn check(&self) -> anyhow::Result<()> {
        let rows = [
            ("rate", self.rate(), [1.0, 200.0], "Hz"),
            ("max-speed", self.max_speed, [0.001, 0.5], "m/s"),
            ("max-depth", self.max_depth, [0.0, 0.05], "m"),
            ("duration", self.duration.unwrap_or(1.0), [0.1, 1e6], "s"),
        ];
        check_ranges("", rows)?;
        self.picture.check(self.b_mode)?;
        self.picture.settings(self.seed).map_err(Usage::new)?;
        self.path().check().map_err(Usage::new)?;
        Ok(())
    }

    fn path(&self) -> experiments::Scan {
        let usual = experiments::Scan::default();
        experiments::Scan {
            from: self.from.unwrap_or(usual.from),
            to: self.to.unwrap_or(usual.to),
            force: self.force,
            speed: self.speed,
            ..usual
        }
    }

    fn plan(&self) -> anyhow::Result<ServePlan> {
        let (width, height) = self.picture_size;
        let b_mode = BModePlan {
            settings: self.picture.settings(self.seed)?,
            with_labels: self.b_mode_labels,
        };
        Ok(ServePlan {
            rate: self.rate(),
            duration: self.duration,
            camera: (self.camera != "none").then(|| self.camera.clone()),
            picture: RenderConfig::fast(width, height),
            b_mode: self.b_mode.then_some(b_mode),
        })
    }

    /// Around the torso, from its lowest skin to above it.
    fn workspace(&self, scene: &Scene) -> Workspace {
        let origin = scene.torso_position;
        let bounds = scene.torso.as_ref().map(|torso| torso.surface.bounds());
        let [low, high] = bounds.unwrap_or([[-0.2, -0.3, 0.0], [0.2, 0.3, 0.2]]);
        let at = |bound: [f64; 3], offset: [f64; 3]| {
            [0, 1, 2].map(|axis| origin[axis] + bound[axis] + offset[axis])
        };
        Workspace {
            low: at(low, [-MARGIN, -MARGIN, 0.0]),
            high: at(high, [MARGIN, MARGIN, HEADROOM]),
            max_tilt: MAX_TILT,
            max_depth: self.max_depth,
        }
    }

    fn print_summary(&self, served: &SessionStatistics) -> anyhow::Result<()> {
        if let Some(problem) = &served.no_pictures {
            eprintln!("note: no pictures: {problem}");
        }
        if let Some(problem) = &served.no_b_mode {
            eprintln!("note: no ultrasound: {problem}");
        }
        if self.json {
            return print(&serde_json::to_string_pretty(served)?);
        }
        print(&format!(
            "{} frames in {:.1} s: {:.1} Hz, {:.2} of real time; {} pictures: {:.1} Hz; {} B-mode: {:.1} Hz\n{} clients, {} refused, {} dropped; {} frames sent, {} lost\n\
             {} targets, {} of them brought into the workspace",
            served.frames,
            served.wall_s,
            served.rate_hz,
            served.real_time_factor,
            served.pictures,
            served.picture_rate_hz,
            served.b_mode_pictures,
            served.b_mode_rate_hz,
            served.clients,
            served.clients_refused,
            served.clients_dropped,
            served.frames_sent,
            served.frames_lost,
            served.targets,
            served.targets_clamped
        ))
    }
}
