package shadow

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge/harm"
	"fairbridge/bridge/study"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// TestLearnerAgainstTeacher: equal shares, in the place of a network that learnt badly, make jobs take
// much longer than the shortest first, and are to give way; the teacher itself does not.
func TestLearnerAgainstTeacher(t *testing.T) {
	var jobs []workload.Job
	for i := range 60 {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), User: "ann", Account: "a", Arrive: float64(300 * i), GPUs: 2, MinGPUs: 1, MaxGPUs: 8, Duration: []float64{1200, 1200, 4000}[i%3],
			Scaling: &policy.Scaling{Source: policy.ScalingFromTable}})
		jobs[i].TimeLimit = time.Duration(jobs[i].Duration) * time.Second
	}
	node := policy.Node{Name: "n1", Partitions: []string{"gpu"}, CPUs: 64, GPUs: []policy.NodeDevices{{Type: "a100", Count: 16}}}
	s, err := study.NewScenario(study.Scenario{Name: "by hand", Jobs: jobs, Nodes: []policy.Node{node}}, false)
	if err != nil {
		t.Fatal(err)
	}
	site := &replay.PastScenario{Scenario: s, Partition: "gpu", Since: monday, Until: monday.Add(24 * time.Hour), ArrivedWithinPeriod: map[int64]bool{}}
	for i := range s.Jobs {
		site.ArrivedWithinPeriod[s.Jobs[i].ID] = true
	}
	for params, want := range map[string]harm.Claim{"by=equal max_change=1 max_stops=-1 min_run=1s": harm.Harm, "by=teacher max_change=1 max_stops=-1 min_run=1s": harm.NoHarm} {
		p, err := policyset.ChoiceFromRecord("dl2", params)
		if err != nil {
			t.Fatal(err)
		}
		m, err := MeasureLearner(t.Context(), site, p, Options{SeedCount: 2, RunOptions: study.RunOptions{KnowsTruth: true}})
		if err != nil {
			t.Fatal(err)
		}
		c := harm.JudgeMeasurement("gpu", monday, m, harm.DefaultBounds())
		if _, yes := harm.DecideFallback(&c, p.Label, harm.DefaultBounds()); c.Verdict != want || yes != (want == harm.Harm) || m.JobCount != 60 {
			t.Errorf("%s: %s", params, c.Summarize())
		}
	}
	p, err := policyset.ChoiceFromRecord("fifo", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MeasureLearner(t.Context(), site, p, Options{SeedCount: 1}); !errors.Is(err, ErrNoTeacher) {
		t.Error(err)
	}
}
