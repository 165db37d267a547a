package experiment

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy/learn"
	"fairbridge/replica/measure"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// lengthExperiment is two policies on one GPU: a long job whose limit is short, and a
// short one whose limit is long, that wait behind another.
func lengthExperiment(t *testing.T, knowsTruth bool, reports study.JobReports) *study.Experiment {
	t.Helper()
	jobs := []workload.Job{
		{ID: 1, User: "ann", GPUs: 1, Duration: 600},
		{ID: 2, User: "bob", GPUs: 1, Arrive: 1, Duration: 5000},
		{ID: 3, User: "eve", GPUs: 1, Arrive: 2, Duration: 60},
	}
	for i, minutes := range []int{10, 100, 2880} {
		jobs[i].TimeLimit, jobs[i].IsUnstoppable = time.Duration(minutes)*time.Minute, true
	}
	reports.SetReports(jobs)
	s, err := study.NewScenario(study.Scenario{Name: "three", Jobs: jobs, Nodes: nodes(t, "1x1:a100")}, false)
	if err != nil {
		t.Fatal(err)
	}
	e := &study.Experiment{
		Scenarios:  []*study.Scenario{s},
		RunOptions: study.RunOptions{Seed: 1, KnowsTruth: knowsTruth},
	}
	if err := SetClock(&e.RunOptions, "intervals", 0, s); err != nil {
		t.Fatal(err)
	}
	if e.Policies, err = policyset.ParsePolicies("sjf,srtf", true); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestOnlyAnOracleKnows wants a policy to go by time limits where nothing is known, and
// by true run times with an oracle or where all report; and the output to say which.
func TestOnlyAnOracleKnows(t *testing.T) {
	for _, c := range []struct {
		knowsTruth  bool
		reports     study.JobReports
		from        study.RunTimeSource
		says        string
		shortIsNext bool
	}{
		{false, study.DefaultReports, study.LearntRunTimes, "as live, true run times are not known", false},
		{true, study.DefaultReports, study.TrueRunTimes, "ORACLE", true},
		{false, study.AllReport, study.ReportedRunTimes, "all jobs report", true},
	} {
		for _, throughSlurm := range []bool{false, true} {
			e := lengthExperiment(t, c.knowsTruth, c.reports)
			if e.ThroughSlurm = throughSlurm; throughSlurm && c.reports == study.AllReport {
				continue // no job reports through Slurm
			}
			if e.RunTimeSource() != c.from || !strings.Contains(e.DescribeRunTimes(), c.says) {
				t.Errorf("%+v: run times are %s: %s", c, e.RunTimeSource(), e.DescribeRunTimes())
			}
			results, err := e.Run(t.Context(), 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
				if next := startOf(r.Runs[0], 3) < startOf(r.Runs[0], 2); next != c.shortIsNext {
					t.Errorf(
						"%s, %s, through Slurm %t: the short job starts before the long one: %t",
						c.from,
						r.Label,
						throughSlurm,
						next,
					)
				}
			}
		}
	}
}

// TestNothingIsPredicted wants what earlier jobs ran to be of use to a policy, and of none to one that
// is told nothing.
func TestNothingIsPredicted(t *testing.T) {
	for _, throughSlurm := range []bool{false, true} {
		for _, predictsNothing := range []bool{false, true} {
			e := lengthExperiment(t, false, study.DefaultReports)
			e.ThroughSlurm, e.PredictsNothing, e.History = throughSlurm, predictsNothing, shortAndLongRuns()
			if want := map[bool]study.RunTimeSource{false: study.LearntRunTimes, true: study.NoRunTimes}[predictsNothing]; e.RunTimeSource() != want {
				t.Errorf("run times are %s, want %s", e.RunTimeSource(), want)
			}
			results, err := e.Run(t.Context(), 1, nil)
			if err != nil || results[0].Err != nil {
				t.Fatal(err, results[0].Err)
			}
			if next := startOf(results[0].Runs[0], 3) < startOf(results[0].Runs[0], 2); next == predictsNothing {
				t.Errorf(
					"through Slurm %t, nothing predicted %t: the short job starts before the long one: %t",
					throughSlurm,
					predictsNothing,
					next,
				)
			}
		}
	}
}

// shortAndLongRuns is what the jobs of lengthExperiment's users ran before.
func shortAndLongRuns() study.History {
	h := study.History{Until: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)}
	for i := range 60 {
		r := learn.Run{Job: learn.Job{User: "bob", GPUs: 1, Limit: 100 * time.Minute}, Ran: 5000 * time.Second}
		if i%2 == 1 {
			r = learn.Run{Job: learn.Job{User: "eve", GPUs: 1, Limit: 2880 * time.Minute}, Ran: 60 * time.Second}
		}
		r.End = h.Until.Add(-time.Duration(i+1) * 2 * time.Hour)
		r.Start = r.End.Add(-r.Ran)
		h.Runs = append(h.Runs, r)
	}
	return h
}

func startOf(r *measure.Run, id int64) float64 {
	for i := range r.JobOutcomes {
		if r.JobOutcomes[i].ID == id {
			return r.JobOutcomes[i].Start
		}
	}
	return -1
}
