package exact_test

import (
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// onBoth runs every job on two GPUs of each of two types, with parts of the batch.
type onBoth policy.BatchShares

func (b onBoth) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "both"}
	for i := range s.Jobs {
		d := policy.Decision{Job: s.Jobs[i].ID, Rank: i + 1, GPUs: 4, Why: "the test says so", Verb: policy.Start, BatchShares: policy.BatchShares(b),
			On: policy.Alloc{{Node: "n1", Type: "fast", Count: 2}, {Node: "n2", Type: "slow", Count: 2}}}
		if s.Jobs[i].HoldsGPUs() {
			d.Verb = policy.Keep
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}

// TestMixedTypes: four GPUs, of which two are half as fast as the others, do 100 seconds of work of four fast
// ones in 100/.75 where each does its share, in 200 with equal parts, and what exchanging costs comes on top; a job
// that does not accept several types is as fast as the slowest, without that cost.
func TestMixedTypes(t *testing.T) {
	shares := onBoth{{Type: "fast", PerGPU: 1. / 3}, {Type: "slow", PerGPU: 1. / 6}}
	for _, c := range []struct {
		name    string
		accepts bool
		shares  onBoth
		cost    float64
		want    float64
	}{
		{"in proportion", true, shares, -1, 100 / .75},
		{"equal parts", true, nil, -1, 200},
		{"what exchanging costs if nothing is said", true, shares, 0, 100/.75 + 5},
		{"a tenth of a step", true, nil, .1, 210},
		{"does not accept it", false, nil, .1, 200},
	} {
		j := workload.Job{ID: 1, GPUs: 4, Duration: 100, Speeds: map[string]float64{"fast": 1, "slow": .5}, AcceptsMixedTypes: c.accepts}
		nodes := append(nodes(1, 2, "fast"), nodes(1, 2, "slow")...)
		nodes[0].Name, nodes[1].Name = "n1", "n2"
		run := play(t, exact.Config{Policy: c.shares, Nodes: nodes, Jobs: []workload.Job{j}, Clock: exact.NewEventClock(0, 0, 0), MixedTypesCost: c.cost})
		same(t, c.name, run.JobOutcomes[0].Finish, c.want)
	}
}
