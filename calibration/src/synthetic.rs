//! Logs of known truth: a law, a motion, and a sensor with noise, bias, latency and quantisation.
