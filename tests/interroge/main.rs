//! interroge against the scripted server: what is sent, what is billed, what is told. Nothing here leaves the machine.

mod cap;
mod credentials;
mod doubts;
mod estimate;
mod faults;
mod run;
mod world;
