package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// operate runs an action through the daemon's socket.
func (s *site) operate(args ...string) (string, error) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	args = append(append([]string{"operate"}, args...), "--why", "a test", "--yes", "--url", "unix://"+filepath.Join(s.dir, "api.sock"))
	out, err := exec.CommandContext(s.t.Context(), path, args...).CombinedOutput()
	return string(out), err
}

// mustOperate is operate of what must be done.
func (s *site) mustOperate(args ...string) {
	s.t.Helper()
	if out, err := s.operate(args...); err != nil || !strings.Contains(out, "Done, as action") {
		s.t.Fatalf("operate %v: %v\n%s", args, err, out)
	}
}

// lastLease is the id of the last change that leased a job.
func (s *site) lastLease(job string) int64 {
	s.t.Helper()
	var answer struct {
		Changes []struct {
			ID int64 `json:"id"`
		} `json:"changes"`
	}
	out := s.fairbridge("changes", "--json", "-j", job, "--kind", "lease")
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Changes) == 0 {
		s.t.Fatalf("no lease of job %s: %v\n%s", job, err, out)
	}
	return answer.Changes[0].ID
}

// TestOperatorsAreObeyed: a job is released, a change undone, all is stopped and resumed, and a mode is lowered,
// through the daemon and with the configuration; what is left alone stays so, and what ended goes on.
func TestOperatorsAreObeyed(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.occupy(3)
		s.submit("bob", long, "-N", "4", "--gres=gpu:8", "-t", "60")
		var small []string
		for range 3 {
			small = append(small, s.submit("bob", long, "--gres=gpu:1", "-t", "600")) // too long for Slurm's own backfill
		}
		s.configure("steer", "fifo", "backfill: none", "lease: {length: 60s}", fmt.Sprintf("api: {socket: %s, operators: [root]}", filepath.Join(s.dir, "api.sock")))
		s.start()
		s.until("all are leased", 40*time.Second, func() bool { return s.leased(small[0]) && s.leased(small[1]) && s.leased(small[2]) })

		s.mustOperate("release", small[0])
		s.until("everything of ours in a job is given back", 20*time.Second, func() bool {
			f := s.siteFactors()[small[0]]
			return !s.leased(small[0]) && (f == "0" || f == "")
		})
		s.until("the lease of another is undone", 30*time.Second, func() bool {
			out, err := s.operate("undo", fmt.Sprint(s.lastLease(small[1]))) // perhaps it is being renewed
			return err == nil && strings.Contains(out, "Done")
		})
		s.until("it may start", 20*time.Second, func() bool { return !s.leased(small[1]) })

		s.mustOperate("stop")
		late := s.submit("bob", long, "--gres=gpu:1", "-t", "600")
		s.cycles(4)
		if s.leased(late) || s.leased(small[0]) || s.leased(small[1]) {
			t.Errorf("while stopped, after four cycles: %t %t %t are leased", s.leased(late), s.leased(small[0]), s.leased(small[1]))
		}
		s.fairbridge("operate", "resume", "--why", "a test", "--yes")
		s.until("what came while stopped is leased", 30*time.Second, func() bool { return s.leased(late) })
		if s.leased(small[0]) || s.leased(small[1]) {
			t.Error("a job that is left alone is leased again")
		}
		if out := s.fairbridge("explain", small[0]); !strings.Contains(out, "is left alone until") || !strings.Contains(out, "by root: a test") {
			t.Errorf("explain does not say that the job is left alone:\n%s", out)
		}

		s.mustOperate("mode", "gpu", "rank")
		s.until("in mode rank nothing is leased", 20*time.Second, func() bool { return !s.leased(late) && !s.leased(small[2]) })
		s.mustOperate("mode", "gpu", "steer")
		s.until("as configured it is leased again", 30*time.Second, func() bool { return s.leased(late) })
		if out := s.fairbridge("operate", "list"); strings.Count(out, "root (socket)") != 5 || strings.Count(out, "root (local)") != 1 {
			t.Errorf("not everything is recorded with who did it and how:\n%s", out)
		}
		s.kill(syscall.SIGTERM)
		s.fairbridge("release")
	})
}

// lateSlurm are options with which Slurm starts nothing by itself for half an hour.
const lateSlurm = "defer,sched_interval=1800,sched_min_interval=1800000000,bf_interval=1800,batch_sched_delay=1800"

// lastSize is the id of the last change of the job's number of GPUs, 0 where there was none, and how many there were.
func (s *site) lastSize(job string) (id int64, count int) {
	s.t.Helper()
	var answer struct {
		Changes []struct {
			ID int64 `json:"id"`
		} `json:"changes"`
	}
	out := s.fairbridge("changes", "--json", "-j", job, "--kind", "gpus")
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		s.t.Fatalf("changes of job %s: %v\n%s", job, err, out)
	}
	if len(answer.Changes) == 0 {
		return 0, 0
	}
	return answer.Changes[0].ID, len(answer.Changes)
}

// TestAnOperatorUndoesASize: the owner's number of GPUs stands again, and in the cycles after that the job is left alone
// with it, though it could start on fewer. Slurm starts nothing meanwhile.
func TestAnOperatorUndoesASize(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.occupy(3)
		half := s.submit("carol", long, "--gres=gpu:4", "-t", "60")
		s.until("4 GPUs are free", time.Minute, func() bool { return s.show(half)["JobState"] == "RUNNING" })
		s.withSlurm("SchedulerParameters=" + lateSlurm)
		job := s.submit("alice", long, "--gres=gpu:8", "-t", "60", elastic)
		s.configure("elastic", "ref", "min_run: 5s", fmt.Sprintf("api: {socket: %s, operators: [root]}", filepath.Join(s.dir, "api.sock")))
		s.start()
		s.until("it asks for fewer", time.Minute, func() bool { return s.gpusOf(job) == "4" })
		id, _ := s.lastSize(job)
		s.until("that is undone", time.Minute, func() bool { // perhaps it is not yet seen
			_, err := s.operate("undo", fmt.Sprint(id))
			return err == nil
		})
		s.until("the owner's number stands", 30*time.Second, func() bool { return s.gpusOf(job) == "8" })
		_, changes := s.lastSize(job)
		s.cycles(6)
		if _, now := s.lastSize(job); now != changes || s.gpusOf(job) != "8" || s.show(job)["JobState"] != "PENDING" {
			t.Errorf("it asks for %s GPUs, is %s, and had %d changes of its size, %d when it was undone", s.gpusOf(job), s.show(job)["JobState"], now, changes)
		}
		s.kill(syscall.SIGTERM)
		s.fairbridge("release")
	})
}
