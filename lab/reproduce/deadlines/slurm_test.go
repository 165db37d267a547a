package deadlines

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/forecast"
	"fairbridge/replica/slurmrun"
)

// throughSlurm runs a system with its defaults through the loop, the gate and a simulated Slurm in mode preempt, on jobs whose owners let them
// be stopped and whose run times are predicted off by a fifth; "": Slurm alone.
func throughSlurm(t *testing.T, name string, seed int64) outcome {
	t.Helper()
	jobs := mixedJobs(seed, 150, .95, .3)
	for i := range jobs {
		jobs[i].TimeLimit = policy.DurationFromSeconds(3 * jobs[i].Duration).Truncate(time.Minute)
	}
	c := slurmrun.Config{Nodes: newNodes(8, 8), Jobs: jobs, Seed: seed, PolicyName: name, RestartCost: 30 * time.Second}
	if name != "" {
		s, err := catalogue.FindSystem(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Policy, err = s.New(nil); err != nil {
			t.Fatal(err)
		}
		c.RunTimes = forecast.RunTimePredictor(newGuesses(jobs, .2))
	}
	run, err := slurmrun.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return sumUp(run, jobs)
}

// TestDeadlinesThroughSlurm: through Slurm, where stops are few, starts late and run times off, Karuna and Chronus miss no more deadlines than Slurm
// alone by more than three points, and cost the others nothing. What they gain where plans are carried out at once does not come through: the earliest
// deadline first misses half as many as they.
func TestDeadlinesThroughSlurm(t *testing.T) {
	figures := map[string][]float64{}
	note := func(name string, v float64) { figures[name] = append(figures[name], v) }
	for seed := int64(1); seed <= 5; seed++ {
		alone := throughSlurm(t, "", seed)
		note("missed, Slurm alone", alone.missed)
		for _, name := range []string{"edf", "karuna", "chronus"} {
			o := throughSlurm(t, name, seed)
			note("missed, "+name, o.missed)
			note("missed more than Slurm alone, "+name, o.missed-alone.missed)
			note("best effort, mean, Slurm alone over "+name, alone.bestMean/o.bestMean)
			note("best effort, p95, Slurm alone over "+name, alone.bestP95/o.bestP95)
		}
	}
	report(t, figures)
	for _, name := range []string{"karuna", "chronus"} {
		if m, _, _ := spread(figures["missed more than Slurm alone, "+name]); m > .03 {
			t.Errorf("%s misses %.3f more of the deadlines than Slurm alone, want .03", name, m)
		}
		if m, _, _ := spread(figures["best effort, mean, Slurm alone over "+name]); m < .97 {
			t.Errorf("best effort takes %.2f times as long under %s as under Slurm alone", 1/m, name)
		}
	}
}
