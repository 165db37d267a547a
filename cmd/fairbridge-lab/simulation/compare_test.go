package simulation

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"fairbridge/cmd/internal/trial"

	"fairbridge/accounting/chart"
	"fairbridge/lab/experiment"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// clueless is a policy that cannot decide.
type clueless struct{}

func (clueless) Decide(*policy.Snapshot) (*policy.Plan, error) {
	return nil, errors.New("out of ideas")
}

// contest is fifo, a policy that fails and srtf, on four jobs of a user with a
// name that means harm.
func contest(t *testing.T) *study.Experiment {
	t.Helper()
	nodes, err := cluster.ParseSpec("2x2")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []workload.Job
	for i := range 4 {
		jobs = append(
			jobs,
			workload.Job{
				ID:       int64(i + 1),
				User:     "=cmd|x\nann",
				Account:  "@nlp",
				GPUs:     1 + i%2,
				Arrive:   float64(60 * i),
				Duration: 600,
			},
		)
	}
	s, err := study.NewScenario(study.Scenario{Name: "small", Jobs: jobs, Nodes: nodes}, false)
	if err != nil {
		t.Fatal(err)
	}
	e := &study.Experiment{Scenarios: []*study.Scenario{s, s}, RunOptions: study.RunOptions{Seed: 1}}
	if err := experiment.SetClock(&e.RunOptions, "intervals", 0, s); err != nil {
		t.Fatal(err)
	}
	if e.Policies, err = policyset.ParsePolicies("fifo,srtf", true); err != nil {
		t.Fatal(err)
	}
	fails := policyset.PolicyChoice{
		Label:  "fails",
		System: paper.System{Name: "fails", New: func(paper.Params) (policy.Policy, error) { return clueless{}, nil }},
	}
	e.Policies = []policyset.PolicyChoice{e.Policies[0], fails, e.Policies[1]}
	return e
}

// A policy that fails costs the others nothing: they have their figures, its row
// says why, and the command fails.
func TestOnePolicyFails(t *testing.T) {
	e := contest(t)
	results, err := e.Run(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table, lines, html bytes.Buffer
	if err := trial.PrintComparison(&table, e, results, false); err == nil ||
		err.Error() != "1 of 3 policies failed: fails" {
		t.Errorf("the command ends with %v", err)
	}
	if err := trial.PrintComparison(&lines, e, results, true); err == nil {
		t.Error("with --json it succeeds")
	}
	if err := chart.WriteComparisonPage(&html, e.NewComparisonPage(results)); err != nil {
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
	e := contest(t)
	results, err := e.Run(t.Context(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var both, one strings.Builder
	if err := study.WriteJobOutcomes(&both, results); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(both.String()), "\n")
	if want := "policy,seed,job,user,account,gpus,arrive_s,start_s,end_s,wait_s,jct_s,rho,stops"; lines[0] != want ||
		len(lines) != 1+2*2*4 {
		t.Errorf("%d lines, the first %s, want 17 and %s", len(lines), lines[0], want)
	}
	if err := study.WriteJobOutcomes(&one, []study.Result{{Runs: results[0].Runs[:1]}}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Split(one.String(), "\n")[1], `1,'=cmd|x\nann,'@nlp,1,0.000,0.000,600.000,0.000,600.000,1.00000,0`; got != want {
		t.Errorf("job 1 is\n%s\nwant\n%s", got, want)
	}
}
