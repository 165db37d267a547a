package trace_test

import (
	"os"
	"path/filepath"
	"testing"

	"fairbridge/accounting/trace"
	"fairbridge/bridge/sim/work"
)

// published is a published trace on this machine; the test is skipped where
// they are not.
func published(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("../../../shared/traces", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published traces are not here:", err)
	}
	return path
}

func TestShockwaveTraces(t *testing.T) {
	for _, c := range []struct {
		file                string
		jobs                int
		last                float64
		accordion, gns, one int
	}{
		{"shockwave/120_32gpus.trace", 120, 5011, 59, 57, 92},
		{"shockwave/220_64gpus.trace", 220, 5956, 106, 107, 160},
	} {
		tr, err := trace.Open(published(t, c.file), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		modes, one := map[work.Mode]int{}, 0
		for _, j := range tr.Jobs {
			modes[j.Training.Mode]++
			if j.GPUs == 1 {
				one++
			}
		}
		if len(tr.Jobs) != c.jobs || tr.Jobs[c.jobs-1].Arrive != c.last || modes[work.Accordion] != c.accordion || modes[work.GNS] != c.gns || one != c.one {
			t.Errorf("%s: %d jobs until %g, modes %v, %d of one GPU", c.file, len(tr.Jobs), tr.Jobs[len(tr.Jobs)-1].Arrive, modes, one)
		}
	}
}

func TestPublishedTables(t *testing.T) {
	for _, f := range []string{"shockwave/throughputs_tacc.json", "shockwave/throughputs_wisr.json", "gavel/throughputs/simulation_throughputs.json"} {
		if _, err := trace.ReadTables(published(t, f)); err != nil {
			t.Error(err)
		}
	}
}
