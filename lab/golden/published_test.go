// Package golden holds our simulator against the published figures of others.
package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

const shared = "../../../shared/traces/shockwave/"

// setting is one of the workloads Shockwave was published with.
type setting struct {
	jobs, gpus    int
	trace, tables string
}

var (
	small  = setting{120, 32, "120_32gpus.trace", "throughputs_tacc.json"}
	medium = setting{220, 64, "220_64gpus.trace", "throughputs_wisr.json"}
)

// published is one simulation's jobs as published.
type published struct {
	Source string    `json:"source"`
	Policy string    `json:"policy"`
	Jobs   string    `json:"jobs"`
	Kind   string    `json:"kind"`
	JCT    []float64 `json:"jct_s"`
	Rho    []float64 `json:"rho"`
}

// here skips the test where the published files are not.
func here(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(shared, name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published traces are not here:", err)
	}
	return path
}

// workload reads the jobs and tables of a setting.
func (s setting) workload(t testing.TB) ([]workload.Job, *workload.SpeedTables) {
	t.Helper()
	tr, err := trace.ReadFile(here(t, s.trace), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := workload.ReadSpeedTables(here(t, s.tables))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Jobs, tables
}

// nodes is a cluster of one GPU to a node, all of a type.
func nodes(n int, typ string) []policy.Node {
	all := make([]policy.Node, n)
	for i := range all {
		all[i] = policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}}
	}
	return all
}

// lookup makes a policy of the catalogue with the parameters of its own
// simulator and those given on top.
func lookup(t testing.TB, name string, given paper.Params) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	params := paper.Params{}
	for _, from := range []paper.Params{e.SimulatorParams, given} {
		for k, v := range from {
			params[k] = v
		}
	}
	p, err := e.New(params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// simulate runs a policy on a setting by the clock of Shockwave's simulator.
func (s setting) simulate(t testing.TB, p policy.Policy) *measure.Run {
	t.Helper()
	jobs, tables := s.workload(t)
	run, err := exact.Run(exact.Config{Policy: p, Nodes: nodes(s.gpus, "v100"), Jobs: jobs, SpeedTables: tables, Clock: exact.ShockwaveClock(),
		WatchDecision: func(snap *policy.Snapshot, plan *policy.Plan) {
			if err := plan.Check(snap); err != nil {
				t.Fatal(err)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// perJob returns what was published of the jobs of a setting.
func (s setting) perJob(t testing.TB, source, name string) published {
	t.Helper()
	raw, err := os.ReadFile(here(t, "results_per_job.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []published
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.Source == source && p.Policy == name && p.Jobs == strconv.Itoa(s.jobs) && p.Kind == "simulation" {
			return p
		}
	}
	t.Fatalf("nothing published by %s of %s with %d jobs", source, name, s.jobs)
	return published{}
}
