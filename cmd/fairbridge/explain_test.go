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
	e := &explanation{JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{{Submit: now}}}, Estimate: &s, Live: &liveJob{State: "PENDING"}}
	print := func() string {
		var b strings.Builder
		printExplanation(&b, e, now)
		return strings.Join(strings.Fields(b.String()), " ")
	}
	if got, want := print(), "start between 13:00:00 and 16:00:00 (four in five such jobs do), half of them by 14:00:00, and to end by about 17:00:00; estimated at 12:00:00."; !strings.Contains(got, want) {
		t.Errorf("%s lacks %q", got, want)
	}
	e.Live.State = "RUNNING"
	if got := print(); strings.Contains(got, "estimated to start") {
		t.Errorf("a running job: %s", got)
	}
}
