// Package speed guards the speed of the program as a whole: a change that makes it a tenth slower or larger is
// seen at once. The speed of single decisions is guarded beside the policies.
package speed

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"

	"fairbridge/scripts/verify/part"
)

var write = flag.Bool("write", false, "keep what is measured, to compare later runs with")

const (
	figuresFile = "testdata/speed.tsv"
	tolerance   = 1.1 // a result worse than this times what is kept is a regression
	never       = 1e9
	repeats     = 3 // the least of so many runs counts: what a busy machine adds is not the program's
)

// workload is a run of the program. Its trace is made by the program itself, so that every machine has the same.
type workload struct {
	name  string
	trace []string // of fairbridge-lab trace generate; nil: it needs none
	run   []string // of fairbridge
}

var workloads = []workload{
	{"exact-fifo", philly(82_247, 2496, .3), simulate("312x8", "fifo")},
	{"exact-tiresias", philly(82_247, 2496, .3), simulate("312x8", "tiresias")},
	{"exact-fairbridge", philly(20_000, 1024, .3), simulate("128x8", "fairbridge")},
	{"exact-catalogue", philly(220, 32, 3), simulate("4x8", "all")},
	{"slurm-fairbridge", philly(1000, 64, .9), simulate("8x8", "fairbridge", "--fidelity", "slurm")},
	{"slurm-large", philly(2000, 2520, .9), simulate("315x8", "fairbridge", "--fidelity", "slurm")},
	{"slurm-backlog", philly(300, 64, 20), simulate("8x8", "fairbridge", "--fidelity", "slurm")},
	{"version", nil, []string{"version"}},
}

func philly(jobs, gpus int, load float64) []string {
	return []string{"philly", "--jobs", fmt.Sprint(jobs), "--gpus", fmt.Sprint(gpus), "--load", fmt.Sprint(load)}
}

func simulate(cluster, policies string, more ...string) []string {
	return append([]string{"simulate", "--json", "--cluster", cluster, "--policy", policies}, more...)
}

// cost is what a workload costs: processor time in yardsticks, and peak memory in megabytes.
type cost struct{ yardsticks, megabytes float64 }

// TestNothingBecameSlower compares every workload with the figures that are kept.
func TestNothingBecameSlower(t *testing.T) {
	part.Only(t, "speed")
	kept, program := readFigures(t), build(t)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workload\tseconds\tyardsticks\tkept\tratio\tMB\tkept\tratio\t")
	measured := map[string]cost{}
	for _, load := range workloads {
		command := load.command(t, program)
		was, seconds := kept[load.name], never
		var times, sizes []float64
		for i := 0; i < repeats && (i == 0 || *write || least(times, sizes).isWorse(was)); i++ {
			c, took := measure(t, command())
			times, sizes, seconds = append(times, c.yardsticks), append(sizes, c.megabytes), min(seconds, took)
		}
		best := least(times, sizes)
		measured[load.name] = cost{median(times), median(sizes)}
		fmt.Fprintf(w, "%s\t%.2f\t%.3f\t%.3f\t%.2f\t%.0f\t%.0f\t%.2f\t\n", load.name, seconds, best.yardsticks,
			was.yardsticks, best.yardsticks/was.yardsticks, best.megabytes, was.megabytes, best.megabytes/was.megabytes)
		if !*write && best.isWorse(was) {
			t.Errorf("%s costs %.3f yardsticks and %.0f MB; kept are %.3f and %.0f. Find the commit that did it and "+
				"mend it; where the cost is wanted, replace the figures and say why: make speed ARGS=-write",
				load.name, best.yardsticks, best.megabytes, was.yardsticks, was.megabytes)
		}
	}
	w.Flush()
	t.Logf("a yardstick is the time of a fixed loop in the same run:\n%s", table.String())
	if *write {
		writeFigures(t, measured)
	}
}

// isWorse reports whether a cost is a regression. Below a tenth of a yardstick time is noise.
func (c cost) isWorse(kept cost) bool {
	return c.yardsticks > max(kept.yardsticks*tolerance, .1) || c.megabytes > kept.megabytes*tolerance
}

// TestARegressionIsSeen wants worse figures told from those that only differ.
func TestARegressionIsSeen(t *testing.T) {
	kept := cost{2, 100}
	for _, c := range []struct {
		is   cost
		want bool
	}{
		{cost{2.19, 109}, false}, {cost{2.21, 100}, true}, {cost{2, 111}, true}, {cost{1, 50}, false},
	} {
		if got := c.is.isWorse(kept); got != c.want {
			t.Errorf("%v: %v, want %v", c.is, got, c.want)
		}
	}
}

// TestEveryWorkloadHasFigures: a workload that is not kept is not guarded.
func TestEveryWorkloadHasFigures(t *testing.T) {
	kept := readFigures(t)
	for _, load := range workloads {
		if c := kept[load.name]; c.yardsticks < 0 || c.megabytes <= 0 {
			t.Errorf("%s has no figures in %s", load.name, figuresFile)
		}
	}
	if len(kept) != len(workloads) {
		t.Errorf("%s has %d rows for %d workloads", figuresFile, len(kept), len(workloads))
	}
}

// command makes the trace and returns a function that makes the command.
func (w *workload) command(t *testing.T, program string) func() *exec.Cmd {
	t.Helper()
	args := slices.Clone(w.run)
	if w.trace != nil {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		made := append([]string{"trace", "generate", "--to", path}, w.trace...)
		if out, err := exec.CommandContext(t.Context(), program, made...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", made, err, out)
		}
		args = append(args, "--trace", path)
	}
	return func() *exec.Cmd { return exec.CommandContext(t.Context(), program, args...) }
}

func least(times, sizes []float64) cost { return cost{slices.Min(times), slices.Min(sizes)} }

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// measure returns what a command costs, and its processor seconds. The yardstick runs beside it all the time, as what
// else the machine does makes both slower. One processor is enough for each: with more, the collector of
// memory uses those that are idle.
func measure(t *testing.T, cmd *exec.Cmd) (c cost, seconds float64) {
	t.Helper()
	yardstick := exec.CommandContext(t.Context(), os.Args[0])
	var loops, errs bytes.Buffer
	yardstick.Env, yardstick.Stdout = append(os.Environ(), yardstickVariable+"=1", "GOMAXPROCS=1"), &loops
	cmd.Stderr, cmd.Env = &errs, append(cmd.Environ(), "GOMAXPROCS=1")
	if err := yardstick.Start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Run()
	if err := yardstick.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = yardstick.Wait() // ended by the signal
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, errs.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	seconds = processorSeconds(cmd)
	if loops.Len() > 0 {
		c.yardsticks = seconds / processorSeconds(yardstick) * float64(loops.Len()) / loopsPerYardstick
	}
	c.megabytes = float64(usage.Maxrss) / 1024
	return c, seconds
}

func processorSeconds(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fairbridge")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", path, "../../cmd/fairbridge-lab")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("compiling fairbridge: %v: %s", err, out)
	}
	return path
}

const (
	yardstickVariable = "FAIRBRIDGE_YARDSTICK"
	loopsPerYardstick = 30 // about a second
)

// TestMain runs the yardstick instead of tests where it is asked to.
func TestMain(m *testing.M) {
	if os.Getenv(yardstickVariable) != "" {
		runYardstick()
		return
	}
	os.Exit(m.Run())
}

// runYardstick does, until it is ended, a bit of everything that a simulation does: sorts, fills maps, allocates and
// adds up. It writes a byte for every loop. Never change it: the figures that are kept are multiples of it.
func runYardstick() {
	type item struct {
		key   int
		value float64
		next  *item
	}
	r := rand.New(rand.NewPCG(1, 1))
	for sum := 0.; ; {
		items, byKey := make([]*item, 0, 1000), map[int]*item{}
		for i := range 50_000 {
			it := &item{key: r.IntN(20_000), value: float64(i)}
			it.next = byKey[it.key]
			byKey[it.key] = it
			items = append(items, it)
		}
		slices.SortFunc(items, func(a, b *item) int { return a.key - b.key })
		for _, it := range items {
			for ; it != nil; it = it.next {
				sum += it.value
			}
		}
		if _, err := os.Stdout.WriteString(map[bool]string{true: "+", false: "-"}[sum > 0]); err != nil {
			return
		}
	}
}

func readFigures(t *testing.T) map[string]cost {
	t.Helper()
	text, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.Comment = '\t', '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]cost{}
	for _, row := range rows {
		y, err1 := strconv.ParseFloat(row[1], 64)
		mb, err2 := strconv.ParseFloat(row[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v: two numbers are wanted after the name", figuresFile, row)
		}
		kept[row[0]] = cost{y, mb}
	}
	return kept
}

func writeFigures(t *testing.T, measured map[string]cost) {
	t.Helper()
	var text strings.Builder
	text.WriteString("# workload, processor time in yardsticks, peak MB; written by make speed ARGS=-write\n")
	for _, load := range workloads {
		c := measured[load.name]
		fmt.Fprintf(&text, "%s\t%.3f\t%.0f\n", load.name, c.yardsticks, c.megabytes)
	}
	if err := os.WriteFile(figuresFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
