package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway/livetest"
)

// programs are fairbridge, fairbridge-demo and, where there is a C compiler,
// nodeprobe, built once into one directory.
var programs = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "fairbridge-demotest-"); err != nil {
		return "", err
	}
	built = dir
	for name, cgo := range map[string]string{"fairbridge": "0", "fairbridge-demo": "0", "nodeprobe": "1"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), "fairbridge/cmd/"+name)
		cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, errors.Join(err, errors.New(string(out)))
		}
	}
	return dir, nil
})

// built is the programs' directory, once there is one.
var built string

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// options are those of a demonstration for tests; without Postgres or gcc the
// test is skipped.
func options(t *testing.T) Options {
	t.Helper()
	if _, err := pglocal.FindServerPrograms(); err != nil {
		if os.Getenv("FAIRBRIDGE_REQUIRE_PG") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the probes' driver library is built by gcc: ", err)
	}
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Slurm: "sim", Seed: 1, Pace: 0.15, Policy: "astraea", In: strings.NewReader("\n"),
		FairbridgePath: filepath.Join(dir, "fairbridge"), NodeprobePath: filepath.Join(dir, "nodeprobe"),
	}
}

// empty fails the test when something is left in the directory.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the directory for temporary files: %v %v", left, err)
	}
}

func TestSimulatedDemo(t *testing.T) {
	o := options(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	o.Out, o.Err = &out, &out
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text := out.String()
	for _, want := range []string{
		"A day of 75 jobs (seed 1) on simulated Slurm 26.05", "\n1. Slurm alone (in virtual time", "mode preempt, policy astraea",
		"\n  order    job ", "4 probes measure 32 GPUs", "wait, median", "GPU share of vision", "waited long, ",
		"Decisions, newest first", "$ fairbridge replay --since 15m --policy slurm,drf:", "a simulation of what was done (astraea ", "what happened", "psql 'postgres://", "usage_by_account_day",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	empty(t, os.Getenv("TMPDIR"))
}

func TestDemoAsJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a day of half a minute; not with -short")
	}
	o := options(t)
	o.PrintsJSON, o.Policy, o.Pace = true, "tiresias", 0.25
	var out, says bytes.Buffer
	o.Out, o.Err = &out, &says
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &says)
	}
	var c Comparison
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil || d.More() {
		t.Fatalf("%v, more: %v\n%s", err, d.More(), &out)
	}
	for name, f := range map[string]*Figures{"alone": c.AloneFigures, "with fairbridge": c.FairbridgeFigures} {
		if f == nil || f.JobCount != 75 || f.MakespanSeconds <= 0 || f.IdleFraction <= 0 || f.IdleFraction >= 1 || len(f.AccountShares) != 3 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if c.AloneFigures.RequeueCount != 0 || c.FairbridgeFigures.RequeueCount != c.ChangesByKind["requeue"] || c.ChangesByKind["order"] == 0 {
		t.Errorf("Slurm's records have %d and %d requeues; the ledger has %v", c.AloneFigures.RequeueCount, c.FairbridgeFigures.RequeueCount, c.ChangesByKind)
	}
	if c.Policy != "tiresias" || c.Seed != 1 || !strings.HasPrefix(c.SlurmTitle, "simulated") {
		t.Errorf("%+v", c)
	}
}

func TestTheSimulatedDayAloneIsTheSameEachTime(t *testing.T) {
	day := NewDay(5, 1)
	figures := func() *Figures {
		s, err := startSimulatedCluster(t.TempDir(), 5, true)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := playDay(t.Context(), s, day, func(*progress) error { return nil }); err != nil {
			t.Fatal(err)
		}
		runs, err := s.Records(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f, err := MeasureFigures(day, runs, totalGPUs, WeightsByAccount)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := figures(), figures()
	if a.WaitMedian != b.WaitMedian || a.MakespanSeconds != b.MakespanSeconds || a.FairnessWorst != b.FairnessWorst {
		t.Errorf("%+v\n%+v", a, b)
	}
	if a.WaitMedian < 10 {
		t.Errorf("half of the jobs wait no longer than %v s: the day shows nothing", a.WaitMedian)
	}
}

func TestReasonIsWhatAScriptSaidLast(t *testing.T) {
	for text, want := range map[string]string{
		"no Slurm here: install: exit status 1: install: needs root": "install: needs root",
		"ensure: exit status 2: reading lists\ninstall: no network":  "install: no network",
		"context canceled": "context canceled",
	} {
		if got := lastErrorLine(errors.New(text)); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Slurm: "auto", Policy: "drf"}
	for name, change := range map[string]func(*Options){
		"--slurm=fake":   func(o *Options) { o.Slurm = "fake" },
		"--policy=lucky": func(o *Options) { o.Policy = "lucky" },
	} {
		o := good
		change(&o)
		if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

func TestRealDemo(t *testing.T) {
	livetest.SharedCluster(t) // skips where there is none
	o := options(t)
	o.Slurm, o.Pace = "real", 1
	var out bytes.Buffer
	o.Out, o.Err = &out, &out
	begin := time.Now()
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Logf("after %v:\n%s", time.Since(begin).Round(time.Second), &out)
	for _, want := range []string{"on Slurm ", "\n  order ", "\n  pin ", "\n  requeue ", "was requeued", "psql"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}
