package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/e2e/readertest"
	"fairbridge/scripts/throwaway/livetest"
	"fairbridge/scripts/verify/part"
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
	if testing.Short() && os.Getenv("FAIRBRIDGE_REQUIRE_PG") != "1" {
		t.Skip("needs Postgres: left to make test")
	}
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
		Slurm: "sim", Seed: 1, Policy: "astraea", In: strings.NewReader("\n"),
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
	part.Long(t, testing.Short())
	o := options(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	o.Out, o.Err = &out, &out
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text := out.String()
	for _, want := range []string{
		"A day of 115 jobs (seed 1) on simulated Slurm 26.05", "\n1. Slurm alone, in virtual time", "mode preempt, policy astraea",
		"\n  order    job ", "wait, median", "GPU share of vision", "waited long, ",
		"Decisions, newest first", "$ fairbridge replay --since 11h --policy slurm,drf ", "a simulation of what was done (astraea", "what happened", "With --keep all of it stays up",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "psql") {
		t.Error("it names a database that is gone by then")
	}
	if t.Failed() {
		t.Log(text)
	}
	empty(t, os.Getenv("TMPDIR"))
}

// keeper answers Enter when it was told how to look around, after trying it and every other
// command that reads.
type keeper struct {
	t       *testing.T
	program string // fairbridge
	out     *bytes.Buffer

	emptyReports     []string // with nothing to say on this site
	uncertainReports []string // with something to say or not
}

var explainedJob = regexp.MustCompile(`(?m)^\$ fairbridge explain (\S+)`)

// askReaders asks every command that reads, of the jobs that the demonstration explained.
func (k *keeper) askReaders() {
	var jobs []string
	for _, m := range explainedJob.FindAllStringSubmatch(k.out.String(), -1) {
		jobs = append(jobs, m[1])
	}
	readertest.CheckAll(k.t, readertest.Site{
		Run: func(args ...string) (string, error) {
			out, err := exec.CommandContext(k.t.Context(), k.program, args...).CombinedOutput()
			return string(out), err
		},
		Jobs:         jobs,
		EmptyReports: k.emptyReports, UncertainReports: k.uncertainReports,
		IsIdle: true, // the day is over
	})
}

func (k *keeper) Read(p []byte) (int, error) {
	for line := range strings.Lines(k.out.String()) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "export FAIRBRIDGE_CONFIG="):
			k.t.Setenv("FAIRBRIDGE_CONFIG", strings.TrimPrefix(line, "export FAIRBRIDGE_CONFIG="))
		case strings.Contains(line, "/fairbridge "), strings.HasPrefix(line, "psql "):
			if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				k.t.Errorf("%s: %v: %s", line, err, out)
			} else {
				k.t.Logf("%s: %d bytes", line, len(out))
			}
		}
	}
	k.askReaders()
	return copy(p, "\n"), nil
}

func TestKeptDemoAnswersTheCommandsItPrints(t *testing.T) {
	part.Long(t, testing.Short())
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip(err)
	}
	o := options(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	o.Out, o.Err, o.KeepsRunning, o.In = &out, &out, true, &keeper{t, o.FairbridgePath, &out, []string{"wasteful-jobs", "deadlines", "deadline-misses", "idle-now", "idle-reminders", "idle-stops"}, nil} // without probes nothing is measured, and no job of the day is due
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"export FAIRBRIDGE_CONFIG=", "fairbridge queue", "fairbridge report usage", "psql 'postgres://", "usage_by_account_day"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
	empty(t, os.Getenv("TMPDIR"))
}

func TestLogsOfAFailureStay(t *testing.T) {
	o := options(t)
	t.Setenv("TMPDIR", t.TempDir())
	var out bytes.Buffer
	o.Out, o.Err, o.Params = &out, &out, "no_such_parameter: 1"
	err := Run(t.Context(), o)
	if err == nil {
		t.Fatal("a parameter that there is not was taken")
	}
	_, dir, found := strings.Cut(err.Error(), "its logs stay in ")
	if _, statErr := os.Stat(filepath.Join(strings.TrimSpace(dir), "fairbridge.yaml")); !found || statErr != nil {
		t.Fatalf("%v: %v", err, statErr)
	}
	for _, gone := range []string{"jwt.key", "dsn"} {
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(dir), gone)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", gone, err)
		}
	}
}

func TestDemoAsJSON(t *testing.T) {
	part.Long(t, testing.Short())
	o := options(t)
	o.PrintsJSON, o.Policy = true, "fairbridge"
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
	for name, f := range map[string]*workday.Figures{"alone": c.AloneFigures, "with fairbridge": c.FairbridgeFigures} {
		if f == nil || f.JobCount != 115 || f.MakespanSeconds <= 0 || f.IdleFraction <= 0 || f.IdleFraction >= 1 || len(f.AccountShares) != 3 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// What is remembered in Postgres and what in memory make the same day of it, as does another moment.
	if alone, beside := playVirtualDay(t, 1, ""), playVirtualDay(t, 1, "fairbridge"); fmt.Sprint(*alone, *beside) != fmt.Sprint(*c.AloneFigures, *c.FairbridgeFigures) {
		t.Errorf("over a database made of memory:\n%+v\n%+v\nover Postgres:\n%+v\n%+v", *alone, *beside, *c.AloneFigures, *c.FairbridgeFigures)
	}
	if c.AloneFigures.RequeueCount != 0 || c.FairbridgeFigures.RequeueCount != c.ChangesByKind["requeue"] || c.ChangesByKind["order"] == 0 {
		t.Errorf("Slurm's records have %d and %d requeues; the ledger has %v", c.AloneFigures.RequeueCount, c.FairbridgeFigures.RequeueCount, c.ChangesByKind)
	}
	if c.Policy != "fairbridge" || c.Seed != 1 || !strings.HasPrefix(c.SlurmTitle, "simulated") {
		t.Errorf("%+v", c)
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
	part.Only(t, "demo")
	livetest.SharedCluster(t) // skips where there is none
	o := options(t)
	o.Slurm, o.Policy = "real", "fairbridge"
	var out bytes.Buffer
	o.Out, o.Err, o.KeepsRunning, o.In = &out, &out, true, &keeper{t, o.FairbridgePath, &out, []string{"deadlines", "deadline-misses", "idle-reminders", "idle-stops"}, []string{"estimates", "idle-now"}} // no job is due; Slurm may estimate no start in minutes
	begin := time.Now()
	c, err := runForComparison(t.Context(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	most := maxWaitRatio
	if !c.Machine.KeptUp {
		most = maxWaitRatioOfSlow
		t.Log(c.latenessText())
	}
	if checkPromise(t, c.AloneFigures, c.FairbridgeFigures, most); c.Machine.CyclesMade == 0 || c.Machine.CyclesDue < 30 {
		t.Errorf("%+v", c.Machine)
	}
	t.Logf("after %v:\n%s", time.Since(begin).Round(time.Second), &out)
	for _, want := range []string{"on Slurm ", "\n  order ", "\n  pin ", "\n  requeue ", "4 probes measure 32 GPUs", "was requeued", "$ fairbridge replay --since 20m"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}
