package ledger

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// viewOf is a view of one job at noon.
func viewOf(j slurm.Job) *slurm.View { return &slurm.View{At: noon, Jobs: []slurm.Job{j}} }

func replacedNumber(kind slurm.EditKind, v int64, ago time.Duration) bridge.Intent {
	in := number(kind, v, bridge.IntentYielded)
	in.Closed, in.Error = noon.Add(-ago), "replaced"
	return in
}

func TestOtherOrderReasonByJob(t *testing.T) {
	factor := func(v int64) func(*slurm.Job) {
		return func(j *slurm.Job) { j.SiteFactor, j.IsSiteFactorKnown = v, true }
	}
	for _, tt := range []struct {
		name    string
		intents []bridge.Intent
		job     func(*slurm.Job)
		want    string // in the reason; "": there is none
	}{
		{"nothing stands", nil, factor(0), ""},
		{"a site factor of another's", nil, factor(41), "41"},
		{"one that is not shown", nil, func(j *slurm.Job) { j.SiteFactor = 41 }, ""},
		{"ours", []bridge.Intent{number(slurm.EditSiteFactor, 41, bridge.IntentObserved)}, factor(41), ""},
		{"ours, not answered yet", []bridge.Intent{number(slurm.EditSiteFactor, 41, bridge.IntentUnknown)}, factor(41), ""},
		{"ours of before, which a late call wrote", []bridge.Intent{number(slurm.EditSiteFactor, 41, bridge.IntentExpired)}, factor(41), ""},
		{"another's over ours", []bridge.Intent{number(slurm.EditSiteFactor, 7, bridge.IntentObserved)}, factor(41), "41"},
		{"of a job that runs", nil, func(j *slurm.Job) { factor(41)(j); j.State = "RUNNING" }, ""},
		{"a nice that took the place of ours", []bridge.Intent{replacedNumber(slurm.EditNice, 7, time.Minute)}, same, "replaced"},
		{"an hour ago", []bridge.Intent{replacedNumber(slurm.EditNice, 7, time.Hour)}, same, ""},
		{"a begin time, which orders nothing", []bridge.Intent{func() bridge.Intent { in := lease(bridge.IntentYielded); in.Closed = noon; return in }()}, same, ""},
		{"of the job that had the id before", []bridge.Intent{replacedNumber(slurm.EditNice, 7, 0)}, func(j *slurm.Job) { j.Submit = noon }, ""},
	} {
		j := waiting()
		tt.job(&j)
		got, has := OtherOrderReasonByJob(tt.intents, viewOf(j))[j.ID]
		if has != (tt.want != "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCheckOtherOrder(t *testing.T) {
	reasons := map[int64]string{1: "a", 2: "b"}
	if err := CheckOtherOrder(reasons); err != nil {
		t.Errorf("two jobs may be a person's wish: %v", err)
	}
	for id := int64(3); id <= 9; id++ {
		reasons[id] = "c"
	}
	err := CheckOtherOrder(reasons)
	if err == nil || !strings.Contains(err.Error(), "9 waiting jobs") || !strings.Contains(err.Error(), "job 5: c; …") || strings.Contains(err.Error(), "job 6") {
		t.Errorf("%v", err)
	}
}

func TestRestoredIntents(t *testing.T) {
	nice := func(v int64) func(*slurm.Job) { return func(j *slurm.Job) { j.Nice = v } }
	neverSent := replacedNumber(slurm.EditNice, 90, 0)
	neverSent.ID, neverSent.Sent = 2, time.Time{}
	later := number(slurm.EditNice, 90, bridge.IntentObserved)
	later.ID = 2
	for _, tt := range []struct {
		name    string
		intents []bridge.Intent
		job     func(*slurm.Job)
		want    bool
	}{
		{"it stands again", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0)}, nice(400), true},
		{"the other's stands", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0)}, nice(410), false},
		{"none stands", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0)}, same, false},
		{"it was the owner's own", []bridge.Intent{replacedNumber(slurm.EditNice, 0, 0)}, same, false},
		{"it may stand, and is not shown", []bridge.Intent{replacedNumber(slurm.EditNice, -400, 0)}, func(j *slurm.Job) { j.IsNiceKnown = false }, false},
		{"what was not sent after it does not hide it", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0), neverSent}, nice(400), true},
		{"a later one of ours stands", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0), later}, nice(400), false},
		{"the job runs", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0)}, func(j *slurm.Job) { j.Nice, j.State = 400, "RUNNING" }, false},
		{"another job has the id", []bridge.Intent{replacedNumber(slurm.EditNice, 400, 0)}, func(j *slurm.Job) { j.Nice, j.Submit = 400, noon }, false},
		{"a lease", []bridge.Intent{lease(bridge.IntentYielded)}, func(j *slurm.Job) { j.EligibleTime = noon.Add(10 * time.Minute) }, false},
	} {
		j := waiting()
		tt.job(&j)
		got := RestoredIntents(tt.intents, viewOf(j))
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
			continue
		}
		if tt.want && (got[0].ID != 0 || got[0].State != bridge.IntentObserved || got[0].Edit.Value != 400 || !got[0].Sent.IsZero()) {
			t.Errorf("%s: %+v", tt.name, got[0])
		}
	}
}
