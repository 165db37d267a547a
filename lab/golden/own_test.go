package golden

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

var updateDigits = flag.Bool("update", false, "rewrite the digits of our own workload and print what changed")

const ownDigitsFile = "own.digits"

// TestOwnDigits wants the figures of every policy on a small workload of our own
// to be, to the last printed digit, what they were when they were committed.
// The published traces may be missing where this is built; this one is not: 32
// training jobs of three accounts, drawn by our generator for 16 GPUs, on 12
// of two types, so that types, weights, processors and gangs make a difference.
// A change that means to change decisions commits the new digits:
//
//	go test ./lab/golden -run TestOwnDigits -update
func TestOwnDigits(t *testing.T) {
	var got strings.Builder
	for _, s := range catalogue.Systems() {
		got.WriteString(formatDigits(s.Name, simulateOwn(t, s.Name)))
	}
	path := filepath.Join("testdata", ownDigitsFile)
	raw, err := os.ReadFile(path)
	if err != nil && !*updateDigits {
		t.Fatal(err)
	}
	changed := diffLines(string(raw), got.String())
	switch {
	case len(changed) == 0:
	case *updateDigits:
		fmt.Println(strings.Join(changed, "\n"))
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("decisions changed; if that is meant, commit what -update writes:\n%s", strings.Join(changed, "\n"))
	}
}

// simulateOwn runs a policy on our own workload by the clock of Shockwave's
// simulator.
func simulateOwn(t *testing.T, name string) *measure.Run {
	t.Helper()
	tr, err := trace.ReadFile(filepath.Join("testdata", "own.jsonl"), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := workload.ReadSpeedTables(filepath.Join("testdata", "own-speeds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var nodes []policy.Node
	for _, n := range []struct{ name, gpuType string }{{"n1", "k80"}, {"n2", "v100"}, {"n3", "v100"}} {
		nodes = append(nodes, policy.Node{Name: n.name, Partitions: []string{"gpu"}, CPUs: 32, MemMB: 256 << 10, GPUs: []policy.NodeDevices{{Type: n.gpuType, Count: 4}}})
	}
	run, err := exact.Run(exact.Config{Policy: lookup(t, name, nil), Nodes: nodes, Jobs: tr.Jobs, Accounts: tr.Accounts, SpeedTables: tables, Clock: exact.ShockwaveClock(),
		WatchDecision: func(snap *policy.Snapshot, plan *policy.Plan) {
			if err := plan.Check(snap); err != nil {
				t.Fatal(err)
			}
		}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return run
}

// formatDigits is a line of a run's figures. The last is a hash of every job's
// end in milliseconds: it differs when two jobs change places.
func formatDigits(name string, run *measure.Run) string {
	m, ends := run.Summarize(), fnv.New32a()
	for _, j := range run.JobOutcomes {
		fmt.Fprintf(ends, "%.3f\n", j.Finish)
	}
	return fmt.Sprintf("%-13s makespan %.3f avg %.3f rho %.5f mean %.5f unfair %.5f util %.5f rounds %d stops %d ends %08x\n", name,
		m.Makespan, m.AvgJCT, m.WorstRho, m.MeanRho, m.UnfairShare, m.Utilization, len(run.DecideSeconds), m.RestartCount, ends.Sum32())
}

// diffLines lists the lines that are only in was (-) or only in is (+), line by
// line.
func diffLines(was, is string) (changed []string) {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(a), len(b)) {
		before, after := lineAt(a, i), lineAt(b, i)
		if before == after {
			continue
		}
		if before != "" {
			changed = append(changed, "- "+before)
		}
		if after != "" {
			changed = append(changed, "+ "+after)
		}
	}
	return changed
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
