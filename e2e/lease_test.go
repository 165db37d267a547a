package e2e

import (
	"strconv"
	"syscall"
	"testing"
	"time"
)

// eligible returns when Slurm lets the job start, in seconds since 1970.
func (s *site) eligible(job string) int64 {
	s.t.Helper()
	t := s.show(job)["EligibleTime"]
	n, err := strconv.ParseInt(s.run("root", "date", "-d", t, "+%s"), 10, 64)
	if err != nil {
		s.t.Fatalf("job %s is eligible at %q", job, t)
	}
	return n
}

func (s *site) leased(job string) bool { return s.eligible(job) > time.Now().Unix() }

// TestLeasesEndByThemselvesAndJobsStartWherePlanned holds a job that may not
// pass a larger one, kills the daemon without mercy, and sees the hold run out.
// A new daemon holds it again; when the large job goes, the held one starts on
// the node the plan names.
func TestLeasesEndByThemselvesAndJobsStartWherePlanned(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.occupy(2)
		// Five of eight GPUs of n3, so that the tightest place for three is there.
		s.submit("alice", long, "--gres=gpu:5", "-w", "n3", "-t", "60")
		large := s.submit("bob", long, "-N", "4", "--gres=gpu:8", "-t", "60")
		small := s.submit("bob", long, "--gres=gpu:3", "-t", "600") // too long for Slurm's own backfill
		owners := s.show(small)["ReqNodeList"]
		if st := s.states(large, small); st["PENDING"] != 2 {
			t.Fatalf("before fairbridge: %v", st)
		}

		s.configure("steer", "fifo", "backfill: none", "lease: {length: 24s}")
		s.start()
		s.until("the small job is leased", 30*time.Second, func() bool { return s.leased(small) })
		first := s.eligible(small)
		s.until("the lease is renewed", 40*time.Second, func() bool { return s.eligible(small) > first })
		if s.leased(large) {
			t.Error("the job at the head of the line is held too")
		}

		s.kill(syscall.SIGKILL)
		s.until("the lease runs out by itself", 40*time.Second, func() bool { return !s.leased(small) })

		s.start()
		s.until("the small job is leased again", 60*time.Second, func() bool { return s.leased(small) })
		s.run("root", "scancel", large)
		s.until("the small job runs", 60*time.Second, func() bool { return s.show(small)["JobState"] == "RUNNING" })
		if is := s.show(small); is["NodeList"] != "n3" || is["ReqNodeList"] != "n3" {
			t.Errorf("it runs on %s, required %s (its owner's list: %s); the plan's tightest place is n3", is["NodeList"], is["ReqNodeList"], owners)
		}
		s.kill(syscall.SIGTERM)
		s.fairbridge("release")
	})
}

// TestReleaseMakesEverythingNeutral holds and orders jobs, one of them with its
// owner's own begin time and node list, and gives everything back.
func TestReleaseMakesEverythingNeutral(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		s.occupy(3)
		large := s.submit("bob", long, "-N", "4", "--gres=gpu:8", "-t", "60")
		small := s.submit("bob", long, "--gres=gpu:3", "-t", "600")
		picky := s.submit("bob", long, "--gres=gpu:3", "-t", "600", "-x", "n1", "--nice=7")
		later := s.submit("bob", long, "--gres=gpu:3", "-t", "600", "-b", "now+2hours")
		ids := []string{large, small, picky, later}
		was := map[string]map[string]string{}
		for _, id := range ids {
			was[id] = s.show(id)
		}

		s.configure("steer", "fifo", "backfill: none", "lease: {length: 120s}")
		s.start()
		s.until("both small jobs are leased", 30*time.Second, func() bool { return s.leased(small) && s.leased(picky) })
		s.kill(syscall.SIGTERM)
		s.fairbridge("release", "--dry-run")
		if !s.leased(small) {
			t.Error("a dry run released the job")
		}
		s.fairbridge("release")

		for _, id := range ids {
			is := s.show(id)
			for _, k := range []string{"ReqNodeList", "ExcNodeList", "Nice", "Requeue"} {
				if is[k] != was[id][k] {
					t.Errorf("job %s: %s is %s, was %s", id, k, is[k], was[id][k])
				}
			}
			if f := s.siteFactors()[id]; f != "" && f != "0" { // sprio leaves out jobs that may not start yet
				t.Errorf("job %s still has a site factor of %s\n%s", id, f, s.fairbridge("explain", id))
			}
		}
		if s.leased(small) || s.leased(picky) {
			t.Error("a lease is left")
		}
		if is := s.show(later)["EligibleTime"]; is != was[later]["EligibleTime"] {
			t.Errorf("its owner's begin time %s became %s", was[later]["EligibleTime"], is)
		}
		if again := s.fairbridge("release", "--dry-run"); again != "Nothing of ours stands in Slurm.\n" {
			t.Errorf("a second release finds %s", again)
		}
	})
}

// TestANodeListShrinksARun: Slurm takes nodes from a running job whose required nodes are
// set to some of those it has, and refuses an empty list. So a node list that comes in the
// moment of a start must be one of all nodes that the job can have.
func TestANodeListShrinksARun(t *testing.T) {
	everywhere(t, func(t *testing.T, s *site) {
		job := s.submit("bob", long, "-N", "2", "--gres=gpu:1", "-t", "60")
		s.until("the job runs", time.Minute, func() bool { return s.show(job)["JobState"] == "RUNNING" })
		all := s.show(job)["NodeList"]
		s.run("root", "scontrol", "update", "jobid="+job, "reqnodelist="+all)
		if is := s.show(job); is["NumNodes"] != "2" {
			t.Errorf("named all its nodes, it has %s", is["NumNodes"])
		}
		if out, err := s.slurm.Run(t.Context(), "root", "scontrol", "update", "jobid="+job, "reqnodelist="); err == nil {
			t.Errorf("an empty list was taken: %s", out)
		}
		s.run("root", "scontrol", "update", "jobid="+job, "reqnodelist="+s.run("root", "sh", "-c", "scontrol show hostnames '"+all+"' | head -n1"))
		if is := s.show(job); is["NumNodes"] != "1" {
			t.Errorf("named one of its nodes, it has %s: the rule for node lists (I12) may be laxer", is["NumNodes"])
		}
	})
}
