package golden

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy/paper"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// goodputRun runs a policy by the clock of Pollux on one of the workloads published with it, in
// which jobs adapt their batch and tell what they measured.
func goodputRun(t *testing.T, name, folder string, workload int, clock exact.Clock) *measure.Run {
	t.Helper()
	run, _ := runPolluxWorkload(t, exact.Config{Policy: lookup(t, name, nil), Clock: clock, Information: goodput.Measured}, folder, workload)
	return run
}

// goodputLoads are the loads of the published figures.
var goodputLoads = []struct{ load, folder string }{{"1.0", "workloads"}, {"0.5", "workloads-0.5"}, {"1.5", "workloads-1.5"}, {"2.0", "workloads-2.0"}}

// TestGoodput wants Pollux' mean completion times over eight workloads as published, within 2 %, and
// those of fairbridge no longer than these, and than those of our Pollux. Pollux' search is one of
// chance, so single workloads differ more; of the greater loads, and in a short test, one workload alone
// is run.
func TestGoodput(t *testing.T) {
	part.Only(t, "golden")
	published := polluxPublished(t, "published_avg_jct.csv")
	for _, l := range goodputLoads {
		last, most := 1, 1.02*1.03
		if part.Runs("golden") && l.load <= "1.0" {
			last, most = 8, 1.02
		} else if !part.Runs("golden") && l.load != "1.0" {
			continue
		}
		sums := map[string]float64{}
		for n := 1; n <= last; n++ {
			theirs := published[fmt.Sprint([]string{"results-jobload", "pollux-" + l.load, fmt.Sprintf("workload-%d", n)})]
			sums["published"] += theirs
			for _, name := range []string{"pollux", "fairbridge"} {
				got := goodputRun(t, name, l.folder, n, exact.PolluxClock()).Summarize().AvgJCT
				t.Logf("%s, load %s, workload %d: %.2f s, published of Pollux %.2f (%+.1f %%)", name, l.load, n, got, theirs, 100*(got/theirs-1))
				sums[name] += got
			}
		}
		t.Logf("load %s, %d workloads: pollux %.2f s, fairbridge %.2f, published of Pollux %.2f", l.load, last, sums["pollux"]/float64(last), sums["fairbridge"]/float64(last), sums["published"]/float64(last))
		if sums["pollux"] > most*sums["published"] {
			t.Errorf("load %s: pollux takes %.3f times as long as published, want %.3f at most", l.load, sums["pollux"]/sums["published"], most)
		}
		if sums["fairbridge"] > min(sums["published"], sums["pollux"]) {
			t.Errorf("load %s: fairbridge takes %.3f times as long as published of Pollux and %.3f times as long as ours, want no longer", l.load, sums["fairbridge"]/sums["published"], sums["fairbridge"]/sums["pollux"])
		}
	}
}

// TestFairbridgeOnSia wants mean completion times of fairbridge on workloads published with Sia no longer
// than those of Sia, ours and as the published program was re-run, with what the same jobs tell.
func TestFairbridgeOnSia(t *testing.T) {
	part.Only(t, "golden")
	for set, rerun := range map[string]float64{"philly": 1951.8, "saturn": 2090.7} {
		jobs := siaJobs(t, set, 1)
		ours := siaRun(t, lookup(t, "fairbridge", nil), jobs, siaCluster).Summarize()
		sia := siaRun(t, lookup(t, "sia", paper.Params{"restarts": siaRestarts}), jobs, siaCluster).Summarize()
		t.Logf("%s: fairbridge %.1f s and %.2f restarts a job, sia %.1f s and %.2f, re-run %.1f s", set, ours.AvgJCT, float64(ours.RestartCount)/float64(ours.JobCount), sia.AvgJCT, float64(sia.RestartCount)/float64(sia.JobCount), rerun)
		if ours.AvgJCT > min(sia.AvgJCT, rerun) {
			t.Errorf("%s: fairbridge takes %.1f s, want no longer than sia's %.1f and the re-run's %.1f", set, ours.AvgJCT, sia.AvgJCT, rerun)
		}
	}
}

// TestOwnFairbridgeTypes is fairbridge on 16 jobs of our own and 16 GPUs of two types, to the digit.
func TestOwnFairbridgeTypes(t *testing.T) {
	s := siaRun(t, lookup(t, "fairbridge", nil), ownSiaJobs(t), "2x4:a,2x4:b").Summarize()
	if got := fmt.Sprintf("mean %.3f s, makespan %.3f s, %d restarts", s.AvgJCT, s.Makespan, s.RestartCount); got != ownTypesDigits {
		t.Errorf("%s, want %s", got, ownTypesDigits)
	}
}

const ownTypesDigits = "mean 469.250 s, makespan 3883.000 s, 16 restarts"

// TestGoodputInterval wants what an interval of eight minutes costs Pollux to be as published, and
// 35 % at most.
func TestGoodputInterval(t *testing.T) {
	const published, ofAMinute = 3354.18, 2751.13
	part.Only(t, "golden")
	clock := exact.PolluxClock()
	clock.LockstepInterval = 8 * time.Minute
	mean := 0.
	for n := 1; n <= 8; n++ {
		mean += goodputRun(t, "pollux", "workloads", n, clock).Summarize().AvgJCT / 8
	}
	t.Logf("mean %.2f s, published %.2f", mean, published)
	if mean > 1.05*published || mean > 1.35*ofAMinute {
		t.Errorf("mean %.2f s, want at most 1.05 of %.2f and 1.35 of %.2f", mean, published, ofAMinute)
	}
}
