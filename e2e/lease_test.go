package e2e

import (
	"slices"
	"strconv"
	"strings"
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
	besideSlurm(t, func(t *testing.T, s *site) {
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

		s.configure("steer", "fifo", "backfill: none", "lease: {length: 120s}") // a machine that stands still for a while must not end it
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
	besideSlurm(t, func(t *testing.T, s *site) {
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

// serve submits a service of six replicas, one of which counts the requests of all and may not be stopped. They run on the
// one node that is not occupied. It returns them, the settings of the probes, and what sets the requests a second.
func (s *site) serve() (replicas []string, settings string, requests func(perSecond string)) {
	s.t.Helper()
	settings, report := s.probed()
	_, there := s.inCluster()
	requests = func(perSecond string) { s.run("root", "sh", "-c", "echo "+perSecond+" >"+there+"/rate") }
	requests("2")
	counts := "n=0; while sleep 5; do n=$((n+5*$(cat " + there + "/rate))); " + report + " --optional --requests $n; done"
	s.submit("alice", counts, "--gres=gpu:1", "-t", "60", "--comment=fairbridge:service=chat")
	idle := "while sleep 5; do " + report + " --optional --requests 0; done"
	s.submit("alice", idle, "--gres=gpu:1", "-t", "60", "--requeue", "--array=0-4", "--comment=fairbridge:service=chat,preemptible,ckpt=1s")
	s.until("the replicas run", time.Minute, func() bool { return len(s.runningOf("alice")) == 3+6 })
	return strings.Fields(s.run("root", "squeue", "-h", "-u", "alice", "-t", "R", "-S", "i", "-o", "%A"))[3:], settings, requests
}

// TestAServiceIsScaled: of six replicas two are wanted: one leaves for a job that needs its GPU, and is held when that has gone,
// too. With more requests it starts. It leaves again, the daemon is killed, and all six run once the lease is over.
func TestAServiceIsScaled(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.occupy(3)
		replicas, settings, requests := s.serve()
		s.configure("preempt", "swayam", "scale: utilisation, retire: 1s, min_run: 5s}, services: [{account: research, name: chat, least: 2, request_time: 100ms, setup: 1s}], canary: {", settings, "lease: {length: 24s}")
		running := func(n int) bool { return s.states(replicas...)["RUNNING"] == n }
		isHeld := func(id string) bool { return s.eligible(id) > time.Now().Unix()+10 } // by a lease: the delay of a requeue is shorter
		scaleDown := func() {
			job := s.submit("bob", long, "--gres=gpu:3", "-t", "60", "--comment=fairbridge:service=chat")
			s.until("one leaves for a job and is held", 3*time.Minute, func() bool {
				return running(5) && slices.ContainsFunc(replicas, isHeld) && s.show(job)["JobState"] == "RUNNING"
			})
			if !s.tells(job, "service=chat does not count: nothing is configured for it in partition gpu and account teaching") {
				t.Errorf("explain does not tell that the service is not known:\n%s", s.fairbridge("explain", job))
			}
			s.run("root", "scancel", job)
			time.Sleep(30 * time.Second) // longer than a lease
			if !running(5) {
				t.Error("another number runs where GPUs are free")
			}
		}
		s.start()
		scaleDown()
		i := slices.IndexFunc(replicas, s.leased)
		if i < 0 || !s.tells(replicas[i], "is held back: service research/alice/chat needs 2 of its 6 replicas, and 5 run: ", "requests a second keep them busy") {
			t.Fatalf("explain of %v does not tell why it is held:\n%s", replicas, s.fairbridge("queue"))
		}
		requests("60")
		s.until("more requests need all", 3*time.Minute, func() bool { return running(6) })
		requests("2")
		scaleDown()
		s.kill(syscall.SIGKILL)
		s.until("all run without us", 2*time.Minute, func() bool { return running(6) })
	})
}

// TestANodeListShrinksARun: Slurm takes nodes from a running job whose required nodes are
// set to some of those it has, and refuses an empty list. So a node list that comes in the
// moment of a start must be one of all nodes that the job can have.
func TestANodeListShrinksARun(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
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
