package startestimate

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)

// startAt is a job that starts so many hours after noon, an hour more or less, and ends two later.
func startAt(gpus int, limit, after time.Duration) whatif.JobStart {
	s := whatif.JobStart{Job: policy.Job{User: "ann", Account: "phys", Limit: limit, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}}}}
	at := noon.Add(after)
	s.Start.Early, s.Start.Middle, s.Start.Late = at.Add(-time.Hour), at, at.Add(time.Hour)
	s.End.Early, s.End.Middle, s.End.Late = at.Add(time.Hour), at.Add(2*time.Hour), at.Add(3*time.Hour)
	return s
}

func answerText(a *api.When) string {
	var b strings.Builder
	printWhen(&b, a, noon)
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestPrintWhen(t *testing.T) {
	a := &api.When{Partition: "gpu", Mode: bridge.ModeRank, Policy: "fifo", AsOf: noon, JobStart: startAt(8, 4*time.Hour, 5*time.Hour)}
	a.Sooner = []whatif.JobStart{startAt(4, 4*time.Hour, 90*time.Minute)}
	text := answerText(a)
	for _, want := range []string{
		"8 a100 for 4h in partition gpu, of user ann and account phys, as if submitted at 12:00:00:",
		"start 16:00:00 17:00:00 18:00:00 end 18:00:00 19:00:00 20:00:00", "not known yet", "4 a100 for 4h 12:30:00 13:30:00 14:30:00 3h30m",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	for _, no := range []string{"In mode", "not checked", "two weeks", "Neither"} {
		if strings.Contains(text, no) {
			t.Errorf("says %q:\n%s", no, text)
		}
	}
	a.ScoreError = "the database could not be asked"
	if text = answerText(a); strings.Contains(text, "no job has started") || !strings.Contains(text, "not known now: the database could not be asked.") {
		t.Errorf("of a score that could not be read:\n%s", text)
	}
	a.Mode, a.LimitError, a.IsBeyondHorizon, a.Unknown = bridge.ModeObserve, "slurmrestd is away", true, "account x is not known here"
	text = answerText(a)
	for _, want := range []string{"In mode observe Slurm orders the jobs, not policy fifo", "were not checked: slurmrestd is away", "But account x is not known here.", "not seen to start within two weeks", "more than 3h30m"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
}

func TestScoreText(t *testing.T) {
	for want, s := range map[string]estimates.Score{
		"Of 1 estimate of starts up to 10m ahead":                                                       {LookCount: 1, AtMost: 600},
		"Of 2 estimates of starts 1h to 6h ahead":                                                       {LookCount: 2, MoreThan: 3600, AtMost: 6 * 3600},
		"Of 3 estimates of starts more than 1d":                                                         {LookCount: 3, MoreThan: 24 * 3600},
		"81 % held (80 % should), 7 % of the jobs ":                                                     {HeldPart: .81, EarlyPart: .07, LatePart: .12, AtMost: 600},
		"Of their ends (5) 60 % held, 20 % came earlier and 20 % later; half were off by less than 10m": {AtMost: 600, EndCount: 5, EndHeldPart: .6, EndEarlyPart: .2, EndLatePart: .2, EndMedianError: 600},
	} {
		if got := ScoreText(&s); !strings.Contains(got, want) || strings.Contains(got, "Slurm") {
			t.Errorf("%q, want %q in it, and nothing of Slurm", got, want)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	for text, want := range map[string]time.Duration{"4h": 4 * time.Hour, "1h30m": 90 * time.Minute, "90": 90 * time.Minute, "4:00:00": 4 * time.Hour, "1-12": 36 * time.Hour} {
		f := whenFlags{gpus: 1, timeLimit: text}
		if got, err := f.parse(); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "30s", "-4h", "400-0", "UNLIMITED", "NaN", "1e300", "soon"} {
		f := whenFlags{gpus: 1, timeLimit: text}
		if got, err := f.parse(); err == nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}
