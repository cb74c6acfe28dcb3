//! insonate.
