package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// open is a comment by which a job lets itself be stopped; policies let it run 20 times its checkpoint cost.
const open = "--comment=fairbridge:preemptible,ckpt=250ms"

// crowd fills all GPUs with sixteen jobs of alice that may be stopped, and lets
// eight of bob wait whose limit is 20 minutes.
func (s *site) crowd() (running, waiting []string) {
	s.t.Helper()
	for range 16 {
		running = append(running, s.submit("alice", long, "--gres=gpu:2", "-t", "60", "--requeue", open))
	}
	s.until("alice's jobs run", 40*time.Second, func() bool { return s.states(running...)["RUNNING"] == 16 })
	time.Sleep(8 * time.Second) // beyond the quantum
	for range 8 {
		waiting = append(waiting, s.submit("bob", long, "--gres=gpu:2", "-t", "20"))
	}
	return running, waiting
}

// TestMaintenanceAheadStopsNoJob: nothing is stopped for jobs whose limits
// reach into a maintenance, since they could not start; the same site without
// the maintenance stops at least one.
func TestMaintenanceAheadStopsNoJob(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		running, waiting := s.crowd()
		s.run("root", "scontrol", "create", "reservation", "reservationname=upkeep", "starttime=now+9minutes", "duration=120",
			"users=root", "flags=maint,ignore_jobs", "nodes=ALL")
		end := func() (string, error) {
			return s.slurm.Run(context.WithoutCancel(t.Context()), "root", "scontrol", "delete", "reservationname=upkeep")
		}
		t.Cleanup(func() { _, _ = end() })
		for _, policy := range []string{"fairbridge", "tiresias"} {
			s.preempting(policy)
			s.start()
			s.cycles(9)
			s.kill(15)
			for _, id := range running {
				if is := s.show(id); is["Restarts"] != "0" || is["JobState"] != "RUNNING" {
					t.Errorf("%s: job %s is %s after %s restarts", policy, id, is["JobState"], is["Restarts"])
				}
			}
		}
		why := s.fairbridge("explain", waiting[0])
		if !strings.Contains(why, "upkeep") {
			t.Errorf("explain does not name the reservation:\n%s", why)
		}
		if _, err := end(); err != nil {
			t.Fatal(err)
		}
		s.preempting("tiresias")
		s.start()
		s.until("without it a waiting job gets room", 60*time.Second, func() bool { return s.states(waiting...)["RUNNING"] > 0 })
	})
}

// preempting configures the partition to stop jobs soon.
func (s *site) preempting(policy string) {
	params := map[string]string{"tiresias": "queues: [10], min_run: 5s, promote_knob: 0", "fairbridge": "min_run: 5s"}
	s.configure("preempt", policy, params[policy])
}

// TestAHeadThatCannotStartLetsOthersPass: one node has 8 free GPUs but not the
// CPUs that the first job wants; small jobs that fit, and that Slurm alone
// would start at once by its own priorities, start all the same.
func TestAHeadThatCannotStartLetsOthersPass(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"fairbridge", "tiresias"} {
		t.Run(policy, func(t *testing.T) {
			besideSlurm(t, func(t *testing.T, s *site) {
				free := s.left(s.occupy(3))
				busy := s.run("carol", "sbatch", "--parsable", "-p", "gpu", "-o", "/dev/null", "-w", free, "-c", "55", "-t", "10", "--wrap", long)
				s.until("the CPUs of the last node are taken", 30*time.Second, func() bool { return s.states(busy)["RUNNING"] == 1 })
				head := s.submit("alice", long, "--gres=gpu:8", "-c", "32", "-t", "60")
				s.configure("steer", policy, "")
				s.start()
				s.until("the head is in the queue", 30*time.Second, func() bool { return strings.Contains(s.fairbridge("queue"), head) })
				var small []string
				for i := range 4 {
					small = append(small, s.submit([]string{"bob", "carol"}[i%2], long, "--gres=gpu:1", "-c", "1", "-t", "20"))
				}
				s.until("three of the four small jobs run", 40*time.Second, func() bool { return s.states(small...)["RUNNING"] >= 3 })
				if st := s.show(head)["JobState"]; st != "PENDING" {
					t.Errorf("the head is %s", st)
				}
			})
		})
	}
}

// left returns the node of four that none of the jobs runs on.
func (s *site) left(jobs []string) string {
	s.t.Helper()
	taken := map[string]bool{}
	for _, id := range jobs {
		taken[s.show(id)["NodeList"]] = true
	}
	for _, n := range []string{"n1", "n2", "n3", "n4"} {
		if !taken[n] {
			return n
		}
	}
	s.t.Fatalf("jobs %v run on every node", jobs)
	return ""
}

// siteFactors returns what sprio shows of the waiting jobs, by job.
func (s *site) siteFactors() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(s.run("root", "sprio", "-h", "-o", "%i %S")) {
		var id, factor string
		if n, _ := fmt.Sscan(line, &id, &factor); n == 2 {
			out[id] = factor
		}
	}
	return out
}
