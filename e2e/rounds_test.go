package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestARoundGivesTurns lets Gavel make turns on a full cluster: the only job
// that lets itself be stopped gives its node to one that never ran, gets it
// back later, and both do their work once. Jobs that report nothing and did not
// opt in are what Gavel has to leave alone.
func TestARoundGivesTurns(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		fixed := s.occupy(3)
		s.forgetScripts()
		open := s.submit("alice", script("40", "1"), "--gres=gpu:8", "-t", "60", "--requeue", "--comment=fairbridge:preemptible,ckpt=1s")
		s.until("it runs", 30*time.Second, func() bool { return s.states(open)["RUNNING"] == 1 })
		time.Sleep(10 * time.Second)
		short := s.submit("bob", script("8", "0"), "--gres=gpu:8", "-t", "60")

		s.configure("preempt", "gavel", "round: 10s, recompute: 1s, min_run: 5s")
		s.start()
		s.until("the job that never ran has its turn", 120*time.Second, func() bool { return s.show(short)["JobState"] != "PENDING" })
		if r := s.show(open)["Restarts"]; r != "1" {
			t.Errorf("the job that may be stopped was restarted %s times, want once", r)
		}
		s.until("both ended", 150*time.Second, func() bool { return s.states(open, short)["COMPLETED"] == 2 })
		if n := s.states(fixed...)["RUNNING"]; n != len(fixed) {
			t.Errorf("%d of the %d jobs that did not opt in still run", n, len(fixed))
		}
		log := s.written(open)
		if strings.Count(log, "end") != 1 || strings.Count(log, "stop") != strings.Count(log, "start")-1 {
			t.Errorf("the log of the job that was stopped:\n%s", log)
		}
		s.kill(15)
		s.fairbridge("release")
		if again := s.fairbridge("release", "--dry-run"); again != "Nothing of ours stands in Slurm.\n" {
			t.Errorf("left after release: %s", again)
		}
	})
}
