package ask

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/api"
)

// The estimate is shown while the job waits, and no longer.
func TestExplainShowsTheEstimateOfAWaitingJob(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	var s estimates.StoredEstimate
	s.MadeAt, s.Start.Early, s.Start.Middle, s.Start.Late, s.End.Middle = now, now.Add(time.Hour), now.Add(2*time.Hour), now.Add(4*time.Hour), now.Add(5*time.Hour)
	s.End.Early, s.End.Late = now.Add(3*time.Hour), now.Add(8*time.Hour)
	score := &estimates.Score{MoreThan: 3600, AtMost: 6 * 3600, LookCount: 40, HeldPart: .78, EarlyPart: .1, LatePart: .12, MedianError: 720, WithSlurmCount: 9, MedianErrorWithSlurm: 600, SlurmMedianError: 3600}
	e := &api.Job{EstimateScore: score, JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{{Submit: now}}}, Estimate: &s, Live: &api.LiveJob{State: "PENDING"}}
	print := func() string {
		var b strings.Builder
		PrintExplanation(&b, e, true, now)
		return strings.Join(strings.Fields(b.String()), " ")
	}
	if got, want := print(), "start between 13:00:00 and 16:00:00 (four in five such jobs do), half of them by 14:00:00, and to end between 15:00:00 and 20:00:00, half of them by 17:00:00; estimated 0s ago. Of 40 estimates of starts 1h to 6h ahead in the last 30 days, 78 % held (80 % should), 10 % of the jobs started earlier and 12 % later; half were off by less than 12m. Where Slurm had one too (9), half were off by less than 10m, half of Slurm's by less than 1h."; !strings.Contains(got, want) {
		t.Errorf("%s lacks %q", got, want)
	}
	now = now.Add(5 * time.Hour)
	if got, want := print(), "Its estimate did not hold: 5h ago nine in ten such jobs were thought to start by 16:00:00."; !strings.Contains(got, want) || strings.Contains(got, "estimated to start") {
		t.Errorf("%s lacks %q", got, want)
	}
	e.Live.State = "RUNNING"
	if got := print(); strings.Contains(got, "estimated to start") {
		t.Errorf("a running job: %s", got)
	}
}

func TestAheadIsNamedAsFarAsItMayBeSeen(t *testing.T) {
	two := []api.JobAhead{{Address: "5", User: "bob", GPUs: 8}, {Address: "7_[0-2]", User: "carol", GPUs: 1}}
	for want, e := range map[string]api.Job{
		"": {},
		"2 jobs wait ahead of it: 5 (bob, 8 GPUs), 7_[0-2] (carol, 1 GPU).":                                               {Ahead: two, AheadCount: 2},
		"1 job waits ahead of it: 5 (bob, 8 GPUs).":                                                                       {Ahead: two[:1], AheadCount: 1},
		"5 jobs wait ahead of it: 5 (bob, 8 GPUs), 7_[0-2] (carol, 1 GPU), and 3 you may not see.":                        {Ahead: two, AheadCount: 5, HiddenAhead: 3},
		"9 jobs wait ahead of it: 5 (bob, 8 GPUs), 7_[0-2] (carol, 1 GPU), and 4 more before them and 3 you may not see.": {Ahead: two, AheadCount: 9, HiddenAhead: 3},
		"3 jobs wait ahead of it that you may not see.":                                                                   {AheadCount: 3, HiddenAhead: 3},
	} {
		if got := aheadText(&e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// While the database is away nobody says that nothing was decided or changed.
func TestExplainSaysWhatCouldNotBeAsked(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	for recordError, want := range map[string]string{
		"":                    "None is stored: it came and went between two cycles, or ran before fairbridge watched. Nothing was changed in Slurm for it.",
		"no answer within 2s": "Decisions, newest first Not known: the database could not be asked. Changes in Slurm Not known: the database could not be asked.",
	} {
		e := &api.Job{JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{{Submit: now}}}, Daemon: api.DaemonState{RecordError: recordError}}
		var b strings.Builder
		PrintExplanation(&b, e, true, now)
		if got := words(b.String()); !strings.Contains(got, want) {
			t.Errorf("with error %q: %s", recordError, got)
		}
	}
}
