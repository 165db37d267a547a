package afs_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper/afs"
)

// manyJobs is a cluster of 1,024 GPUs and 1,000 jobs that can run on 1 to 64 of them; every
// other one runs.
func manyJobs() *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, OmitReasons: true}
	for i := range 128 {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, CPUs: 64, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	for i := range 1000 {
		j := policy.Job{ID: policy.JobID(i + 1), Partition: "gpu", State: policy.Pending, Arrive: s.Now.Add(-time.Duration(i) * time.Minute), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}},
			MinGPUs: 1, MaxGPUs: 64, PredictedLeft: time.Duration(1+i*7919%100000) * time.Second, Scaling: &policy.Scaling{SerialPart: .01 + .001*float64(i%100)}}
		if i%2 == 0 {
			j.State, j.Start, j.On = policy.Running, s.Now.Add(-time.Hour), policy.Alloc{{Node: fmt.Sprintf("n%03d", i/16), Type: "g", Count: 1}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestManyJobs wants all GPUs in use, and every job to run before one has many.
func TestManyJobs(t *testing.T) {
	s := manyJobs()
	plan, err := policytest.NewPolicy(t, afs.System().New, nil).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	used, most := 0, 0
	for _, d := range plan.Decisions {
		used, most = used+d.On.Count(), max(most, d.On.Count())
	}
	if used < 1000 || most > 16 {
		t.Errorf("%d GPUs are used, a job has up to %d", used, most)
	}
}

// BenchmarkDecide decides on 1,000 elastic jobs on 1,024 GPUs.
func BenchmarkDecide(b *testing.B) {
	s, p := manyJobs(), policytest.NewPolicy(b, afs.System().New, nil)
	for b.Loop() {
		if _, err := p.Decide(s); err != nil {
			b.Fatal(err)
		}
	}
}
