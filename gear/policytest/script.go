package policytest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fairbridge/policy"
)

var updateScripts = flag.Bool("update", false, "rewrite the expectations of text cases")

// RunScripts runs the text cases that the pattern matches. A case is a txtar
// archive: a comment, then these files.
//
//	policy     name and parameters: "tiresias promote_knob=8 queues=14400"
//	nodes      table; columns name, gpus ("8×a100,2×h100"), gpu_mem (megabytes of each), cpus,
//	           mem, down, partition
//	accounts   table; columns name, weight, used, recent (GPU-hours), parent
//	users      table; columns name, account, weight
//	jobs       table; columns name, id, user, account, gpus ("2", "2×a100"), cpus, mem,
//	           on ("n1:2×a100", or with devices "n1:2×a100[0-1]"), arrive, start, first, stop (how long ago), attained
//	           (GPU-hours), limit, left (predicted remaining time), sigma (from there to
//	           the 84 % quantile), nodes, max_nodes, tasks, min and max (GPUs of an elastic job), stops, fixed, held, class,
//	           alone (run time by GPU type, "a100:1h,v100:4h"), losses (with alone: what it reported
//	           after parts of its work, "0:4,0.5:2"), beside (speed beside a
//	           neighbour of a class, relative to alone: "vae:0.7"; the job is then
//	           shareable), stages (seconds of a step at input, GPU and network,
//	           "0.5+0.01+0"; the job is then shareable, too), cores (speeds with so many
//	           cores beside each GPU, "1:0.4,3:1,6:1.5"; its owner accepts less than it asks), busy (share
//	           of the time in which its GPU computes) and gpu_mem (megabytes it uses there; with
//	           either the job is shareable, too, by as many jobs as share says, and opportunistic
//	           where that column has something), speeds (on so many GPUs, "1:10,2:18" or "1×a100:10"); for timelines work (run time in all; left shrinks as the job
//	           runs) and later (arrives so long after the start); deadline (so long from now)
//	           and mixed (accepts GPUs of several types), replica (of an inference service),
//	           value (of its being done by the deadline), soft (worth something after it, too), qos
//	budgets    table of deadline budgets; columns account or qos, weekly (GPU-hours)
//	services   table of inference services; columns name, type, own, now (GPUs needed), from and later
//	           (GPUs needed from so long from now on); of one whose replicas are scaled rates (requests a
//	           second of the last minutes, "40,45"), within and request and setup (durations: of 99 % of the
//	           answers, of one on a replica, of a start), least and most (replicas)
//	history    table; columns gpus, ran
//	trust      (optional) how far predictions proved true, 0 to 1
//	memo       what the policy remembered, as it wrote it
//	want       one line per job, in order of rank: name, verb, place, cores and memory given, for whom
//	why        (optional) lines that must each be part of some reason
//	timeline   (instead of want) the runs of every job when the plan is carried
//	           out every step, and the average time to completion
//	step       for timeline: time between plans
//
// Columns may be left out and cells be "-". make builds a policy by name from
// parameters as they would stand in the configuration.
func RunScripts(t *testing.T, pattern string, make func(name string, params map[string]any) (policy.Policy, error)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases match %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			if err := runScript(t, file, make); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		})
	}
}

func runScript(t *testing.T, file string, make func(string, map[string]any) (policy.Policy, error)) error {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	c, err := readCase(a)
	if err != nil {
		return err
	}
	p, err := make(c.policyName, c.params)
	if err != nil {
		return err
	}
	if c.stepLength > 0 {
		got, err := replay(p, c)
		if err != nil {
			return err
		}
		return c.compareSection(t, file, a, "timeline", got)
	}
	plan, err := p.Decide(c.snapshot)
	if err != nil {
		return err
	}
	if err := plan.Check(c.snapshot); err != nil {
		return err
	}
	for _, part := range c.reasonPatterns {
		if !slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool { return strings.Contains(d.Why, part) }) {
			t.Errorf("%s: no reason says %q", file, part)
		}
	}
	return c.compareSection(t, file, a, "want", c.printPlan(plan))
}

// printPlan prints a plan as it stands in a case.
func (c *textCase) printPlan(plan *policy.Plan) string {
	byRank := slices.Clone(plan.Decisions)
	slices.SortFunc(byRank, func(a, b policy.Decision) int { return a.Rank - b.Rank })
	var b strings.Builder
	for _, d := range byRank {
		fmt.Fprintf(&b, "%s %s", c.jobName(d.Job), d.Verb)
		if len(d.On) > 0 {
			fmt.Fprintf(&b, " %v", d.On)
		}
		for _, s := range d.BatchShares {
			fmt.Fprintf(&b, " %.3g on each %s", s.PerGPU, s.Type)
		}
		if d.Given != (policy.Amounts{}) {
			fmt.Fprintf(&b, " with %v", d.Given)
		}
		if d.StoppedFor != 0 {
			fmt.Fprintf(&b, " for %s", c.jobName(d.StoppedFor))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// compareSection compares with the file of the archive, or rewrites it.
func (c *textCase) compareSection(t *testing.T, file string, a *txtar.Archive, section, got string) error {
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == section })
	if i < 0 {
		return fmt.Errorf("no %s", section)
	}
	if *updateScripts {
		a.Files[i].Data = []byte(got)
		return os.WriteFile(file, txtar.Format(a), 0o666)
	}
	if d := cmp.Diff(string(a.Files[i].Data), got); d != "" {
		t.Errorf("%s: %s (-want +got):\n%s", file, section, d)
	}
	return nil
}
