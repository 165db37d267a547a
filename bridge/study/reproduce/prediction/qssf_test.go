package prediction

import (
	"testing"

	"fairbridge/policy/paper"
)

// TestReproduceQSSF: the mean completion time of first come, first served is at least twice that of QSSF, which waits
// at most .4 as long, on days of the four clusters that the paper has, and with true run times it is no more than 1.3 times as fast.
func TestReproduceQSSF(t *testing.T) {
	for _, c := range []struct {
		profile string
		days    float64
		seeds   int64
	}{{"venus", 8, 5}, {"earth", 3, 3}, {"saturn", 3, 3}, {"uranus", 4, 3}} {
		if testing.Short() && c.profile != "venus" {
			continue
		}
		ratios := map[string][]float64{}
		for seed := int64(1); seed <= c.seeds; seed++ {
			h := newHelios(c.profile, c.days, seed)
			ours := h.run(t, "qssf", nil, false)
			over := func(what string, f figures) { ratios[what] = append(ratios[what], f.completion/ours.completion) }
			fifo := h.run(t, "fifo", nil, false)
			over("fifo", fifo)
			ratios["wait"] = append(ratios["wait"], ours.wait/fifo.wait)
			over("true run times", h.run(t, "qssf", nil, true))
			if !testing.Short() {
				over("multifactor", h.run(t, "multifactor", nil, false))
				over("backfill=easy", h.run(t, "qssf", paper.Params{"backfill": "easy"}, false))
				over("sjf by true service", h.run(t, "sjf", paper.Params{"by": "service"}, true))
			}
		}
		for _, what := range []string{"fifo", "wait", "true run times", "multifactor", "backfill=easy", "sjf by true service"} {
			if r := ratios[what]; r != nil {
				t.Logf("%s, %d seeds: %-20s %s", c.profile, c.seeds, what, spread(r))
			}
		}
		if m := median(ratios["fifo"]); m < 2 {
			t.Errorf("%s: first come, first served takes %.2f times as long, want 2", c.profile, m)
		}
		if m := median(ratios["wait"]); m > .4 {
			t.Errorf("%s: jobs wait %.2f as long as first come, first served, want .4", c.profile, m)
		}
		if m := median(ratios["true run times"]); m < 1/1.3 {
			t.Errorf("%s: with true run times it takes %.2f of the time, want %.2f", c.profile, m, 1/1.3)
		}
	}
}

// TestQSSFThroughSlurm sets it against Slurm alone, through the loop and a simulated Slurm.
func TestQSSFThroughSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	for _, backfill := range []string{"none", "easy"} {
		var alone []float64
		for seed := int64(1); seed <= 5; seed++ {
			h := newHelios("venus", 2, seed)
			params := paper.Params{"backfill": backfill, "max_wait": "24h"}
			alone = append(alone, h.runThroughSlurm(t, "", nil).completion/h.runThroughSlurm(t, "qssf", system(t, "qssf", params)).completion)
		}
		t.Logf("Slurm alone over qssf backfill=%s: %s %.2f", backfill, spread(alone), alone)
	}
}
