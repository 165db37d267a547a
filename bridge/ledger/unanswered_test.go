package ledger

import (
	"reflect"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestACallByAClockThatWasAhead: a call without an answer is given up when it cannot be carried out any
// more, however long before the call it was made, also when the clock of the process that sent it was a day ahead.
func TestACallByAClockThatWasAhead(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		sent, now time.Duration // since it was made
		want      bool
	}{
		{time.Second, 4 * time.Minute, false}, {time.Second, 4*time.Minute + 2*time.Second, true}, {3 * time.Second, 0, false},
		{5 * time.Minute, 8 * time.Minute, false}, {5 * time.Minute, 9*time.Minute + time.Second, true},
		{24 * time.Hour, 13 * time.Minute, false}, {24 * time.Hour, 15 * time.Minute, true},
	} {
		in := &bridge.Intent{State: bridge.IntentUnknown, Made: at, Sent: at.Add(c.sent)}
		if got := isUnansweredTooLong(in, at.Add(c.now)); got != c.want {
			t.Errorf("sent %v and looked at %v after it was made: %t", c.sent, c.now, got)
		}
	}
}

// TestWhatOwnersSetWhileACallIsUnderWay is given back when the call comes late.
func TestWhatOwnersSetWhileACallIsUnderWay(t *testing.T) {
	own := noon.Add(5 * time.Minute)
	for name, c := range map[string]struct {
		in          bridge.Intent
		owner, late func(*slurm.Job)
		want        slurm.Edit
	}{
		"nice": {
			number(slurm.EditNice, -208, bridge.IntentUnknown), func(j *slurm.Job) { j.Nice = 411 },
			func(j *slurm.Job) { j.Nice = -208 }, slurm.Edit{Kind: slurm.EditNice, Value: 411},
		},
		"begin time": {
			lease(bridge.IntentUnknown), func(j *slurm.Job) { j.EligibleTime = own },
			func(j *slurm.Job) { j.EligibleTime = noon.Add(10 * time.Minute) },
			slurm.Edit{Kind: slurm.EditUnlease, Until: own},
		},
	} {
		rows, j := []bridge.Intent{c.in}, waiting()
		for _, change := range []func(*slurm.Job){c.owner, c.late} {
			change(&j)
			v := &slurm.View{At: noon.Add(time.Minute), Jobs: []slurm.Job{j}}
			rows = ReplaceChangedIntents(rows, SettleIntents(rows, v, v.At))
		}
		v := &slurm.View{At: noon.Add(2 * time.Minute), Jobs: []slurm.Job{j}}
		got := UndoEdits(rows, v, v.At)
		if len(got) == 1 {
			got[0] = slurm.Edit{Kind: got[0].Kind, Value: got[0].Value, Until: got[0].Until}
		}
		if !reflect.DeepEqual(got, []slurm.Edit{c.want}) {
			t.Errorf("%s: gives back %v, want %v", name, got, c.want)
		}
	}
}
