package sharing

import (
	"os"
	"testing"

	"fairbridge/lab/neighbours"
	"fairbridge/lab/train/symphonynet"
	"fairbridge/policy/paper"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
)

func shippedNetwork(t *testing.T) *network.Network {
	t.Helper()
	raw, err := os.ReadFile("../../../policy/paper/symphonynet/weights.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := policynet.ReadWeights(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &w.Network
}

// TestReproduceSymphonyNet: on the days of TestReproduceSymphony, of which it learnt none, the shipped network errs by nine tenths or less of
// what the filter does, of jobs that share GPUs and of jobs alone on them, and by six tenths or less of what the latest readings
// of these do. That its pairs are right more often than the filter's, and jobs faster, is not wanted: it is told.
func TestReproduceSymphonyNet(t *testing.T) {
	latest := paper.Params{"noise": 0., "delay": "0s", "caution": 0.}
	seeds := int64(9)
	n, figures := shippedNetwork(t), map[string][]float64{}
	add := func(what string, v float64) { figures[what] = append(figures[what], v) }
	for seed := int64(1); seed <= seeds; seed++ {
		for what, scheduler := range map[string]string{"alone": "multifactor", "sharing": "symphony"} {
			e, err := symphonynet.MeasureErrors(symphonynet.ReproducedDay.Draw(seed), seed, scheduler, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			add(what+": network / filter", e.Network/e.Filter)
			add(what+": network / readings", e.Network/e.Readings)
			add(what+": filter / readings", e.Filter/e.Readings)
		}
		net, filter, raw := newNoisyRun(t, seed, "symphony-net", nil), newNoisyRun(t, seed, "symphony-net", paper.Params{"by": "filter"}), newNoisyRun(t, seed, "symphony", latest)
		share := func(r noisyRun) float64 { return float64(r.wrong) / float64(r.packs) }
		add("wrong pairs: network / readings", share(net)/share(raw))
		add("wrong pairs: filter / readings", share(filter)/share(raw))
		add("pairs: network / filter", float64(net.packs)/float64(filter.packs))
		add("mean completion: network / filter", net.meanJCT/filter.meanJCT)
		add("decisions left to the filter", float64(net.byFilter))
	}
	for what, most := range map[string]float64{"alone: network / filter": .9, "sharing: network / filter": .9, "alone: network / readings": .6, "wrong pairs: network / readings": .5, "decisions left to the filter": 0,
		"sharing: network / readings": 1, "alone: filter / readings": .6, "sharing: filter / readings": 1, "wrong pairs: filter / readings": .5, "pairs: network / filter": 1.1, "mean completion: network / filter": 1.05} {
		m, lo, hi := spread(figures[what])
		t.Logf("%s: %.3f (%.3f to %.3f)", what, m, lo, hi)
		if m > most {
			t.Errorf("%s: %.3f, want %g at most", what, m, most)
		}
	}
}

// TestSymphonyNetElsewhere: with counters and jobs other than those it learnt on, the network still errs less than the filter.
func TestSymphonyNetElsewhere(t *testing.T) {
	n := shippedNetwork(t)
	for what, change := range map[string]func(*neighbours.Counters){
		"readings err by .1":    func(c *neighbours.Counters) { c.Noise = .1 },
		"readings err by .3":    func(c *neighbours.Counters) { c.Noise = .3 },
		"jobs are constant":     func(c *neighbours.Counters) { c.Swing = 0 },
		"jobs swing by .15":     func(c *neighbours.Counters) { c.Swing = .15 },
		"half of readings fail": func(c *neighbours.Counters) { c.Missing = .5 },
		"none is late":          func(c *neighbours.Counters) { c.Late = 0 },
	} {
		var all []float64
		for seed := int64(1); seed <= 3; seed++ {
			for _, scheduler := range []string{"multifactor", "symphony"} {
				e, err := symphonynet.MeasureErrors(symphonynet.ReproducedDay.Draw(seed), seed, scheduler, n, change)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, e.Network/e.Filter)
			}
		}
		m, lo, hi := spread(all)
		t.Logf("%s: network / filter %.3f (%.3f to %.3f)", what, m, lo, hi)
		if m >= 1 {
			t.Errorf("%s: the network errs by %.3f of what the filter does", what, m)
		}
	}
}
