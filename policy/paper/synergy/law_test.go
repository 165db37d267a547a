package synergy_test

import (
	"testing"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/synergy"
)

// sensitive draws a snapshot some of whose jobs make something of cores and memory; of those that run, some
// hold others than they ask.
func sensitive(t *rapid.T) *policy.Snapshot {
	s := policytest.GenerateSnapshots().Draw(t, "snapshot")
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !rapid.Bool().Draw(t, "known") {
			continue
		}
		if gpus := j.Ask.GPUs.Count; !j.HoldsGPUs() && rapid.Bool().Draw(t, "asks") {
			j.Ask.CPUs, j.Ask.MemMB = gpus*rapid.IntRange(1, 4).Draw(t, "cores"), int64(gpus)*rapid.Int64Range(1000, 3000).Draw(t, "memory")
		}
		known := &policy.CPUScaling{AcceptsLess: rapid.Bool().Draw(t, "less")}
		speed := 1.
		for cpus := 1.; cpus <= float64(rapid.IntRange(1, 8).Draw(t, "cpus")); cpus++ {
			for memMB := int64(1000); memMB <= 4000; memMB *= 2 {
				known.Points = append(known.Points, policy.CPUPoint{CPUs: cpus, MemMB: memMB, Speed: speed})
				speed += rapid.Float64Range(0, 1).Draw(t, "gain")
			}
		}
		if j.CPUScaling = known; j.HoldsGPUs() && j.Ask.CPUs > 1 && rapid.Bool().Draw(t, "given") {
			j.Given.CPUs = j.Ask.CPUs - 1
		}
	}
	return s
}

// TestLawsOfSensitiveJobs: whatever is known of cores and memory, plans are lawful (no node gives out more than
// it has, no job gets less than its owner allows or is slower than with its share), they leave the snapshot
// as it was, and when they are carried out and nothing changes they come to rest.
func TestLawsOfSensitiveJobs(t *testing.T) {
	for name, params := range map[string]paper.Params{
		"tune": nil, "as published": {"fill": false, "retune": true, "min_run": "1s", "max_stops": -1}, "opt": {"how": "opt", "retune": true, "min_run": "1s"},
		"greedy": {"how": "greedy"}, "proportional": {"how": "proportional", "base": "las"}, "srtf": {"base": "srtf", "retune": true, "min_run": "1s", "max_stops": -1},
	} {
		t.Run(name, func(t *testing.T) {
			p, given := policytest.NewPolicy(t, synergy.System().New, params), 0
			rapid.Check(t, func(t *rapid.T) {
				s := sensitive(t)
				for range 32 {
					plan, err := p.Decide(s)
					if err != nil {
						t.Fatal(err)
					}
					if err := plan.Check(s); err != nil {
						t.Fatalf("unlawful: %v\n%s", err, policytest.DescribePlan(s, plan))
					}
					isQuiet := true
					for _, d := range plan.Decisions {
						if d.Given != (policy.Amounts{}) {
							given++
						}
						isQuiet = isQuiet && (d.Verb != policy.Start || len(d.On) == 0) && d.Verb != policy.Stop && d.Verb != policy.Move
					}
					if isQuiet {
						return
					}
					s = policytest.ApplyPlan(s, plan)
				}
				t.Fatal("it does not come to rest")
			})
			if given == 0 {
				t.Error("no job was ever given other cores or memory: nothing was tried")
			}
		})
	}
}
