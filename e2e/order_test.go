package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// long is a job that outlasts any test, on a slow machine too.
const long = "sleep 3000"

// occupy fills the cluster with jobs of alice that nobody may stop.
func (s *site) occupy(nodes int) []string {
	s.t.Helper()
	var ids []string
	for range nodes {
		ids = append(ids, s.submit("alice", long, "--gres=gpu:8", "-t", "60"))
	}
	s.until("alice's jobs run", 30*time.Second, func() bool { return s.states(ids...)["RUNNING"] == nodes })
	return ids
}

func (s *site) states(ids ...string) map[string]int {
	n := map[string]int{}
	for _, id := range ids {
		n[s.show(id)["JobState"]]++
	}
	return n
}

// line returns the pending jobs in Slurm's own order, first served first.
func (s *site) line() []string {
	return strings.Fields(s.run("root", "squeue", "-h", "-t", "PD", "-S", "-p,i", "-o", "%i"))
}

func TestPendingOrderFollowsThePolicy(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.occupy(4)
		var alices, bobs []string
		for range 3 {
			alices = append(alices, s.submit("alice", long, "--gres=gpu:8", "-t", "60"))
		}
		for range 3 {
			bobs = append(bobs, s.submit("bob", long, "--gres=gpu:8", "-t", "60"))
		}
		held := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		s.run("bob", "scontrol", "hold", held)
		admins := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		s.run("root", "scontrol", "hold", admins)
		wasHeld, wasAdmins := s.show(held), s.show(admins)

		s.configure("rank", "fifo", "") // whoever came first: alice
		s.start()
		s.until("alice's jobs are first", 40*time.Second, func() bool { return slices.Equal(s.line()[:3], alices) })
		s.kill(15)

		s.configure("rank", "drf", "") // whose account holds nothing: bob
		s.start()
		s.until("bob's jobs are first", 40*time.Second, func() bool { return slices.Equal(s.line()[:3], bobs) })
		s.cycles(2)
		s.kill(15)

		for _, was := range []map[string]string{wasHeld, wasAdmins} {
			is := s.show(was["JobId"])
			for _, k := range []string{"Priority", "Reason", "Nice", "EligibleTime", "ReqNodeList", "ExcNodeList", "Requeue", "Restarts"} {
				if is[k] != was[k] {
					t.Errorf("held job %s: %s was %s, is %s", was["JobId"], k, was[k], is[k])
				}
			}
		}
		s.fairbridge("release")
		for _, id := range append(alices, bobs...) {
			if p := s.show(id)["Priority"]; len(p) > 6 {
				t.Errorf("job %s has priority %s after release", id, p)
			}
		}
		explain := s.fairbridge("explain", bobs[0])
		if !strings.Contains(explain, "rank 5") && !strings.Contains(explain, "waits as 1st") {
			t.Errorf("explain does not say that it is next:\n%s", explain)
		}
	})
}

// due submits a job of eight GPUs whose owner wants it done within a time from now.
func (s *site) due(user, minutes string, within time.Duration) string {
	s.t.Helper()
	return s.submit(user, long, "--gres=gpu:8", "-t", minutes, "--comment=fairbridge:deadline="+time.Now().Add(within).UTC().Format(time.RFC3339))
}

// TestADeadlineCountsWithinItsShare: all GPUs are alice's. A job of carol's that is due goes before bob's, which came first and
// is not, and starts first; one of alice's that is due even earlier does not, as her account has more than its share, and
// explain says so. With a budget for her account it does.
func TestADeadlineCountsWithinItsShare(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		all := s.occupy(4)
		plain := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		within, beyond := s.due("carol", "60", 3*time.Hour), s.due("alice", "60", 2*time.Hour)
		s.configure("rank", "edf", "")
		s.start()
		s.cycles(1) // Slurm's own order may be the same
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
		s.cycles(1)
		s.until("a budget lets it go first", time.Minute, func() bool { return slices.Equal(s.line(), []string{beyond, plain}) })
		if !s.tells(beyond, "counts by the deadline budget of account research") {
			t.Errorf("explain does not tell of the budget:\n%s", s.fairbridge("explain", beyond))
		}
	})
}

// TestADeadlineTakesNoMoreThanItNeeds: of two jobs that came later and are due, the one that would be late behind bob's goes
// before that, and the one that has time enough, and takes longer, does not.
func TestADeadlineTakesNoMoreThanItNeeds(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
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
