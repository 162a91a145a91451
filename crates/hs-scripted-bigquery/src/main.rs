//! The scripted server as a program.

fn main() {}
