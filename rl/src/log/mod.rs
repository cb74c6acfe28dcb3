//! Logs of a training: `progress.csv` and TensorBoard's event files.

mod csv;
mod events;
mod record;

pub use csv::CsvLog;
pub use events::EventLog;
