package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trial"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// clueless is a policy that cannot decide.
type clueless struct{}

func (clueless) Decide(*policy.Snapshot) (*policy.Plan, error) {
	return nil, errors.New("out of ideas")
}

// contest is fifo, a policy that fails and srtf, on four jobs of a user with a
// name that means harm.
func contest(t *testing.T) *arena {
	t.Helper()
	nodes, err := cluster.Parse("2x2")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []workload.Job
	for i := range 4 {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), User: "=cmd|x\nann", Account: "@nlp", GPUs: 1 + i%2, Arrive: float64(60 * i), Duration: 600})
	}
	w, err := trial.New("small", jobs, nil, nil, nodes)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Workload: w, seed: 1}
	if b.way.Clock, err = trial.Clock("intervals", 0); err != nil {
		t.Fatal(err)
	}
	if b.picks, err = policyset.Parse("fifo,srtf", true); err != nil {
		t.Fatal(err)
	}
	fails := policyset.Pick{Label: "fails", Entry: paper.System{Name: "fails", New: func(paper.Params) (policy.Policy, error) { return clueless{}, nil }}}
	b.picks = []policyset.Pick{b.picks[0], fails, b.picks[1]}
	return &arena{bench: b, workloads: []*trial.Workload{w, w}}
}

// A policy that fails costs the others nothing: they have their figures, its row
// says why, and the command fails.
func TestOnePolicyFails(t *testing.T) {
	a := contest(t)
	all, err := a.all(t.Context(), io.Discard, 2)
	if err != nil {
		t.Fatal(err)
	}
	var table, lines, html bytes.Buffer
	if err := a.tell(&table, all, false); err == nil || err.Error() != "1 of 3 policies failed: fails" {
		t.Errorf("the command ends with %v", err)
	}
	if err := a.tell(&lines, all, true); err == nil {
		t.Error("with --json it succeeds")
	}
	if err := a.page(all, &trials{}).write(&html); err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"table": table.String(), "JSON": lines.String(), "page": html.String()} {
		for _, name := range []string{"fifo", "srtf", "fails", "out of ideas"} {
			if !strings.Contains(text, name) {
				t.Errorf("the %s does not tell of %s:\n%s", what, name, text)
			}
		}
	}
	for _, want := range []string{`"policy":"fails","trace":"small","error":`, `"policy":"srtf"`} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no %s in\n%s", want, &lines)
		}
	}
}

func TestPerJob(t *testing.T) {
	a := contest(t)
	all, err := a.all(t.Context(), io.Discard, 1)
	if err != nil {
		t.Fatal(err)
	}
	var both, one strings.Builder
	if err := perJob(runsOf(all))(&both); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(both.String()), "\n")
	if want := "policy,seed,job,user,account,gpus,arrive_s,start_s,end_s,wait_s,jct_s,rho,stops"; lines[0] != want || len(lines) != 1+2*2*4 {
		t.Errorf("%d lines, the first %s, want 17 and %s", len(lines), lines[0], want)
	}
	if err := perJob(all[0].runs[:1])(&one); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Split(one.String(), "\n")[1], `1,'=cmd|x\nann,'@nlp,1,0.000,0.000,600.000,0.000,600.000,1.00000,0`; got != want {
		t.Errorf("job 1 is\n%s\nwant\n%s", got, want)
	}
}
