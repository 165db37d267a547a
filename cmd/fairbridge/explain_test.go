package main

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/policy"
)

func TestRequest(t *testing.T) {
	gang := policy.Job{Limit: 2 * time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 6}, MinNodes: 3, PerNode: 2}}
	shorter, fewer, one := gang, gang, gang
	shorter.Limit = time.Hour
	fewer.Ask.GPUs.Count, fewer.Ask.MinNodes = 4, 2
	one.Ask.GPUs.Count, one.Ask.MinNodes = 2, 1
	for want, smaller := range map[string]policy.Job{"a time limit of 1h": shorter, "4 a100 on 2 nodes": fewer, "2 a100": one} {
		if got := smallerRequestText(&gang, &smaller); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The estimate is shown while the job waits, and no longer.
func TestExplainShowsTheEstimateOfAWaitingJob(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	var s estimates.StoredEstimate
	s.MadeAt, s.Start.Early, s.Start.Middle, s.Start.Late, s.End.Middle = now, now.Add(time.Hour), now.Add(2*time.Hour), now.Add(4*time.Hour), now.Add(5*time.Hour)
	s.End.Early, s.End.Late = now.Add(3*time.Hour), now.Add(8*time.Hour)
	score := &estimates.Score{MoreThan: 3600, AtMost: 6 * 3600, LookCount: 40, HeldPart: .78, EarlyPart: .1, LatePart: .12, MedianError: 720, WithSlurmCount: 9, MedianErrorWithSlurm: 600, SlurmMedianError: 3600}
	e := &explanation{EstimateScore: score, JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{{Submit: now}}}, Estimate: &s, Live: &liveJob{State: "PENDING"}}
	print := func() string {
		var b strings.Builder
		printExplanation(&b, e, now)
		return strings.Join(strings.Fields(b.String()), " ")
	}
	if got, want := print(), "start between 13:00:00 and 16:00:00 (four in five such jobs do), half of them by 14:00:00, and to end between 15:00:00 and 20:00:00, half of them by 17:00:00; estimated 0s ago. Of 40 estimates of starts 1h to 6h ahead in the last 30 days, 78 % held (80 % should), 10 % of the jobs started earlier and 12 % later; half were off by less than 12m. Where Slurm had one too (9), half were off by less than 10m, half of Slurm's by less than 1h."; !strings.Contains(got, want) {
		t.Errorf("%s lacks %q", got, want)
	}
	e.Live.State = "RUNNING"
	if got := print(); strings.Contains(got, "estimated to start") {
		t.Errorf("a running job: %s", got)
	}
}
