// Package slurmtest is a slurmrestd in front of a sim.World: every API version
// of the table in config.go in its own shape, with Slurm's status codes, error
// numbers and traps, and with faults on demand. It serves tests over real
// sockets, and demonstrations that have no Slurm.
//
//	w, err := sim.New(sim.Config{Nodes: sim.UniformNodes(4, "a100", 8)})
//	s, err := slurmtest.Start(slurmtest.Config{World: w})
//	defer s.Close()
//	… client talks to s.URL() …
//	s.WithWorld(func(w *sim.World) { w.Advance(w.Now().Add(time.Minute)) })
//	s.InjectFault(slurmtest.Fault{Kind: slurmtest.FaultLostAnswer, Method: "POST", MaxStrikes: 1})
//
// Server is what tests hold: it listens, keeps the world going, injects faults
// and records calls. Behind it slurmrestd finds the caller and the endpoint; a
// readHandler answers from the world, a writeHandler changes it; a release, its envelope
// and package records give the answer its shape, package update reads the bodies
// of job updates, and a fault says what is left of the answer.
//
// Replies were modelled on recordings of Slurm 22.05, 24.11 and 26.05.
// v0.0.39 was never recorded: it is v0.0.40 with the job state as one word.
package slurmtest
