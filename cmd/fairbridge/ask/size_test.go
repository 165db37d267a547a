package ask

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// toldSize is what a job with the environment is told where the daemon knows size.
func toldSize(t *testing.T, env map[string]string, f *fakeSource, o *cli.Options, isOptional bool) (string, error) {
	t.Helper()
	var b bytes.Buffer
	c := &cobra.Command{}
	c.SetContext(t.Context())
	c.SetOut(printable.NewWriter(&b))
	err := tellSize(c, o, func(context.Context, *cli.Options) (source.Source, error) { return f, nil }, func(name string) string { return env[name] }, isOptional)
	return b.String(), err
}

func TestTellSize(t *testing.T) {
	env := map[string]string{"SLURM_JOB_ID": "7", "SLURM_GPUS_ON_NODE": "4", "SLURM_JOB_NUM_NODES": "2", "SLURM_RESTART_COUNT": "1", "SLURM_GPUS": "99"}
	lines := func(values ...string) string {
		out := ""
		for i, name := range []string{"GPUS", "NODES", "BATCH", "GPU_BATCH", "ACCUMULATION"} {
			out += "FAIRBRIDGE_" + name + "=" + values[i] + "\n"
		}
		return out
	}
	here := api.JobSize{GPUs: 8, Nodes: 2, Runs: true, Restarts: 1, Batch: 512, GPUBatch: 64, SpeedSource: "reports"}
	with := func(change func(*api.JobSize)) *api.JobSize { s := here; change(&s); return &s }
	for name, c := range map[string]struct {
		size *api.JobSize
		want string
	}{
		"known":                       {&here, lines("8", "2", "512", "64", "0")},
		"spread unevenly":             {with(func(s *api.JobSize) { s.GPUs = 6 }), lines("6", "2", "512", "64", "0")},
		"no batch sizes are reported": {with(func(s *api.JobSize) { s.Batch, s.GPUBatch = 0, 0 }), lines("8", "2", "", "", "")},
		"of the run before":           {with(func(s *api.JobSize) { s.Restarts, s.GPUs = 0, 4 }), lines("8", "2", "", "", "")},
		"not seen running yet":        {with(func(s *api.JobSize) { s.Runs, s.Nodes = false, 0 }), lines("8", "2", "512", "64", "0")},
		"not in the last cycle":       {nil, lines("8", "2", "", "", "")},
	} {
		got, err := toldSize(t, env, &fakeSource{job: &api.Job{Size: c.size}}, &cli.Options{}, false)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%swant\n%s", name, err, got, c.want)
		}
	}
	got, err := toldSize(t, env, &fakeSource{job: &api.Job{Size: &here}}, &cli.Options{JSON: true}, false)
	if err != nil || !strings.Contains(got, `"gpu_batch": 64`) || !strings.Contains(got, `"speed_source": "reports"`) {
		t.Errorf("%v: %s", err, got)
	}
	away := &fakeSource{err: errors.New("it is away")}
	if got, err := toldSize(t, env, away, &cli.Options{}, false); err == nil || got != "" {
		t.Errorf("away: %v, %s", err, got)
	}
	if got, err := toldSize(t, env, away, &cli.Options{}, true); err != nil || got != lines("8", "2", "", "", "") {
		t.Errorf("away, and that is no error: %v, %s", err, got)
	}
	if _, err := toldSize(t, nil, away, &cli.Options{}, true); !cli.IsUsageError(err) {
		t.Errorf("outside a job: %v", err)
	}
}
