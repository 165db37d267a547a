package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
	"fairbridge/policy/preempt"
)

// crowd returns 512 nodes of 8 GPUs, nearly full, and n pending jobs. With
// every job asking for its own number of cores, no two gangs are alike.
func crowd(n int, alike bool) *policy.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	s := &policy.Snapshot{Now: now}
	for i := range 512 {
		name := fmt.Sprintf("n%03d", i)
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"p"}, LeafSwitch: fmt.Sprintf("l%02d", i/16),
			CPUs: 1 << 20, MemMB: 1 << 20, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
		with(s, 4, running(name, time.Hour, time.Duration(2+r.IntN(8))*time.Hour), qos("normal"))
		with(s, 1, running(name, time.Hour, time.Duration(2+r.IntN(8))*time.Hour))
	}
	sizes := []int{1, 1, 1, 2, 2, 4, 8, 8, 16, 64}
	for i := range n {
		with(s, sizes[r.IntN(len(sizes))], limit(time.Duration(1+r.IntN(48))*time.Hour), func(j *policy.Job) {
			j.Account, j.QOS = fmt.Sprintf("a%d", r.IntN(20)), []string{"urgent", "normal", "low"}[r.IntN(3)]
			if !alike {
				j.Ask.CPUs, j.Ask.MemMB = 1+r.IntN(100), int64(r.IntN(500))
			}
			j.Arrive = now.Add(-time.Duration(i) * time.Second / 10)
		})
	}
	return s
}

func BenchmarkDecide(b *testing.B) {
	tiers := preempt.ByQOS("urgent", "normal")
	for _, p := range []engine.Pipeline{
		{Name: "strict"},
		{Name: "easy", Backfill: backfill.EASY{}},
		{Name: "consolidated", Backfill: backfill.EASY{}, Place: place.Consolidated{}},
		{Name: "affinity", Backfill: backfill.EASY{}, Place: place.GangSizeAffinity{}},
		{Name: "greedy", Backfill: backfill.Greedy{}},
		{Name: "tiers", Backfill: backfill.EASY{}, Preempt: tiers},
		{Name: "tiersgreedy", Backfill: backfill.Greedy{}, Preempt: tiers},
	} {
		for _, n := range []int{10_000, 100_000} {
			for _, alike := range []bool{true, false} {
				s := crowd(n, alike)
				b.Run(fmt.Sprintf("%s/%d/alike=%v", p.Name, n, alike), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := p.Decide(s); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	s := crowd(100_000, true)
	plan, err := engine.Pipeline{}.Decide(s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := plan.Check(s); err != nil {
			b.Fatal(err)
		}
	}
}
