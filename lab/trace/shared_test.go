package trace_test

import (
	"os"
	"path/filepath"
	"testing"

	"fairbridge/lab/trace"
	"fairbridge/replica/workload"
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
		tr, err := trace.ReadFile(published(t, c.file), trace.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		modes, one := map[workload.BatchMode]int{}, 0
		for _, j := range tr.Jobs {
			modes[j.Training.Mode]++
			if j.GPUs == 1 {
				one++
			}
		}
		if len(tr.Jobs) != c.jobs || tr.Jobs[c.jobs-1].Arrive != c.last || modes[workload.AccordionMode] != c.accordion || modes[workload.GNSMode] != c.gns || one != c.one {
			t.Errorf("%s: %d jobs until %g, modes %v, %d of one GPU", c.file, len(tr.Jobs), tr.Jobs[len(tr.Jobs)-1].Arrive, modes, one)
		}
	}
}

func TestPublishedTables(t *testing.T) {
	for _, f := range []string{"shockwave/throughputs_tacc.json", "shockwave/throughputs_wisr.json", "gavel/throughputs/simulation_throughputs.json"} {
		if _, err := workload.ReadSpeedTables(published(t, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestPublished reads what papers published, each kind by what it looks like.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		file, format string
		jobs         int
	}{
		{"philly/philly_jobs_82k.csv", "philly", 82_247},
		{"ms-itp/elasticflow-traces/195job.csv", "itp", 195},
		{"tiresias/60_job.csv", "tiresias", 60},
		{"gavel/traces/physical_cluster/max_min_fairness.trace", "shockwave", 96},
		{"gavel/traces/physical_cluster/minimize_makespan.trace", "shockwave", 100},
		{"gavel/traces/msr_seed0/0e4a51.trace", "shockwave", 0},
		{"alibaba-openb-2023/openb_pod_list_default.csv", "openb", 0},
		{"chronus/trace_job_Philly_SLO.csv", "tiresias", 0},
		{"ms-itp/raw-traces/cluster05.csv", "itp", 0},
	} {
		tr, err := trace.ReadFile(published(t, c.file), trace.ReadOptions{SkipBad: true})
		if err != nil {
			t.Error(err)
			continue
		}
		if tr.Format != c.format || c.jobs > 0 && len(tr.Jobs) != c.jobs {
			t.Errorf("%s: %s with %d jobs, want %s with %d", c.file, tr.Format, len(tr.Jobs), c.format, c.jobs)
		}
		t.Logf("%s: %d jobs, %d bad, first %v, ignored %v", c.file, len(tr.Jobs), tr.SkippedCount, tr.FirstErrors, tr.IgnoredByReason)
	}
}

// TestMeasuredTraces wants all speeds of a trace in the tables it came with.
func TestMeasuredTraces(t *testing.T) {
	for _, c := range [][2]string{{"shockwave/120_32gpus.trace", "shockwave/throughputs_tacc.json"}, {"shockwave/220_64gpus.trace", "shockwave/throughputs_wisr.json"}} {
		tr, err := trace.ReadFile(published(t, c[0]), trace.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tables, err := workload.ReadSpeedTables(published(t, c[1]))
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Jobs {
			if v, ok := tables.StepsAlone("v100", tr.Jobs[i].Class, tr.Jobs[i].GPUs); !ok || v <= 0 {
				t.Errorf("%s: no speed of %s with %d GPUs", c[0], tr.Jobs[i].Class, tr.Jobs[i].GPUs)
			}
		}
	}
}
