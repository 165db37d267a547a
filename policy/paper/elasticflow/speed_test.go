package elasticflow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper/elasticflow"
)

// crowd is a cluster of 1,024 GPUs with 1,000 elastic jobs, some of whose deadlines are too tight.
func crowd() *policy.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	for i := range 128 {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%03d", i), Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	for i := range 1000 {
		left := time.Duration(1+r.IntN(600)) * time.Minute
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(-time.Duration(i) * time.Second),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1 << r.IntN(4)}}, MinGPUs: 1, MaxGPUs: 64, PredictedLeft: left,
			Deadline: policytest.SnapshotTime.Add(time.Duration(float64(left) * (.5 + 3*r.Float64()))),
			Scaling:  &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: .1 * r.Float64()}})
	}
	return s
}

// BenchmarkDecide times the first decision on a crowd, the next one, and one after all
// were admitted that can be.
func BenchmarkDecide(b *testing.B) {
	p, err := elasticflow.System().New(nil)
	if err != nil {
		b.Fatal(err)
	}
	s := crowd()
	first, err := p.Decide(s)
	if err != nil {
		b.Fatal(err)
	}
	next := policytest.ApplyPlan(s, first)
	settled := next
	for range 20 { // until all that can be are admitted
		plan, err := p.Decide(settled)
		if err != nil {
			b.Fatal(err)
		}
		settled = policytest.ApplyPlan(settled, plan)
	}
	for name, at := range map[string]*policy.Snapshot{"first": s, "next": next, "settled": settled} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Decide(at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
