package fidelity

import (
	"time"
)

// newStopStream begins with long jobs that fill the cluster, with limits far too long; small jobs
// come later and would wait for them.
func newStopStream() Stream {
	d := newDrawer(16)
	s := Stream{
		Name: "stops", Title: "8 jobs of 20 to 60 min on whole nodes, limits up to ten times too long, and 80 small ones of 30 s to 5 min that come later; Slurm's own passes", NodeCount: 4, GPUsPerNode: 8, Speed: 30,
		SlurmConf: usualConf + siteScheduling, RestartCost: 10 * time.Second,
	}
	at := 0.0
	for range 8 {
		at += d.ExpFloat64() * 10
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(1200, 3600, 2000), 8, 4, 10))
	}
	at = 600
	for range 80 {
		at += d.ExpFloat64() * 25
		s.Jobs = append(s.Jobs, d.newJob(at, d.between(30, 300, 90), d.pick(1, 1, 2, 4), 1, 3))
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 4)
	return s
}
