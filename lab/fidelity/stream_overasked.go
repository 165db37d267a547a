package fidelity

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// askedMinutes are the time limits that people type.
var askedMinutes = []float64{5, 10, 15, 30, 60, 120, 240, 480}

// newOveraskedStream has limits as the users of real clusters give them.
func newOveraskedStream() Stream {
	d := newDrawer(15)
	s := Stream{
		Name: "overasked", Title: "160 jobs of 30 s to 10 min, limits 1 to 20 times as long, rounded up to 5, 10, 15, 30 min, 1, 2 or 4 h; Slurm's own passes", NodeCount: 4, GPUsPerNode: 8, Speed: 20,
		SlurmConf: usualConf + siteScheduling, RestartCost: 10 * time.Second,
	}
	at := 0.0
	for range 160 {
		at += d.ExpFloat64() * 12
		j := d.newJob(at, d.between(30, 600, 90), d.pick(1, 1, 1, 2, 2, 4, 4, 8, 8, 16), 1, 1)
		d.overask(&j)
		s.Jobs = append(s.Jobs, j)
	}
	s.LoopConfig = newLoopConfig(30*time.Second, 20)
	return s
}

// overask gives a job a round limit that is 1 to 20 times its length, as often 1 to 2 times as
// 10 to 20.
func (d *drawer) overask(j *workload.Job) {
	least := max(j.Duration*math.Exp(d.Float64()*math.Log(20)), j.Duration+60) / 60
	for _, minutes := range askedMinutes {
		if minutes >= least {
			j.TimeLimit = policy.DurationFromSeconds(minutes * 60)
			return
		}
	}
}
