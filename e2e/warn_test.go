package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestAJobIsWarnedBeforeItIsRequeued wants the script of a job that asked for it
// to hear of the requeue in time, and to go on until then.
func TestAJobIsWarnedBeforeItIsRequeued(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		hogs := s.occupy(3)
		s.forgetScripts()
		warned := strings.Replace(script("60", "1"), "\n", "\ntrap 'echo warned $(date +%s) >>$d.log' USR1; trap 'echo stop $(date +%s) >>$d.log; exit 0' TERM\n", 1)
		hog := s.submit("alice", strings.Replace(warned, "trap 'echo stop >>$d.log; exit 0' TERM\n", "", 1),
			"--gres=gpu:8", "-t", "60", "--requeue", "--comment=fairbridge:preemptible,ckpt=1s,grace=10s,signal=USR1")
		s.until("all run", 30*time.Second, func() bool { return s.states(append(hogs, hog)...)["RUNNING"] == 4 })
		time.Sleep(12 * time.Second) // beyond the first queue
		short := s.submit("bob", script("8", "0"), "--gres=gpu:8", "-t", "60")

		s.configure("preempt", "tiresias", "queues: [60], min_run: 5s, promote_knob: 0")
		s.start()
		s.until("the short job runs", 120*time.Second, func() bool { return s.show(short)["JobState"] != "PENDING" })
		s.until("both ended", 180*time.Second, func() bool { return s.states(hog, short)["COMPLETED"] == 2 })
		log := strings.Split(s.written(hog), "\n")
		if len(log) != 5 || log[0] != "start 0" || log[3] != "start 1" || log[4] != "end" {
			t.Fatalf("the job's own log: %q", log)
		}
		if !strings.HasPrefix(log[1], "warned ") || !strings.HasPrefix(log[2], "stop ") {
			t.Fatalf("the job's own log: %q", log)
		}
		// By our own clock: when the script gets round to its traps is the machine's affair.
		grace := s.texts(`select (r.sent - w.sent >= interval '10 seconds') || ': ' || (r.sent - w.sent) from fairbridge.intents w, fairbridge.intents r
			where w.job = $1 and r.job = $1 and w.kind = 'warn' and r.kind = 'requeue' and w.sent is not null and r.sent is not null`, number(hog))
		if len(grace) != 1 || !strings.HasPrefix(grace[0], "true: ") {
			t.Errorf("from warning to stop, asked for 10 s: %q", grace)
		}
		story := s.fairbridge("explain", hog)
		if !strings.Contains(story, "warn job "+hog) || !strings.Contains(story, "requeue job "+hog) {
			t.Errorf("explain does not tell of both:\n%s", story)
		}
	})
}
