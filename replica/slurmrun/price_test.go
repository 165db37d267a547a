package slurmrun

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/lab/exact"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// generous are budgets of stops that a simulation may have and a site should
// not.
func generous() bridge.Config {
	c := bridge.DefaultConfig()
	g := &c.Budgets
	g.Quantum, g.Cooldown, g.GainFactor = 10*time.Minute, 10*time.Minute, 0
	g.JobStops4h, g.JobStops24h, g.UserStops1h, g.AccountStops1h = 100, 100, 1000, 1000
	g.StopPercent, g.StopPercent1h, g.PlanStopPercent, g.LostPercent24h, g.LostPercent1h = 100, 1000, 100, 100, 100
	g.ChurnPercent, g.PlanChurnPercent, g.MaxEdits, g.EditPercent = 100, 100, 1000, 100
	return c
}

// TestThePriceOfSlurm runs one workload exactly and through Slurm and tells the
// figures of both (go test -v). Whatever stands between, the work done is the
// same: no more, and no less.
func TestThePriceOfSlurm(t *testing.T) {
	part.Only(t, "studies")
	nodes, jobs, cost := cluster(4), stream(60, never), time.Minute
	tell := func(name, how string, r *measure.Run) float64 {
		s := r.Summarize()
		t.Logf("%-9s %-28s %9.0f s mean completion %9.0f s makespan  %4.1f %% used %5d stops %6.1f GPU-h lost", name, how, s.AvgJCT, s.Makespan, 100*s.Utilization, s.RestartCount, s.LostGPUHours)
		return r.BusyGPUSeconds
	}
	alone, err := Run(Config{PolicyName: "slurm", Nodes: nodes, Jobs: jobs, RestartCost: cost})
	if err != nil {
		t.Fatal(err)
	}
	want := tell("slurm", "alone", alone)
	for _, name := range []string{"gavel", "tiresias"} {
		plain, err := exact.Run(exact.Config{Policy: decider(t, name), Nodes: nodes, Jobs: jobs, Clock: exact.NewEventClock(30*time.Second, 5*time.Minute, cost)})
		if err != nil {
			t.Fatal(err)
		}
		check := func(how string, r *measure.Run) {
			if d := tell(name, how, r)/want - 1; d > 1e-4 || d < -1e-4 {
				t.Errorf("%s %s: %.0f GPU-seconds of work were done, Slurm alone did %.0f", name, how, r.BusyGPUSeconds, want)
			}
		}
		check("exactly", plain)
		for _, way := range []struct {
			how  string
			loop bridge.Config
		}{{"through Slurm, our budgets", bridge.DefaultConfig()}, {"through Slurm, generous ones", generous()}} {
			r, err := Run(Config{PolicyName: name, Policy: decider(t, name), Nodes: nodes, Jobs: jobs, RestartCost: cost, LoopConfig: way.loop})
			if err != nil {
				t.Fatal(err)
			}
			check(way.how, r)
			if s := r.Summarize(); s.LostGPUHours > 0 != (s.RestartCount > 0) {
				t.Errorf("%s %s: %.1f GPU-h lost by %d stops", name, way.how, s.LostGPUHours, s.RestartCount)
			}
		}
	}
}
