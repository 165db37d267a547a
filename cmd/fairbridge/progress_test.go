package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fairbridge/cmd/internal/cli"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/progress"
)

func reported(args ...string) (code int, errs string) {
	var out, err bytes.Buffer
	code = cli.Execute(context.Background(), newRootCommand(), append([]string{"progress"}, args...), &out, &err)
	return code, err.String() + out.String()
}

func TestProgressReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.sock")
	t.Setenv(progressSocketEnv, path)
	if code, errs := reported("--epoch", "3/90"); code != cli.ExitFailed || !strings.Contains(errs, "no node probe takes reports here") {
		t.Errorf("without a probe: %d %s", code, errs)
	}
	if code, errs := reported("--epoch", "3/90", "--optional"); code != cli.ExitOK || errs != "" {
		t.Errorf("without a probe, and that is well: %d %s", code, errs)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	d := progress.NewInbox(time.Now)
	var known atomic.Pointer[nodeprobe.ProcessJob]
	known.Store(&nodeprobe.ProcessJob{Job: 7, KnownBy: "cgroup"})
	s := progress.Server{Inbox: d, JobOfProcess: func(pid int) nodeprobe.ProcessJob {
		if pid != os.Getpid() {
			return nodeprobe.ProcessJob{}
		}
		return *known.Load()
	}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	if code, errs := reported("--epoch", "3/90", "--loss=-0.4", "--step", "1200", "--batch", "256", "--rate", "2.5",
		"--batch-range", "128-4096", "--gpu-batch", "16-256", "--gradient", "2e-1/31.5", "--requests", "7"); code != cli.ExitOK || errs != "" {
		t.Errorf("%d %s", code, errs)
	}
	k := nodeprobe.KnownValue
	want := nodeprobe.Progress{Epoch: k(3), TotalEpochs: k(90), Loss: k(-0.4), Step: k(1200), BatchSize: k(256), StepsPerSecond: k(2.5),
		InitialBatch: k(128), MaxBatch: k(4096), LeastBatchOnGPU: k(16), MostBatchOnGPU: k(256), GradSqr: k(.2), GradVar: k(31.5), Requests: k(7)}
	if r := d.NewestReports(); len(r) != 1 || r[0].Progress != want {
		t.Errorf("%+v", r)
	}
	known.Store(&nodeprobe.ProcessJob{})
	if code, errs := reported("--epoch", "3", "--optional"); code != cli.ExitFailed || !strings.Contains(errs, "of no Slurm job") {
		t.Errorf("outside a job: %d %s", code, errs)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestProgressReportUsage(t *testing.T) {
	for args, says := range map[string]string{
		"":                              "it says nothing",
		"--epoch x":                     `--epoch "x" is not a number`,
		"--epoch 3/":                    "3/90",
		"--epoch /9":                    "3/90",
		"--epoch 91/90":                 "more than epochs",
		"--step -1":                     "not between 0",
		"--loss nan":                    "not a number",
		"--loss 0.4 extra":              "extra",
		"--ask --step 3":                "by a call of its own",
		"--step 3 --json":               "go with --ask",
		"--batch-range 5":               "two numbers such as 128-4096",
		"--gradient 1/x":                "is not a number",
		"--batch 8 --batch-range 64-32": "batch_initial 64 is more than batch_max 32",
	} {
		if code, errs := reported(strings.Fields(args)...); code != cli.ExitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %s, want %q", args, code, errs, says)
		}
	}
}
