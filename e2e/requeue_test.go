package e2e

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/scripts/throwaway"
)

// resuming is a job that sleeps in all so many seconds, survives being stopped
// and writes down each start, stop and end. It does not end before it was requeued so often.
// It writes below its owner's home, which each throw-away Slurm has for itself: /tmp is the machine's.
const resuming = `d=/var/lib/slurm/home/$(id -un)/job.$SLURM_JOB_ID; touch $d; echo start ${SLURM_RESTART_COUNT:-0} >>$d.log
trap 'echo stop >>$d.log; exit 0' TERM
while [ $(wc -l <$d) -lt SECONDS ] || [ ${SLURM_RESTART_COUNT:-0} -lt RESTARTS ]; do sleep 1 & wait $!; echo >>$d; done
echo end >>$d.log`

// forgetScripts removes what such jobs wrote down: ids come again where a Slurm begins anew.
func (s *site) forgetScripts() { s.run("root", "sh", "-c", "rm -f /var/lib/slurm/home/*/job.*") }

// written returns what such a job of alice wrote down.
func (s *site) written(job string) string {
	return s.run("alice", "cat", "/var/lib/slurm/home/alice/job."+job+".log")
}

func script(seconds, restarts string) string {
	return strings.NewReplacer("SECONDS", seconds, "RESTARTS", restarts).Replace(resuming)
}

func TestAnOptedInJobIsRequeuedOnceAndEndsOnce(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		var hogs []string
		for range 3 {
			hogs = append(hogs, s.submit("alice", long, "--gres=gpu:8", "-t", "60"))
		}
		s.forgetScripts()
		hog := s.submit("alice", script("45", "1"), "--gres=gpu:8", "-t", "60", "--requeue", "--comment=fairbridge:preemptible,ckpt=1s")
		s.until("all run", 30*time.Second, func() bool { return s.states(append(hogs, hog)...)["RUNNING"] == 4 })
		time.Sleep(12 * time.Second) // beyond the first queue
		short := s.submit("bob", script("8", "0"), "--gres=gpu:8", "-t", "60")

		s.configure("preempt", "tiresias", "queues: [60], min_run: 5s, promote_knob: 0")
		s.start()
		s.until("the short job runs", 90*time.Second, func() bool { return s.show(short)["JobState"] != "PENDING" })
		if r := s.show(hog)["Restarts"]; r != "1" {
			t.Errorf("the long job was restarted %s times, want once:\n%s", r, s.fairbridge("explain", short))
		}
		if n := s.states(hogs...)["RUNNING"]; n != 3 {
			t.Errorf("%d of the 3 jobs that did not opt in still run", n)
		}
		s.until("both ended", 150*time.Second, func() bool { return s.states(hog, short)["COMPLETED"] == 2 })
		log := s.written(hog)
		if want := "start 0\nstop\nstart 1\nend"; log != want {
			t.Errorf("the long job's own log:\n%s\nwant:\n%s", log, want)
		}
		if r := s.show(hog)["Restarts"]; r != "1" {
			t.Errorf("at the end the long job was restarted %s times", r)
		}
		story := s.fairbridge("explain", hog)
		if !strings.Contains(story, "requeue job "+hog) || !strings.Contains(story, "OBSERVED") && !strings.Contains(story, "EXPIRED (done)") {
			t.Errorf("explain does not tell of the requeue:\n%s", story)
		}
	})
}

func TestObserveModeSendsNothing(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		running := s.occupy(4)
		waiting := []string{s.submit("bob", long, "--gres=gpu:8", "-t", "60"), s.submit("bob", long, "--gres=gpu:8", "-t", "60")}
		was := map[string]map[string]string{}
		for _, id := range append(running, waiting...) {
			was[id] = s.show(id)
		}
		s.configure("observe", "tiresias", "")
		s.start()
		s.cycles(5)
		for id := range was {
			is := s.show(id)
			for _, k := range []string{"JobState", "EligibleTime", "ReqNodeList", "ExcNodeList", "Nice", "Restarts"} {
				if is[k] != was[id][k] {
					t.Errorf("job %s: %s was %s, is %s", id, k, was[id][k], is[k])
				}
			}
		}
		if out := s.fairbridge("queue"); !strings.Contains(out, waiting[0]) {
			t.Errorf("no queue was recorded:\n%s", out)
		}
	})
}

// TestIdleGPUsAreGivenToWhoWaits: two jobs hold all GPUs and do no work, and one of their owners allows that it is requeued then.
// While one of its GPUs works it runs on, with a job waiting; then it goes, once, and the other starts.
func TestIdleGPUsAreGivenToWhoWaits(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{NodeCount: 1}, func(t *testing.T, s *site) {
		hold := func(user, words string) string {
			job := s.submit(user, long, "--gres=gpu:4", "-t", "60", "--requeue", "--comment=fairbridge:preemptible,ckpt=1s"+words)
			s.until("it runs", 30*time.Second, func() bool { return s.show(job)["JobState"] == "RUNNING" })
			return job
		}
		allows, silent := hold("alice", ",idle=requeue"), hold("bob", "")
		var rests atomic.Bool
		settings, _ := s.probed(func(g *nodeprobe.GPU) {
			g.Busy, g.ProcessesKnown = nodeprobe.KnownValue(0), true
			if g.Index == 0 && !rests.Load() {
				g.Busy = nodeprobe.KnownValue(.5)
			}
		})
		due := s.submit("carol", "sleep 5", "--gres=gpu:4", "-t", "30")
		s.configure("preempt, stop_idle_after: 10s", "fifo", "", "  idle_min: 5s", settings)
		s.start()
		s.cycles(10)
		if is := s.show(allows); is["Restarts"] != "0" || is["JobState"] != "RUNNING" {
			t.Fatalf("a job that works on one of its GPUs is %s after %s restarts", is["JobState"], is["Restarts"])
		}
		rests.Store(true)
		s.until("the one that waits runs, or has", 2*time.Minute, func() bool { return s.states(due)["PENDING"] == 0 })
		if is, other := s.show(allows), s.show(silent); is["Restarts"] != "1" || other["Restarts"] != "0" || other["JobState"] != "RUNNING" {
			t.Errorf("the owner who allows it has %s after %s restarts, the other %s after %s", is["JobState"], is["Restarts"], other["JobState"], other["Restarts"])
		}
		if !s.tells(allows, "its GPUs did no work for", "its owner allows that", "job "+due+" waits for them") {
			t.Errorf("explain does not tell why:\n%s", s.fairbridge("explain", allows))
		}
	})
}
