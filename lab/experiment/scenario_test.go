package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

func nodes(t *testing.T, spec string) []policy.Node {
	t.Helper()
	n, err := cluster.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFit wants jobs that can never run to be refused with their line and the
// reason of the type that comes nearest.
func TestFit(t *testing.T) {
	tables := workload.NewSpeedTables([]workload.SpeedRow{{GPUType: "a100", Class: "LM (batch size 10)", GPUCount: 2, StepsPerSecond: 5}})
	lm := &workload.Training{Model: "LM", BatchSize: 10, Mode: workload.StaticMode, Steps: 100}
	for _, c := range []struct {
		name   string
		job    workload.Job
		tables *workload.SpeedTables
		says   string // "": it fits
	}{
		{"small", workload.Job{GPUs: 8}, nil, ""},
		{"gang within a type", workload.Job{GPUs: 16}, nil, ""},
		{"larger than every type", workload.Job{GPUs: 17}, nil, "job 7 asks for 17 GPUs, the cluster has 16 of type a100, 8 of type h100"},
		{"larger than its type", workload.Job{GPUs: 9, GPUType: "h100"}, nil, "asks for 9 GPUs, the cluster has 8 of type h100"},
		{"elastic", workload.Job{GPUs: 64, MinGPUs: 2, MaxGPUs: 64}, nil, ""},
		{"no such type", workload.Job{GPUs: 1, GPUType: "k80"}, nil, "type k80, the cluster has none"},
		{"no speed", workload.Job{GPUs: 1, Speeds: map[string]float64{"v100": 1}}, nil, "cannot run on GPUs of type"},
		{"speed of one type", workload.Job{GPUs: 1, Speeds: map[string]float64{"h100": 2}}, nil, ""},
		{"training", workload.Job{GPUs: 2, Training: lm}, tables, ""},
		{"training that nobody measured", workload.Job{GPUs: 4, Training: lm}, tables, "no speed of LM (batch size 10) with 4 GPUs"},
		{"training without tables", workload.Job{GPUs: 2, Class: "LM", Training: lm}, nil, "--tables"},
	} {
		c.job.ID, c.job.Line, c.job.Duration = 7, 3, 60
		w := study.Scenario{Jobs: []workload.Job{c.job}, SpeedTables: c.tables, Nodes: nodes(t, "4x4:a100,1x8:h100")}
		err := w.CompleteJobs("some.trace", false)
		if c.says == "" {
			if err != nil || len(w.Jobs) != 1 {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "some.trace:3: ") {
			t.Errorf("%s: error %v, want %s", c.name, err, c.says)
		}
		w.Jobs = append([]workload.Job{{ID: 1, GPUs: 1, Duration: 5}}, c.job)
		if err := w.CompleteJobs("some.trace", true); err != nil || len(w.Jobs) != 1 || len(w.Remarks) != 1 {
			t.Errorf("%s: skipping leaves %d jobs, remarks %q (%v)", c.name, len(w.Jobs), w.Remarks, err)
		}
	}
}

func TestLoadReadsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.trace")
	row := "LM (batch size 10)\tpython3 main.py\tlm\t--steps\t0\t600\t%d\tstatic\t1\t-1\t600\t0\n"
	text := strings.ReplaceAll(row, "%d", "1") + strings.ReplaceAll(row, "%d", "4")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(filepath.Dir(path), "tables.json")
	if err := os.WriteFile(tables, []byte(`{"v100": {"('LM (batch size 10)', 1)": {"null": 2}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := ScenarioSource{TracePath: path, TablesPath: tables, Nodes: nodes(t, "2")}
	if _, err := LoadScenario(s); err == nil || !strings.Contains(err.Error(), "two.trace:2: job 2 asks for 4 GPUs, the cluster has 2") {
		t.Errorf("error %v", err)
	}
	s.TraceOptions.SkipBad = true
	w, err := LoadScenario(s)
	if err != nil {
		t.Fatal(err)
	}
	if w.Name != "two" || len(w.Jobs) != 1 || w.Jobs[0].Partition != cluster.PartitionName || w.CountGPUs() != 2 {
		t.Errorf("workload %+v", w)
	}
	if d := cmp.Diff([]policy.Account{{Weight: 1}}, w.Accounts); d != "" {
		t.Errorf("accounts (-want +got):\n%s", d)
	}
}

// TestRunEnds wants an interrupted simulation to end with the context's error
// although no decision is under way to notice it.
func TestRunEnds(t *testing.T) {
	w, err := GenerateScenario("philly", generate.WorkloadOptions{JobCount: 20_000}, 1, nodes(t, "16x8"))
	if err != nil {
		t.Fatal(err)
	}
	picks, err := policyset.ParsePolicies("fifo", true)
	if err != nil {
		t.Fatal(err)
	}
	o := study.RunOptions{Seed: 3}
	if err := SetClock(&o, "auto", 0, w); err != nil || o.Exact.ClockName() != "intervals" {
		t.Fatal(o.Exact.ClockName(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := w.Run(ctx, picks[0], o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestFidelities wants the same jobs to end under both, with the same names on
// the figures.
func TestFidelities(t *testing.T) {
	w, err := GenerateScenario("philly", generate.WorkloadOptions{JobCount: 25}, 3, nodes(t, "2x8:a100"))
	if err != nil {
		t.Fatal(err)
	}
	picks, err := policyset.ParsePolicies("tiresias:min_run=20m", false)
	if err != nil {
		t.Fatal(err)
	}
	o := study.RunOptions{Seed: 3}
	if err := SetClock(&o, "auto", 0, w); err != nil || o.Exact.ClockName() != "intervals" {
		t.Fatal(o.Exact.ClockName(), err)
	}
	var spans []float64
	for _, slurm := range []bool{false, true} {
		o.ThroughSlurm = slurm
		run, err := w.Run(t.Context(), picks[0], o, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Summarize()
		if s.JobCount != 25 || s.Policy != "tiresias:min_run=20m" || s.Trace != "philly" || run.Seed != 3 || !(s.Makespan > 0) {
			t.Errorf("slurm %t: %+v", slurm, s)
		}
		spans = append(spans, s.Makespan)
	}
	if spans[1] < spans[0]*0.9 {
		t.Errorf("through Slurm the makespan is %.0f s, exactly %.0f s", spans[1], spans[0])
	}
}
