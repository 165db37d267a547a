package e2e

import (
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/scripts/throwaway"
)

// gpuMemMB is the memory of each GPU, as the probes of these tests tell it.
const gpuMemMB = 40_960

// shardNode runs a test beside a Slurm of its own: a node of 8 GPUs of four shards.
func shardNode(t *testing.T, test func(t *testing.T, s *site)) {
	besideOwnSlurm(t, throwaway.Options{NodeCount: 1, Shards: "4"}, test)
}

// share submits a job of one GPU whose owner accepts neighbours of their own, and says how much memory it uses, and what else
// the words say.
func (s *site) share(user, gpuMem, seconds, words string) string {
	s.t.Helper()
	return s.run(user, "sbatch", "--parsable", "-p", "gpu", "--mem=100", "-o", "/dev/null", "--gres=gpu:1", "-t", "600", "--requeue",
		"--comment=fairbridge:shareable,gpu_busy=20%,gpu_mem="+gpuMem+words, "--wrap", "sleep "+seconds)
}

// startSharing starts a daemon in mode share, with probes that know the memory of GPUs, and what those say who are given.
func (s *site) startSharing(fill ...func(*nodeprobe.GPU)) {
	s.t.Helper()
	settings, _ := s.probed(append([]func(*nodeprobe.GPU){func(g *nodeprobe.GPU) {
		g.MemTotalMB, g.MemUsedMB, g.ProcessesKnown = nodeprobe.KnownValue(gpuMemMB), nodeprobe.KnownValue(0), true
	}}, fill...)...)
	s.configure("share", "salus", "max_wait: 1s", settings)
	s.start()
}

// shardsHeld returns what a running job holds of the GPUs of its node, as Slurm says it.
func (s *site) shardsHeld(job string) string {
	s.t.Helper()
	for line := range strings.Lines(s.run("root", "scontrol", "-d", "show", "job", job)) {
		if _, gres, ok := strings.Cut(line, " GRES="); ok {
			return strings.TrimSpace(gres)
		}
	}
	return ""
}

// TestTwoJobsShareAGPU: all GPUs but one are taken, and that is kept for a job of eight. It goes, and two jobs of a user who
// accepts that run on the GPU. One whose memory is too much beside them does not, nor one that did not opt in, nor another
// user's; they start on GPUs of their own once those are free. What the two were changed to is given back when they wait again.
func TestTwoJobsShareAGPU(t *testing.T) {
	shardNode(t, func(t *testing.T, s *site) {
		hog := s.submit("alice", long, "--gres=gpu:7", "-t", "60")
		s.until("seven GPUs are taken", 30*time.Second, func() bool { return s.show(hog)["JobState"] == "RUNNING" })
		wide := s.submit("carol", long, "--gres=gpu:8", "-t", "60")
		first, second := s.share("bob", "12G", "600", ""), s.share("bob", "12G", "600", "")
		s.startSharing()
		if !mayChangeGPUs {
			s.until("its owner is told", time.Minute, func() bool { return s.tells(first, "shareable does not count: Slurm 22.05") })
		}
		s.until("both are held back", time.Minute, func() bool { return s.leased(first) && s.leased(second) })
		s.run("root", "scancel", wide)
		if !mayChangeGPUs {
			s.until("one runs", time.Minute, func() bool { return s.states(first, second)["RUNNING"] == 1 })
			s.cycles(3)
			if held := s.shardsHeld(first) + s.shardsHeld(second); strings.Contains(held, "shard") || s.states(first, second)["RUNNING"] != 1 {
				t.Errorf("they hold %s", held)
			}
			return
		}
		s.until("both run", time.Minute, func() bool { return s.states(first, second)["RUNNING"] == 2 })
		if a, b := s.shardsHeld(first), s.shardsHeld(second); !strings.Contains(a, "shard:") || a != b {
			t.Errorf("they hold %s and %s, want as many shards of one GPU", a, b)
		}
		alone := map[string]string{"did not opt in": s.submit("bob", long, "--gres=gpu:1", "-t", "60"), "is another user's": s.share("carol", "1G", "600", ""), "needs too much memory": s.share("bob", "30G", "600", "")}
		s.cycles(4)
		for what, job := range alone {
			if is := s.show(job); is["JobState"] != "PENDING" || !strings.HasSuffix(is["TresPerNode"], "gpu:1") {
				t.Errorf("the job that %s is %s and asks for %s", what, is["JobState"], is["TresPerNode"])
			}
		}
		s.run("root", "scancel", hog)
		for what, job := range alone {
			s.until("the job that "+what+" runs", time.Minute, func() bool { return s.show(job)["JobState"] == "RUNNING" })
		}
		if held := s.shardsHeld(alone["did not opt in"]); !strings.Contains(held, "gpu:") || strings.Contains(held, "shard:") {
			t.Errorf("the job that did not opt in holds %s", held)
		}
		s.kill(syscall.SIGTERM)
		for _, job := range []string{first, second} { // what it runs on is given back once it waits again
			s.run("root", "scontrol", "requeue", job)
		}
		s.until("both wait again", time.Minute, func() bool { return s.states(first, second)["PENDING"] == 2 })
		s.givesEverythingBack(nil)
		for _, job := range []string{first, second} {
			if asks := s.show(job)["TresPerNode"]; !strings.HasSuffix(asks, "gpu:1") {
				t.Errorf("job %s asks for %s after release", job, asks)
			}
		}
	})
}

// TestShardsAreGivenBack: a job that a daemon left waiting with shards asks for the GPU again after release, and by the timer's
// command once no daemon leads; and if nobody gives it back, it starts.
func TestShardsAreGivenBack(t *testing.T) {
	onlyWhereGPUsMayChange(t)
	shardNode(t, func(t *testing.T, s *site) {
		s.configure("share", "salus", "")
		hog := s.submit("alice", long, "--gres=gpu:8", "-t", "600")
		s.until("all GPUs are taken", 30*time.Second, func() bool { return s.show(hog)["JobState"] == "RUNNING" })
		job := s.share("bob", "12G", "5", "")
		leave := func() {
			s.leaveValue(job, slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}, bridge.JobBefore{State: "PENDING", GPUs: 1}, "gres=shard:2")
			if asks := s.show(job)["TresPerNode"]; !strings.HasSuffix(asks, "shard:2") {
				t.Fatalf("it asks for %s, want our shards", asks)
			}
		}
		back := func() bool { return strings.HasSuffix(s.show(job)["TresPerNode"], "gpu:1") }
		leave()
		s.fairbridge("release")
		if !back() {
			t.Errorf("after release it asks for %s", s.show(job)["TresPerNode"])
		}
		leave()
		s.until("the timer gives it back", 3*time.Minute, func() bool { s.fairbridge("expire"); return back() })
		leave()
		s.run("root", "scancel", hog)
		s.until("it ends without us", time.Minute, func() bool { return s.states(job)["COMPLETED"] == 1 })
	})
}

// TestNeighboursThatHurtAreSeparated: two jobs share a GPU, and the probe finds its memory full. The one that runs on what
// others leave is requeued, once, and comes back on a GPU of its own, although there is room beside the other.
func TestNeighboursThatHurtAreSeparated(t *testing.T) {
	onlyWhereGPUsMayChange(t)
	shardNode(t, func(t *testing.T, s *site) {
		hog := s.submit("alice", long, "--gres=gpu:7", "-t", "60")
		s.until("seven GPUs are taken", 30*time.Second, func() bool { return s.show(hog)["JobState"] == "RUNNING" })
		wide := s.submit("carol", long, "--gres=gpu:8", "-t", "60")
		first, second := s.share("bob", "12G", "600", ""), s.share("bob", "12G", "600", ",opportunistic,ckpt=1s")
		var full atomic.Bool
		s.startSharing(func(g *nodeprobe.GPU) {
			if !full.Load() || g.Index != 7 { // the one that the others left
				return
			}
			g.MemUsedMB = nodeprobe.KnownValue(gpuMemMB - 100)
			for i, job := range []string{first, second} {
				id, _ := strconv.ParseInt(job, 10, 64)
				g.Processes = append(g.Processes, nodeprobe.Process{PID: 10 + i, MemMB: gpuMemMB/2 - 50, Job: nodeprobe.ProcessJob{Job: id, KnownBy: "cgroup"}})
			}
		})
		s.until("both are held back", time.Minute, func() bool { return s.leased(first) && s.leased(second) })
		s.run("root", "scancel", wide)
		s.until("both run", time.Minute, func() bool { return s.states(first, second)["RUNNING"] == 2 })
		full.Store(true)
		s.until("the opportunistic one is requeued", 90*time.Second, func() bool { return s.show(second)["Restarts"] == "1" })
		full.Store(false)
		if is := s.show(first); is["Restarts"] != "0" || is["JobState"] != "RUNNING" {
			t.Errorf("the other one is %s after %s restarts", is["JobState"], is["Restarts"])
		}
		if !s.tells(second, "leaves the GPU that it shares", "the memory of a GPU of theirs is 100% full") {
			t.Errorf("explain does not tell why:\n%s", s.fairbridge("explain", second))
		}
		s.cycles(5)
		if is := s.show(second); is["JobState"] != "PENDING" {
			t.Errorf("it is %s on %s beside the job that it was separated from", is["JobState"], s.shardsHeld(second))
		}
		s.run("root", "scancel", hog)
		s.until("it runs again", 90*time.Second, func() bool { return s.show(second)["JobState"] == "RUNNING" })
		if a, b := s.shardsHeld(first), s.shardsHeld(second); a == b {
			t.Errorf("both hold %s", a)
		}
	})
}

// TestALentNodeComesBack: a job that runs on what others leave has all GPUs. Another's job comes, and has them within the bound; the
// former comes back when that has ended, and explain says how long the calling back took.
func TestALentNodeComesBack(t *testing.T) {
	shardNode(t, func(t *testing.T, s *site) {
		lent := s.submit("alice", long, "--gres=gpu:8", "-t", "60", "--requeue", "--comment=fairbridge:opportunistic,ckpt=1s")
		s.until("it has all GPUs", 30*time.Second, func() bool { return s.show(lent)["JobState"] == "RUNNING" })
		s.configure("preempt", "fifo", "", "  recall: 30s")
		s.start()
		s.cycles(3)
		due := s.submit("bob", "sleep 5", "--gres=gpu:8", "-t", "30")
		s.until("the GPUs are back", 40*time.Second, func() bool { return s.show(due)["JobState"] != "PENDING" })
		s.until("it comes back", 2*time.Minute, func() bool { is := s.show(lent); return is["JobState"] == "RUNNING" && is["Restarts"] == "1" })
		if !s.tells(lent, "is called back") {
			t.Errorf("explain does not tell:\n%s", s.fairbridge("explain", lent))
		}
	})
}
