package simulation

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// wideBlock is the whole catalogue beside slurm on twenty seeds, whose figures have many digits
// and differ by factors of thousands. The last policy was interrupted before it began, the one
// before it fails on the first seed.
func wideBlock(t *testing.T) *study.PairedBlock {
	t.Helper()
	const seeds = 20
	scenario := &study.Scenario{Name: "wide", Jobs: make([]workload.Job, 4), Nodes: []policy.Node{{Name: "n", GPUs: []policy.NodeDevices{{Type: "x", Count: 8}}}}}
	b := &study.Block{Experiment: &study.Experiment{}}
	for range seeds {
		b.Scenarios = append(b.Scenarios, scenario)
	}
	names := []string{"slurm"}
	for _, e := range catalogue.Systems() {
		names = append(names, e.Name)
	}
	for k, name := range names {
		r := study.Result{Label: name}
		for seed := range seeds {
			wait := 3e5 * float64(1+(7*seed+3*k)%11) / float64(1+k%4*1000)
			run := &measure.Run{PolicyName: name, Seed: int64(seed), ClusterGPUs: 8, MakespanSeconds: 1e6 + wait, FillableIdleGPUSeconds: wait, WriteCount: k * 10000}
			for i, gpus := range []int{1, 4, 8, 16} {
				run.JobOutcomes = append(run.JobOutcomes, measure.JobOutcome{ID: int64(i), Account: "a", GPUCount: gpus, Finish: wait + 100, HeldSeconds: 100, ExclusiveRunSeconds: 100, StopCount: k * 300})
			}
			r.Ended = append(r.Ended, run)
		}
		switch len(names) - k {
		case 1:
			r.Ended, r.Err = nil, study.ErrInterrupted
		case 2:
			r.Ended, r.Err = r.Ended[1:], errors.New("out of ideas")
		}
		b.Results = append(b.Results, r)
	}
	p, err := b.PairWith("slurm")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRatiosFitATerminal(t *testing.T) {
	var out strings.Builder
	p := wideBlock(t)
	printRatios(&out, p)
	for line := range strings.Lines(strings.Split(out.String(), "Worse off")[0]) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	failed, unended := p.Comparisons[len(p.Comparisons)-2].PolicyLabel, p.Comparisons[len(p.Comparisons)-1].PolicyLabel
	for _, want := range []string{"\n  " + failed + ": failed: out of ideas\n", "(19 of 20 seeds)", "\nInterrupted before the first seed had ended: " + unended + "\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\n"+unended+" ") {
		t.Errorf("a row for %s, of which nothing is known:\n%s", unended, &out)
	}
}
