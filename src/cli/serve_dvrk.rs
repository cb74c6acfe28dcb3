//! `insonate serve --dvrk`.

use std::net::SocketAddr;

use insonate::bridges::{PsmSession, ServePsmPlan, psm_topics, serve_psm};
use insonate::experiments::psm::LivePsm;
use insonate::models::robots::psm;
use insonate::rosbridge::{Server, ServerConfig};
use insonate_settings::check_ranges;

use super::interrupt::Interrupt;
use super::print;
use super::serve::Serve;

/// Rate of the states [Hz].
const RATE: f64 = 500.0;

impl Serve {
    /// Serves the PSM on a port.
    pub(super) fn run_dvrk(&self, port: u16) -> anyhow::Result<()> {
        let plan = ServePsmPlan {
            rate: self.rate.unwrap_or(RATE),
            duration: self.duration,
        };
        let rows = [
            ("rate", plan.rate, [1.0, 1000.0], "Hz"),
            ("duration", plan.duration.unwrap_or(1.0), [0.1, 1e6], "s"),
        ];
        check_ranges("", rows)?;
        let mut scene = self.scene.build_with_robot(psm::psm())?;
        self.scene.shorten_step(&mut scene)?;
        let mut live = LivePsm::new(&scene)?;
        let [published, taken] = psm_topics();
        let config = ServerConfig {
            published,
            taken,
            ..ServerConfig::default()
        };
        let server = Server::listen(SocketAddr::new(self.bind, port), config)?;
        let watched = self.listen_foxglove()?;
        eprintln!(
            "rosbridge on {}, /PSM1, {} states/s; Ctrl-C ends",
            server.address(),
            plan.rate
        );
        let interrupt = Interrupt::listen()?;
        let watched = watched.as_ref();
        let session = serve_psm(&mut live, &server, watched, &plan, &mut |_| {
            interrupt.flow()
        })?;
        if self.json {
            print(&serde_json::to_string_pretty(&session)?)?;
        } else {
            print(&text(&session))?;
        }
        if interrupt.is_interrupted() {
            let said = format!("served {} states", session.states);
            return Err(interrupt.error(said).into());
        }
        Ok(())
    }
}

fn text(session: &PsmSession) -> String {
    format!(
        "{} states in {:.1} s: {:.1} Hz, {:.2} of real time\n{} clients, {} refused, {} dropped; {} messages sent, {} lost\n\
         {} commands, {} of them brought within limits, {} refused",
        session.states,
        session.wall_s,
        session.rate_hz,
        session.real_time_factor,
        session.clients,
        session.clients_refused,
        session.clients_dropped,
        session.messages_sent,
        session.messages_lost,
        session.commands,
        session.commands_clamped,
        session.commands_refused
    )
}
