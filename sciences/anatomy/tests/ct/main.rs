//! Contract: a CT gives a segmentation its body without table and cables, fat, muscle, gas and the density of bones, on any grid of the
//! same frame; a CT that does not belong to it is refused.

mod body;
mod phantom;
mod tissue;
