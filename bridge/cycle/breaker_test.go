package cycle

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// record makes intents as the ledger has them, one a second up to ago before
// noon: "o" had its effect, "x" had none although Slurm said yes, "f" failed to
// be called, "?" is not known yet.
func record(marks string, ago time.Duration) []bridge.Intent {
	var out []bridge.Intent
	from := noon.Add(-ago - time.Duration(len(marks))*time.Second)
	for i, m := range marks {
		in := bridge.Intent{ID: int64(i + 1), Sent: from.Add(time.Duration(i) * time.Second), State: bridge.IntentObserved}
		switch m {
		case 'x':
			in.State, in.Polls, in.Closed = bridge.IntentFailed, 2, in.Sent.Add(time.Second/2)
		case 'f':
			in.State, in.Closed = bridge.IntentFailed, in.Sent.Add(time.Second/2)
		case '?':
			in.State = bridge.IntentAcked
		}
		out = append(out, in)
	}
	return out
}

func TestEffectBreaker(t *testing.T) {
	many := fmt.Sprintf("%0200d", 0) // each counts as one with effect
	for _, tt := range []struct {
		name  string
		marks string
		ago   time.Duration
		open  bool
		want  editAllowance
	}{
		{"all well", "oooooooooo", time.Minute, false, allEdits},
		{"a few of few", "xxxx", time.Minute, false, allEdits},
		{"many", "ooooooooooxxxxx", time.Minute, true, 1},
		{"few of many", many + "xxxxx", time.Minute, false, allEdits},
		{"calls failed", "ffffffffffffffffffff", time.Minute, false, allEdits},
		{"long ago", "xxxxxxxxxxxxxxxxxxxx", 2 * time.Hour, false, allEdits},
		{"a moment ago", "xxxxx", 20 * time.Second, true, noEdits},
		{"one is tried", "xxxxx?", time.Minute, true, noEdits},
		{"a try had no effect, twice as long a wait", "xxxxxx", 50 * time.Second, true, noEdits},
		{"after that", "xxxxxx", 61 * time.Second, true, 1},
		{"two tries had their effect", "xxxxxoo", time.Minute, true, 1},
		{"three had", "xxxxxooo", time.Minute, false, allEdits},
		{"it starts anew then", "xxxxxoooxxxx", time.Minute, false, allEdits},
		{"a call that failed is no try", "xxxxxfff", time.Minute, true, 1},
	} {
		e := newEffectBreaker(record(tt.marks, tt.ago), noon)
		if got, err := e.allowance(noon); got != tt.want || (err != nil) != tt.open {
			t.Errorf("%s: %d edits, %v; want %d, open %v", tt.name, got, err, tt.want, tt.open)
		}
	}
}

func TestAllowance(t *testing.T) {
	edits := []slurm.Edit{{Kind: slurm.EditRequeue}, {Kind: slurm.EditLease}, {Kind: slurm.EditNice}}
	one, none, all := editAllowance(1), noEdits, allEdits
	got, left := one.limitEdits(edits)
	if more, _ := left.limitEdits(edits); len(got) != 1 || got[0].Kind != slurm.EditLease || len(more) > 0 {
		t.Errorf("one: %v, then %v", got, more)
	}
	if got, left := none.limitEdits(edits); len(got) != 0 || left != noEdits {
		t.Errorf("none: %v", got)
	}
	if got, left := all.limitEdits(edits); len(got) != 3 || left != allEdits {
		t.Errorf("all: %v", got)
	}
}

// TestContestCountsPeopleAndJobs: not edits.
func TestContestCountsPeopleAndJobs(t *testing.T) {
	type edit struct {
		who   string
		job   int64
		state bridge.IntentState
	}
	times := func(n int, of func(i int) edit) (list []edit) {
		for i := range n {
			list = append(list, of(i))
		}
		return list
	}
	quiet := times(10, func(i int) edit { return edit{fmt.Sprint("q", i), int64(100 + i), bridge.IntentObserved} })
	for _, tt := range []struct {
		name  string
		edits []edit
		left  int
		site  bool
	}{
		{"nothing", nil, 0, false},
		{"one job, time and again", append(quiet, times(20, func(int) edit { return edit{"ann", 1, bridge.IntentYielded} })...), 0, false},
		{"four jobs of one person", append(quiet, times(4, func(i int) edit { return edit{"ann", int64(i), bridge.IntentYielded} })...), 0, false},
		{"all jobs of one person", append(quiet, times(30, func(i int) edit { return edit{"ann", int64(i), bridge.IntentYielded} })...), 1, false},
		{"a job each of three in thirteen", append(quiet, times(3, func(i int) edit { return edit{fmt.Sprint("u", i), int64(i), bridge.IntentYielded} })...), 0, false},
		{"a job each of five in fifteen", append(quiet, times(5, func(i int) edit { return edit{fmt.Sprint("u", i), int64(i), bridge.IntentYielded} })...), 0, true},
		{"a job each of five in thirty", append(append(quiet, times(15, func(i int) edit { return edit{fmt.Sprint("r", i), int64(200 + i), bridge.IntentObserved} })...),
			times(5, func(i int) edit { return edit{fmt.Sprint("u", i), int64(i), bridge.IntentYielded} })...), 0, false},
	} {
		var intents []bridge.Intent
		for i, e := range tt.edits {
			in := bridge.Intent{ID: int64(i + 1), State: e.state, Sent: noon.Add(-time.Minute), Edit: slurm.Edit{Run: slurm.Run{Job: e.job}}}
			in.Before.User = e.who
			intents = append(intents, in)
		}
		c := ledger.NewContestedEdits(intents, &slurm.View{At: noon})
		if left, err := c.LeftAloneReasonByUser(), c.CheckManyContested(); len(left) != tt.left || (err != nil) != tt.site {
			t.Errorf("%s: left alone %v, site %v", tt.name, left, err)
		}
	}
}
