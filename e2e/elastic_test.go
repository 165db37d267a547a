package e2e

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// elastic is what an owner says of a job that runs on 2 to 8 GPUs and resumes by itself.
const elastic = "--comment=fairbridge:min=2,max=8,preemptible,ckpt=1s"

// gpusOf returns how many GPUs the job asks for as Slurm's record has it, or holds.
func (s *site) gpusOf(job string) string {
	s.t.Helper()
	is := s.show(job)
	per := is["TresPerNode"]
	return per[strings.LastIndex(per, ":")+1:]
}

// sizedScript is a script as script makes it that also writes down how many GPUs each run has.
func sizedScript(seconds, restarts string) string {
	return strings.Replace(script(seconds, restarts), "${SLURM_RESTART_COUNT:-0} >>", "${SLURM_RESTART_COUNT:-0} $SLURM_GPUS_ON_NODE >>", 1)
}

// TestAWaitingElasticJobStartsOnWhatIsFree: it asks for 8 GPUs, of which 4 are free, gets 4 asked for it and starts on
// them; a step in it has them too. Its neighbour, which declares nothing, waits with the request that it had.
func TestAWaitingElasticJobStartsOnWhatIsFree(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.forgetScripts()
		s.occupy(3)
		first := s.submit("alice", long, "--gres=gpu:4", "-t", "60")
		s.until("4 GPUs are taken", time.Minute, func() bool { return s.show(first)["JobState"] == "RUNNING" }) // Slurm might start bob's before
		rigid := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		job := s.submit("alice", sizedScript("5", "0"), "--gres=gpu:8", "-t", "60", elastic)
		array := s.submit("alice", long, "--gres=gpu:8", "-t", "60", "--array=0-1", elastic)
		s.configure("elastic", "ref", "min_run: 5s")
		s.start()
		s.until("the elastic job ended", 90*time.Second, func() bool { return s.show(job)["JobState"] == "COMPLETED" })
		if log := s.written(job); log != "start 0 4\nend" {
			t.Errorf("its own log:\n%s\nwant a start on 4 GPUs and an end", log)
		}
		if rigid, tasks := s.show(rigid), s.gpusOf(array); rigid["JobState"] != "PENDING" || !strings.HasSuffix(rigid["TresPerNode"], ":8") || rigid["Restarts"] != "0" || tasks != "8" {
			t.Errorf("the rigid job is %s, %s, the array asks %s", rigid["JobState"], rigid["TresPerNode"], tasks)
		}
		if story := s.fairbridge("explain", job); !strings.Contains(story, "gpus job "+job+" to 4") {
			t.Errorf("explain does not tell of the size:\n%s", story)
		}
	})
}

// TestARunningElasticJobShrinksByOneRequeue: a second elastic job comes, and each gets half: the first is requeued once,
// resumes on 4 GPUs, and ends exactly once. What that cost it is measured: the requeue delay at least.
func TestARunningElasticJobShrinksByOneRequeue(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.forgetScripts()
		others := s.occupy(3)
		settings, report := s.probed()
		job := s.submit("alice", training(report, "60", "1", "30000"), "--gres=gpu:8", "-t", "60", "--requeue", elastic)
		s.until("all run", 30*time.Second, func() bool { return s.states(append(others, job)...)["RUNNING"] == 4 })
		time.Sleep(21 * time.Second) // twenty times what a restart costs
		second := s.submit("alice", sizedScript("10", "0"), "--gres=gpu:8", "-t", "60", elastic)
		s.configure("elastic", "ref", "min_run: 5s, step: 4", settings)
		s.start()
		s.until("both ended", 240*time.Second, func() bool { return s.states(job, second)["COMPLETED"] == 2 })
		// bash says that its child was terminated where it comes to that before its own end.
		if log := strings.ReplaceAll(s.written(job), "Terminated\n", ""); log != "start 0 8\nstop\nstart 1 4\nend" {
			t.Errorf("the first job's own log:\n%s\nwant two runs, on 8 and 4 GPUs, and one end", log)
		}
		if log := s.written(second); log != "start 0 4\nend" {
			t.Errorf("the second job's own log:\n%s", log)
		}
		if n := s.states(others...)["RUNNING"]; n != 3 {
			t.Errorf("%d of the 3 jobs that declare nothing still run", n)
		}
		s.until("the restart is measured, once and at more than two seconds", 20*time.Second, func() bool {
			return slices.Equal(s.texts("select (seconds > 2)::text from fairbridge.restart_costs where job = $1", number(job)), []string{"true"})
		})
	})
}

// TestSizesAreGivenBack: a number of GPUs that a daemon left behind is the owner's again after release, by the timer's
// command once no daemon leads, and by a daemon in a lower mode.
func TestSizesAreGivenBack(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.configure("rank", "fifo", "")
		s.occupy(4)
		job := s.submit("bob", long, "--gres=gpu:8", "-t", "60", elastic)
		leave := func() {
			s.leaveValue(job, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2}, bridge.JobBefore{State: "PENDING", GPUs: 8}, "gres=gpu:2")
			if n := s.gpusOf(job); n != "2" {
				t.Fatalf("it asks for %s GPUs, want our 2", n)
			}
		}
		back := func() bool { return s.gpusOf(job) == "8" }
		leave()
		s.fairbridge("release")
		if !back() {
			t.Errorf("after release it asks for %s GPUs", s.gpusOf(job))
		}
		leave()
		s.until("the timer gives it back", 3*time.Minute, func() bool { s.fairbridge("expire"); return back() })
		leave()
		s.start()
		s.until("a daemon in mode rank gives it back", time.Minute, back)
		if is := s.show(job); is["JobState"] != "PENDING" || is["Priority"] == "0" {
			t.Errorf("it is %s with priority %s", is["JobState"], is["Priority"])
		}
	})
}

// TestKilledAmidAResize: the daemon is killed the moment the requeue is seen. Slurm alone starts the job, within what
// its owner declared, and it ends exactly once.
func TestKilledAmidAResize(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.forgetScripts()
		others := s.occupy(3)
		job := s.submit("alice", sizedScript("45", "1"), "--gres=gpu:8", "-t", "60", "--requeue", elastic)
		s.until("all run", 30*time.Second, func() bool { return s.states(append(others, job)...)["RUNNING"] == 4 })
		time.Sleep(21 * time.Second)
		second := s.submit("alice", sizedScript("5", "0"), "--gres=gpu:8", "-t", "60", elastic)
		s.configure("elastic", "ref", "min_run: 5s")
		s.start()
		s.until("it is requeued", 90*time.Second, func() bool { return s.show(job)["Restarts"] == "1" })
		s.kill(syscall.SIGKILL)
		s.until("both ended without a daemon", 240*time.Second, func() bool { return s.states(job, second)["COMPLETED"] == 2 })
		log := s.written(job)
		if log != "start 0 8\nstop\nstart 1 4\nend" && log != "start 0 8\nstop\nstart 1 8\nend" {
			t.Errorf("its own log:\n%s\nwant two runs and one end", log)
		}
	})
}

// sizing are the policies that choose sizes and may act, but for ref, with parameters by which they decide soon. The releases
// share them, so that each policy acts on one; fairbridge, which uses sizes of jobs only
// whose speed it knows from others of their class, is nowhere the first. All but one start jobs on 4 GPUs that ask for 8; slaq leaves
// a job what it asks until it has reported losses, so that it must be able to start.
var sizing = []sizingPolicy{
	{"optimus", "min_run: 5s", 8}, {"slaq", "min_run: 5s", 4}, {"afs", "min_run: 5s", 8},
	{"pollux", "min_run: 5s", 8}, {"sia", "min_run: 5s", 8}, {"elasticflow", "min_run: 5s, slot: 5s", 8},
	{"elan", "min_run: 5s", 8}, {"pcs", "min_run: 5s", 8}, {"fairbridge", "min_run: 5s", 8},
}

// sizingPolicy is a policy, and how many GPUs elastic jobs ask for under it.
type sizingPolicy struct {
	name, params string
	gpus         int
}

// training is a job as sizedScript makes it that reports each second, by the words report, so many steps and its speed.
func training(report, seconds, restarts, steps string) string {
	says := report + " --optional --step $((30*$(wc -l <$d)))/" + steps + " --rate $((100*SLURM_GPUS_ON_NODE/(4+SLURM_GPUS_ON_NODE))) --batch 256 --batch-range 128-4096 --gpu-batch 16-256 --gradient 0.2/31.5 --loss 2.5 2>>$d.log; sleep 1"
	return strings.Replace(sizedScript(seconds, restarts), "sleep 1", says, 1)
}

// TestEveryPolicyActsOnSizes: of the last node four GPUs are free, so that no elastic job can start on the 8 it asks for. Under
// each policy both start on what there is, within their range, and end once; the job that declares nothing runs on what it
// asks, and those that run already are not touched. In the end nothing of ours is left.
func TestEveryPolicyActsOnSizes(t *testing.T) {
	besideSlurm(t, func(t *testing.T, s *site) {
		s.forgetScripts()
		others := append(s.occupy(3), s.submit("carol", long, "--gres=gpu:4", "-t", "60"))
		s.until("all run", 30*time.Second, func() bool { return s.states(others...)["RUNNING"] == 4 })
		settings, report := s.probed()
		for i := slices.Index(releases, release); i < len(sizing); i += len(releases) {
			s.actsOnSizes(&sizing[i], settings, training(report, "5", "0", "150"))
		}
		s.fairbridge("release")
		if out := s.fairbridge("release"); strings.Contains(out, "gpus") {
			t.Errorf("a second release finds something:\n%s", out)
		}
		for _, id := range others {
			if is := s.show(id); is["JobState"] != "RUNNING" || is["Restarts"] != "0" {
				t.Errorf("job %s, which declares nothing, is %s after %s restarts", id, is["JobState"], is["Restarts"])
			}
		}
	})
}

// actsOnSizes has a policy decide about two elastic jobs and a rigid one until all have ended.
func (s *site) actsOnSizes(p *sizingPolicy, settings, script string) {
	s.t.Helper()
	began, policy, asks := time.Now(), p.name, fmt.Sprintf("--gres=gpu:%d", p.gpus)
	s.configure("elastic", policy, p.params, settings)
	elastics := []string{
		s.submit("alice", script, asks, "-t", "60", "--requeue", "-J", "train", elastic),
		s.submit("alice", script, asks, "-t", "60", "--requeue", "-J", "train", elastic),
	}
	rigid := s.submit("alice", sizedScript("1", "0"), "--gres=gpu:2", "-t", "60", "--requeue")
	s.start()
	s.until(policy+": all have ended", 3*time.Minute, func() bool { return s.states(append(elastics, rigid)...)["COMPLETED"] == 3 })
	s.kill(syscall.SIGTERM)
	for _, job := range elastics {
		s.ranWithinRange(policy, job)
	}
	if log := s.written(rigid); log != "start 0 2\nend" {
		s.t.Errorf("%s: the rigid job's own log:\n%s\nwant one run on 2 GPUs", policy, log)
	}
	for line := range strings.Lines(s.log.String()) {
		isEnding := strings.Contains(line, "context canceled") // what was under way when we ended it
		if !isEnding && !saysBusy(line) && (strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN")) {
			s.t.Errorf("%s: %s", policy, line)
		}
	}
	s.t.Logf("%s: %v", policy, time.Since(began).Round(time.Second))
}

// ranWithinRange wants a job of 2 to 8 GPUs to have run on no more than the four that are free, in runs that end one before
// the other, the last by itself.
func (s *site) ranWithinRange(policy, job string) {
	s.t.Helper()
	lines := strings.Split(s.written(job), "\n")
	for i, line := range lines {
		var run, gpus int
		_, err := fmt.Sscanf(line, "start %d %d", &run, &gpus)
		switch isLast := i == len(lines)-1; {
		case i%2 == 0 && (err != nil || run != i/2 || gpus < 2 || gpus > 4):
			s.t.Errorf("%s: job %s, its line %d is %q, want run %d on 2 to 4 GPUs", policy, job, i+1, line, i/2)
		case i%2 == 1 && (line != "stop" && line != "end" || (line == "end") != isLast):
			s.t.Errorf("%s: job %s, its line %d is %q", policy, job, i+1, line)
		}
	}
	if len(lines)%2 != 0 {
		s.t.Errorf("%s: job %s did not say that it ended: %q", policy, job, lines)
	}
}
