package catalogue_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/scripts/verify/part"
)

// sensitiveCrowd is 10,000 jobs on 4,096 GPUs of each of which it is known what it makes of cores and memory, of
// no two the same. At most half run, or none.
func sensitiveCrowd(isIdle bool) *policy.Snapshot {
	r := rand.New(rand.NewPCG(17, 9))
	s := policytest.BusyCluster(512, 10_000)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if isIdle {
			j.State, j.On, j.Start, j.FirstStart = policy.Pending, nil, time.Time{}, time.Time{}
		}
		known := &policy.CPUScaling{AcceptsLess: true}
		for speed, cpus := .3, 1.; cpus <= 12; cpus++ {
			for memMB := int64(1000); memMB <= 4000; memMB += 1000 {
				known.Points = append(known.Points, policy.CPUPoint{CPUs: cpus, MemMB: memMB, Speed: speed + float64(memMB)/1e4})
			}
			speed += .4 * r.Float64()
		}
		if j.CPUScaling = known; !j.HoldsGPUs() {
			j.Ask.CPUs, j.Ask.MemMB = 4*j.Ask.GPUs.Count, 2000*int64(j.Ask.GPUs.Count)
		}
	}
	return s
}

// TestSensitiveDecisionsInTime: one decision on it takes a second of processor time at most, the first and the
// next, however cores are chosen. Processor time is not lengthened by other programs, and the least of several
// tries counts.
func TestSensitiveDecisionsInTime(t *testing.T) {
	part.Only(t, "speed")
	const most, tries = time.Second, 10
	for i, params := range []paper.Params{{}, {}, {"how": "opt"}, {"how": "opt"}, {"retune": true, "base": "las", "min_run": "1s"}, {"how": "greedy"}} {
		s, p := sensitiveCrowd(i%2 == 1), mustNew(t, "synergy", params)
		for _, which := range []string{"first", "next"} {
			least, plan := time.Hour, (*policy.Plan)(nil)
			for k := 0; k < tries && (k == 0 || least > most); k++ {
				before := policytest.ProcessorTime(t)
				var err error
				if plan, err = p.Decide(s); err != nil {
					t.Fatal(err)
				}
				least = min(least, policytest.ProcessorTime(t)-before)
			}
			if err := plan.Check(s); err != nil {
				t.Fatal(err)
			}
			given := 0
			for _, d := range plan.Decisions {
				if d.Given != (policy.Amounts{}) {
					given++
				}
			}
			t.Logf("%v, %s: %v, %d jobs given others than they ask", params, which, least.Round(time.Millisecond), given)
			if least > most {
				t.Errorf("%v: the %s decision takes %v of processor time, want at most %v", params, which, least, most)
			}
			s = policytest.ApplyPlan(s, plan)
		}
	}
}
