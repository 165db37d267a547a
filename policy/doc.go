// Package policy is the vocabulary of scheduling: plain values, and nothing that
// decides.
//
// A Policy is a pure function from a Snapshot (what is known of a cluster at
// one moment) to a Plan (what should happen to every job). The package and
// everything below it contains no clock, no network, no logging, no
// goroutines and no global randomness: time arrives as Snapshot.Now, memory
// as Snapshot.Memo, so the same code runs in unit tests, in the simulator, in
// observe mode and live, and a stored Snapshot gives the same Plan again, byte
// for byte.
//
// Package pool tells what is free and where a gang finds room. Package engine
// turns the answers of stages into a plan: most published systems are an
// engine.Pipeline. Package paper is their catalogue.
package policy
