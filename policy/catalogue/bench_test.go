package catalogue_test

import (
	"fmt"
	"testing"

	"fairbridge/policy/catalogue"
	"fairbridge/policy/policytest"
)

// BenchmarkDecide measures one plan for 512 nodes of 8 GPUs, at growing numbers
// of jobs, after a first plan was carried out (so that policies remember).
func BenchmarkDecide(b *testing.B) {
	for _, e := range catalogue.Systems() {
		for _, size := range []struct {
			name string
			jobs int
		}{{"1k", 1_000}, {"10k", 10_000}, {"100k", 100_000}} {
			b.Run(fmt.Sprintf("%s/%s", e.Name, size.name), func(b *testing.B) {
				s := policytest.BusyCluster(512, size.jobs)
				p := mustNew(b, e.Name, nil)
				first, err := p.Decide(s)
				if err != nil {
					b.Fatal(err)
				}
				s.Memo = first.Memo
				s.Now = s.Now.Add(policytest.CycleInterval)
				b.ReportAllocs()
				spent := policytest.ProcessorTime(b)
				for b.Loop() {
					if _, err := p.Decide(s); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(policytest.ProcessorTime(b)-spent)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// TestCrowd wants lawful plans at a size that the generated snapshots do not
// reach.
func TestCrowd(t *testing.T) {
	s := policytest.BusyCluster(64, 3000)
	for _, e := range catalogue.Systems() {
		plan, err := mustNew(t, e.Name, nil).Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
