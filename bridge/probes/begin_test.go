package probes_test

import (
	"context"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
)

// TestBeginOfRuns: the begin of a run is told with its reports where it follows a requeue and none before was missed.
func TestBeginOfRuns(t *testing.T) {
	start := now.Add(-10 * time.Minute)
	for name, c := range map[string]struct {
		change func(*slurm.Job)
		looks  []time.Duration // before now; at the last one the report of a minute ago is there
		early  bool            // and at the first one, too
		want   bool
	}{
		"seen from its begin":        {looks: []time.Duration{9 * time.Minute, 0}, want: true},
		"looked at before it began":  {looks: []time.Duration{11 * time.Minute, 0}, want: true},
		"first seen with its report": {looks: []time.Duration{0}},
		"that was there before":      {looks: []time.Duration{30 * time.Second, 0}, early: true},
		"that still ends":            {change: func(j *slurm.Job) { j.State, j.Flags = "PENDING", []string{"COMPLETING"} }, looks: []time.Duration{9 * time.Minute, 0}},
		"its first run":              {change: func(j *slurm.Job) { j.Restarts = 0 }, looks: []time.Duration{9 * time.Minute, 0}},
		"not known when it could":    {change: func(j *slurm.Job) { j.EligibleTime = time.Time{} }, looks: []time.Duration{9 * time.Minute, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			job := runs(1, "n1", "gpu:a100:4(IDX:0-3)")
			job.Start, job.EligibleTime, job.Restarts, job.Account = start, start.Add(-5*time.Minute), 1, "vision"
			if c.change != nil {
				c.change(&job)
			}
			with := sample()
			with.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, AgeSeconds: 60, ReceivedAt: now.Add(-time.Minute), Progress: nodeprobe.Progress{StepsPerSecond: known(3)}}}
			source := &probed{samples: map[string]nodeprobe.Sample{"n1": sample()}}
			k := probes.New(source, "http://{node}", time.Hour, func() time.Time { return now })
			k.TrustProgressReports = true
			var last *bridge.SpeedReport
			k.OnNewSpeeds = func(list []bridge.SpeedReport) { last = &list[len(list)-1] }
			for i, before := range c.looks {
				v := &slurm.View{At: now.Add(-before), Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}}}
				if v.Jobs = []slurm.Job{job}; v.At.Before(job.Start) {
					v.Jobs[0].State = "PENDING"
				}
				if c.early || i == len(c.looks)-1 {
					source.samples["n1"] = with
				}
				if _, err := k.Sample(context.Background(), v); err != nil {
					t.Fatal(err)
				}
			}
			if last == nil || (last.Begin != nil) != c.want {
				t.Fatalf("told %+v", last)
			}
			if want := (bridge.RunBegin{Account: "vision", Restarts: 1, EligibleAt: job.EligibleTime.UTC(), RanFor: 9 * time.Minute}); c.want && *last.Begin != want {
				t.Errorf("%+v, want %+v", *last.Begin, want)
			}
		})
	}
}
