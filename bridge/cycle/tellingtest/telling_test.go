package tellingtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// busySite has a node that a long job fills, and three that wait for it.
func busySite(t *testing.T, actingUser string) (s *tellingSite, runs int64, waits [3]int64) {
	s = newTellingSite(t, actingUser)
	runs = s.submit("hog", 8)
	s.w.Advance(s.w.Now().Add(time.Minute))
	for i := range waits {
		waits[i] = s.submit(fmt.Sprint("u", i), 8)
	}
	return s, runs, waits
}

// TestAJobIsTold: texts appear in the jobs that wait, change with their places, and go when the
// job starts. A job that ends keeps nothing new.
func TestAJobIsTold(t *testing.T) {
	s, runs, waits := busySite(t, "")
	s.cycles(5)
	s.wants(runs, "")
	s.wants(waits[0], "waits as 1st of 3 in gpu; it is next for free GPUs")
	s.wants(waits[1], "waits as 2nd of 3 in gpu; others are ahead of it")
	s.wants(waits[2], "waits as 3rd of 3 in gpu; others are ahead of it")
	if n, _ := s.tellings(); n != 3 {
		t.Errorf("%d texts were written for three jobs that stay where they are", n)
	}
	if err := s.w.Cancel("hog", fmt.Sprint(runs)); err != nil {
		t.Fatal(err)
	}
	s.w.Advance(s.w.Now().Add(time.Minute))
	s.cycles(6)
	s.wants(waits[0], "")
	s.wants(waits[1], "waits as 1st of 2 in gpu; it is next for free GPUs")
	if j, _ := s.w.Job(waits[0]); j.State != "RUNNING" {
		t.Errorf("the first in line is %s", j.State)
	}
}

// TestASitesOwnStays: what a site has there, or writes over ours, stays.
func TestASitesOwnStays(t *testing.T) {
	s, _, waits := busySite(t, "")
	s.writes(waits[0], "checked by ops")
	s.cycles(5)
	s.wants(waits[0], "checked by ops")
	s.wants(waits[1], "2nd of 3")
	s.writes(waits[1], "ops")
	last := s.cycles(6)
	s.wants(waits[0], "checked by ops")
	s.wants(waits[1], "ops")
	if len(last.Doubts)+len(last.Warnings) > 0 {
		t.Errorf("a site's own text is taken for more: %v %v", last.Doubts, last.Warnings)
	}
	s.writes(waits[1], "") // who clears ours or theirs has the last word for a day
	s.cycles(6)
	s.wants(waits[1], "")
}

// TestBetweenLookAndWrite: a text that a site writes after we looked is not written over.
func TestBetweenLookAndWrite(t *testing.T) {
	s, _, waits := busySite(t, "")
	s.wire.between = func() {
		for _, id := range waits {
			s.writes(id, "by a plugin")
		}
	}
	s.cycles(6)
	for _, id := range waits {
		s.wants(id, "by a plugin")
	}
	if n, _ := s.tellings(); n != 0 {
		t.Errorf("%d texts were sent", n)
	}
}

// TestManySitesTextsTripNoBreaker: a plugin that writes its own into every job after us is no
// contest of our order, whoever's jobs they are.
func TestManySitesTextsTripNoBreaker(t *testing.T) {
	s := newTellingSite(t, "")
	s.submit("hog", 8)
	s.w.Advance(s.w.Now().Add(time.Minute))
	var ids []int64
	for i := range 12 {
		ids = append(ids, s.submit(fmt.Sprint("u", i), 8))
	}
	s.cycles(4)
	for _, id := range ids {
		s.writes(id, "stamped")
	}
	last := s.cycles(4)
	if len(last.Doubts) > 0 || len(last.Warnings) > 0 {
		t.Errorf("%v %v", last.Doubts, last.Warnings)
	}
}

// TestOrderOfStampedJobsGoesOn: a job whose admin_comment somebody wrote over ours is ordered as
// before, in the very push that finds it and later.
func TestOrderOfStampedJobsGoesOn(t *testing.T) {
	s := newTellingSite(t, "")
	s.conf.Order.AdminCommentEvery = time.Hour
	s.restart()
	s.submit("hog", 8)
	s.w.Advance(s.w.Now().Add(time.Minute))
	var ids []int64
	for k := range 4 {
		ids = append(ids, s.submitNice(int64(900*(4-k))))
	}
	s.cycles(5)
	s.window(1) // the others get Slurm's own order back, and keep their texts for a while
	for turn := range 2 {
		s.wire.between = func() {
			for _, id := range ids {
				s.writes(id, "stamped")
			}
		}
		for _, window := range []int{200, 1} {
			if s.window(window) == 0 {
				t.Errorf("turn %d: no stamped job is ordered in a window of %d", turn, window)
			}
		}
	}
	for _, id := range ids {
		s.wants(id, "stamped")
	}
}

// window sets how many jobs are ordered, runs some cycles and returns how many orders were sent.
func (s *tellingSite) window(n int) (orders int) {
	s.t.Helper()
	s.conf.Order.Window = n
	s.wire.applied = nil
	s.restart()
	s.cycles(5)
	_, orders = s.tellings()
	return orders
}

// TestTextsWithoutEffectTripNoBreaker: a Slurm that says yes and keeps no text is asked no more for an
// hour, and says nothing of other edits.
func TestTextsWithoutEffectTripNoBreaker(t *testing.T) {
	s := newTellingSite(t, "")
	s.wire.losesTexts = true
	s.submit("hog", 8)
	s.w.Advance(s.w.Now().Add(time.Minute))
	for k := range 12 {
		s.submitNice(int64(900 * (12 - k)))
	}
	last := s.cycles(12)
	if len(last.Doubts) > 0 || !hasTellingWarning(&last) {
		t.Errorf("doubts %v, warnings %v", last.Doubts, last.Warnings)
	}
	if n, orders := s.tellings(); n == 0 || n > 30 || orders == 0 {
		t.Errorf("%d texts and %d numbers were sent", n, orders)
	}
}

// TestAnOperatorIsRefusedOnce: Slurm takes an admin_comment from Administrators only. One call finds
// that out; an hour nothing more is asked; the order goes on, and nothing is in doubt.
func TestAnOperatorIsRefusedOnce(t *testing.T) {
	s, _, waits := busySite(t, operator)
	for i := range 9 {
		s.submit(fmt.Sprint("v", i), 4)
	}
	s.cycles(4)
	if n, _ := s.tellings(); n != 1 {
		t.Fatalf("%d texts were sent, want one that is refused", n)
	}
	last := s.cycles(20)
	if n, _ := s.tellings(); n != 1 || len(last.Doubts) > 0 || !hasTellingWarning(&last) {
		t.Errorf("%d texts were sent, doubts %v, warnings %v", n, last.Doubts, last.Warnings)
	}
	s.wants(waits[0], "")
	s.cycles(100)
	if n, _ := s.tellings(); n != 2 {
		t.Errorf("%d texts were sent, want one more an hour later", n)
	}
}

func hasTellingWarning(r *cycle.Report) bool {
	for _, w := range r.Warnings {
		if w.Cause == bridge.CauseTelling && strings.Contains(w.Err.Error(), "adminlevel=Administrator") {
			return true
		}
	}
	return false
}

// TestTextsTakeNothingFromOthers: with a long line all orders are sent as without, in the same
// cycles, before any text; of texts no more than ten a cycle.
func TestTextsTakeNothingFromOthers(t *testing.T) {
	var sent [2][]string
	for i, tells := range []bool{false, true} {
		s := newTellingSite(t, "")
		s.conf.Order.AdminComment = tells
		s.restart()
		s.submit("hog", 8)
		s.w.Advance(s.w.Now().Add(time.Minute))
		for k := range 40 {
			if _, err := s.w.Submit(sim.JobSpec{User: fmt.Sprint("u", k%7), GPUs: 8, Nice: int64(k % 3), TimeLimit: 2 * time.Hour, WorkTime: time.Hour}); err != nil {
				t.Fatal(err)
			}
			s.w.Advance(s.w.Now().Add(time.Second))
		}
		for turn := range 8 {
			if turn == 5 { // the first in line starts: its text is taken away
				if err := s.w.Cancel("hog", "1"); err != nil {
					t.Fatal(err)
				}
				s.w.Advance(s.w.Now().Add(time.Minute))
			}
			s.wire.applied = nil
			s.cycles(1)
			told := 0
			for _, e := range s.wire.applied {
				if e.Kind == slurm.EditAdminComment {
					told++
					continue
				}
				if sent[i] = append(sent[i], e.String()); told > 0 {
					t.Errorf("%v is sent after a text", e)
				}
			}
			if sent[i] = append(sent[i], "next cycle"); told > 10 {
				t.Errorf("%d texts in a cycle", told)
			}
		}
	}
	if a, b := strings.Join(sent[0], "\n"), strings.Join(sent[1], "\n"); a != b {
		t.Errorf("without texts these are sent:\n%s\nwith them:\n%s", a, b)
	}
}
