// Package policy is the vocabulary and the engine of scheduling.
//
// A Policy is a pure function from a Snapshot (what is known of a cluster at
// one moment) to a Plan (what should happen to every job). The package and
// everything below it contains no clock, no network, no logging, no
// goroutines and no global randomness: time arrives as Snapshot.Now, memory
// as Snapshot.Memo, so the same code runs in unit tests, in the simulator, in
// observe mode and live, and a stored Snapshot gives the same Plan again, byte
// for byte.
//
// Most published systems are a Pipeline: nine stages, each a question with a
// plain default answer. See package paper for the catalogue.
package policy
