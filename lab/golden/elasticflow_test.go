package golden

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/experiment"
	"fairbridge/lab/slots"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// figure10 is the configuration of ElasticFlow's Figure 10: 100 jobs on 16 nodes of 8 A100.
func figure10(t *testing.T) exact.Config {
	t.Helper()
	return elasticConfig(t, here(t, "../elasticflow/traces/100jobs_1500lam.csv"), here(t, "../elasticflow/throughputs_A100"), "16x8:a100")
}

// elasticConfig reads a trace in the format of ElasticFlow's simulator, with its tables.
func elasticConfig(t *testing.T, path, tables, nodes string) exact.Config {
	t.Helper()
	on, err := cluster.ParseSpec(nodes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := experiment.LoadScenario(experiment.ScenarioSource{TracePath: path, TablesPath: tables, Nodes: on, Reports: study.AllReport})
	if err != nil {
		t.Fatal(err)
	}
	return exact.Config{Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Clock: slots.Clock(), OmitsReasons: true}
}

// summarizeDeadlines says how many of the jobs met their deadline, the mean of their completion
// times, and which missed it, counted from 0 as they arrive.
func summarizeDeadlines(jobs []workload.Job, run *measure.Run) string {
	met, sum, missed := 0, 0., []int{}
	for i := range jobs {
		k := slices.IndexFunc(run.JobOutcomes, func(o measure.JobOutcome) bool { return o.ID == jobs[i].ID })
		end := run.JobOutcomes[k].Finish
		switch sum += end - jobs[i].Arrive; {
		case jobs[i].Deadline == 0:
		case end <= jobs[i].Deadline:
			met++
		default:
			missed = append(missed, i)
		}
	}
	return fmt.Sprintf("%d met, mean %.2f, missed %v", met, sum/float64(len(jobs)), missed)
}

// TestElasticFlow wants of our policies, by the artifact's clock, what its own come to: of edf every digit
// (the artifact charges its EDF no overhead), of elasticflow every deadline and the mean completion
// time within 5 % of what the artifact has, 23,806.94 s.
func TestElasticFlow(t *testing.T) {
	c := figure10(t)
	if got, want := runDeadlines(t, c, "edf", 0), "92 met, mean 63318.75, missed [29 33 52 55 77 80 85 93]"; got != want {
		t.Errorf("edf: %s\nwant %s", got, want)
	}
	got := runDeadlines(t, c, "elasticflow", c.Clock.RestartCost)
	t.Log("elasticflow:", got)
	var met int
	var mean float64
	if _, err := fmt.Sscanf(got, "%d met, mean %f", &met, &mean); err != nil || met != 100 || math.Abs(mean/23806.94-1) > .05 {
		t.Errorf("elasticflow: %s (%v), want 100 met and a mean within 5 %% of 23806.94", got, err)
	}
}

// TestElasticFlowOwn is TestElasticFlow on the workload of our own; EDF as a second program has it.
func TestElasticFlowOwn(t *testing.T) {
	c := elasticConfig(t, "testdata/elastic.csv", "testdata/elastic_a100", "2x8:a100")
	for name, want := range map[string]string{
		"edf":         "7 met, mean 10917.05, missed [1 3 4 6 7 8 11 12 13 14 15 16 18 20 21 24 25 26 27 28 30 31 32 33 34 35 36 37 38]",
		"elasticflow": "21 met, mean 4796.15, missed [4 5 8 10 11 17 20 21 26 27 30 31 32 33 34]",
	} {
		if got := runDeadlines(t, c, name, 0); got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// runDeadlines simulates a policy with its own simulator's parameters.
func runDeadlines(t *testing.T, c exact.Config, name string, eventCost time.Duration) string {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	c.Policy, c.Clock.RestartCost = lookup(t, name, e.SimulatorParams), eventCost
	run, err := slots.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return summarizeDeadlines(c.Jobs, run)
}
