package e2e

import (
	"slices"
	"testing"
	"time"
)

// due submits a job of eight GPUs whose owner wants it done within a time from now.
func (s *site) due(user, minutes string, within time.Duration) string {
	s.t.Helper()
	return s.submit(user, long, "--gres=gpu:8", "-t", minutes, "--comment=fairbridge:deadline="+time.Now().Add(within).UTC().Format(time.RFC3339))
}

// TestADeadlineCountsWithinItsShare: all GPUs are alice's. A job of carol's that is due goes before bob's, which came first and
// is not, and starts first; one of alice's that is due even earlier does not, as her account has more than its share, and
// explain says so. With a budget for her account it does.
func TestADeadlineCountsWithinItsShare(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		all := s.occupy(4)
		plain := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		within, beyond := s.due("carol", "60", 3*time.Hour), s.due("alice", "60", 2*time.Hour)
		s.configure("rank", "edf", "")
		s.start()
		s.until("the one within its share goes first", time.Minute, func() bool { return slices.Equal(s.line(), []string{within, plain, beyond}) })
		if !s.tells(beyond, "does not count: account research is due") {
			t.Errorf("explain does not tell why:\n%s", s.fairbridge("explain", beyond))
		}
		s.run("root", "scancel", all[0])
		s.until("it starts", time.Minute, func() bool { return s.show(within)["JobState"] == "RUNNING" })
		if n := s.states(plain, beyond)["PENDING"]; n != 2 {
			t.Errorf("%d of the two others wait", n)
		}
		s.kill(15)
		s.configure("rank", "edf", "deadlines_count: within_share}, deadline_budget: {research: 100")
		s.start()
		s.until("a budget lets it go first", time.Minute, func() bool { return slices.Equal(s.line(), []string{beyond, plain}) })
		if !s.tells(beyond, "counts by the deadline budget of account research") {
			t.Errorf("explain does not tell of the budget:\n%s", s.fairbridge("explain", beyond))
		}
	})
}

// TestADeadlineTakesNoMoreThanItNeeds: of two jobs that came later and are due, the one that would be late behind bob's goes
// before that, and the one that has time enough, and takes longer, does not.
func TestADeadlineTakesNoMoreThanItNeeds(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		all := s.occupy(4)
		plain := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		late, early := s.due("carol", "60", 3*time.Hour), s.due("bob", "70", 5*24*time.Hour)
		s.configure("rank", "by-deadline", "")
		s.start()
		s.until("the one that would be late goes first", time.Minute, func() bool { return slices.Equal(s.line(), []string{late, plain, early}) })
		s.run("root", "scancel", all[0])
		s.until("it starts", time.Minute, func() bool { return s.show(late)["JobState"] == "RUNNING" })
		if n := s.states(plain, early)["PENDING"]; n != 2 {
			t.Errorf("%d of the two others wait", n)
		}
	})
}
