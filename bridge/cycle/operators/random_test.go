package operators_test

import (
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge"
	"fairbridge/policy/paper"
)

// TestNothingIsSentWhereOperatorsSaidNo: whatever operators do, one after another, while jobs come, daemons are
// killed and the database is away, what is stopped gets nothing, and what is left alone or lowered nothing but what
// gives back (site.judge). When all has ended, jobs are ordered again.
func TestNothingIsSentWhereOperatorsSaidNo(t *testing.T) {
	sent, after := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "case")
		check(r, err)
		policies := []string{"tiresias", "fifo", "drf", "srtf"}
		s := newSite(r, dir, 2, bridge.ModePreempt, rapid.SampledFrom(policies).Draw(r, "policy"), paper.Params{})
		g := &random{site: s, r: r}
		for range 6 {
			g.submit()
		}
		s.cycles(4)
		for range rapid.IntRange(5, 25).Draw(r, "steps") {
			g.step()
			s.cycles(rapid.IntRange(0, 3).Draw(r, "cycles"))
		}
		s.record.err, s.record.actions, s.record.demotions = nil, nil, nil
		before := len(s.sent)
		for range 3 {
			g.submit()
		}
		s.cycles(8)
		sent, after = sent+before, after+len(s.sent)-before
	})
	if sent < 100 || after < 50 {
		t.Errorf("%d edits were sent while operators acted, %d after: the search is broken", sent, after)
	}
}

// random is a site on which anything happens.
type random struct {
	*site
	r    *rapid.T
	jobs []int64
}

func (g *random) submit() {
	gpus := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(g.r, "gpus")
	g.jobs = append(g.jobs, g.site.submit(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(g.r, "user"), gpus, time.Duration(rapid.IntRange(1, 9).Draw(g.r, "hours"))*time.Hour))
}

// step lets one thing happen.
func (g *random) step() {
	until := time.Duration(rapid.IntRange(0, 10).Draw(g.r, "minutes")) * time.Minute // 0: nothing ends it by itself
	switch rapid.IntRange(0, 9).Draw(g.r, "what") {
	case 0:
		g.act(bridge.OperatorStop, 0, until)
	case 1:
		g.record.actions = nil // resume, also of jobs
	case 2, 3:
		g.act(bridge.OperatorRelease, rapid.SampledFrom(g.jobs).Draw(g.r, "job"), until)
	case 4:
		if all := g.intents(); len(all) > 0 {
			in := rapid.SampledFrom(all).Draw(g.r, "change")
			g.act(bridge.OperatorUndo, in.Edit.Run.Job, until).Change = in.ID
		}
	case 5:
		mode := rapid.SampledFrom([]bridge.Mode{"", bridge.ModeObserve, bridge.ModeRank, bridge.ModeSteer, bridge.ModePreempt}).Draw(g.r, "mode")
		d := bridge.Demotion{Partition: "gpu", Mode: mode, Action: 1, By: "oper"}
		if until > 0 {
			d.Until = g.World.Now().Add(until)
		}
		g.record.demotions = append(g.record.demotions, d)
	case 6:
		g.record.demotions = nil
	case 7:
		g.record.err = map[bool]error{true: errAway}[g.record.err == nil]
	case 8:
		g.restart()
	default:
		g.submit()
	}
}
