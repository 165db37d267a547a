package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const long = "sleep 600"

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
	everywhere(t, func(t *testing.T, s *site) {
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
		time.Sleep(5 * time.Second)
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
