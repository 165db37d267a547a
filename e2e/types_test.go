package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/scripts/throwaway"
)

// acceptsV100 is what an owner says of a job that runs on V100 as well, and on T4, which are not there, and resumes by itself.
const acceptsV100 = "--comment=fairbridge:types=v100+t4,preemptible,ckpt=1s"

// mayChangeGPUs is whether this release lets the GPU type of a waiting job, or its GPU, become another type or shards. Slurm 22.05
// would go on counting the former type, and refuses shards.
var mayChangeGPUs = release != "22.05"

// onlyWhereGPUsMayChange skips a test on a release on which nothing of it could happen.
func onlyWhereGPUsMayChange(t *testing.T) {
	t.Helper()
	if !mayChangeGPUs {
		t.Skipf("Slurm %s changes neither type nor shards", release)
	}
}

// twoTypes runs a test beside a Slurm of its own: a node of 8 A100 and one of 8 V100.
func twoTypes(t *testing.T, test func(t *testing.T, s *site)) {
	besideOwnSlurm(t, throwaway.Options{NodeCount: 2, GPUTypes: "a100 v100"}, test)
}

// tells reports whether explain says all of it of the job; lines are broken where they are long.
func (s *site) tells(job string, all ...string) bool {
	out, _ := s.tryFairbridge("explain", job)
	story := strings.Join(strings.Fields(out), " ")
	return !slices.ContainsFunc(all, func(part string) bool { return !strings.Contains(story, part) })
}

// TestAWaitingJobStartsOnAnotherType: all A100 are taken by a job that may not be stopped. One that asks for them and
// accepts V100 gets those asked for it and starts on them; one that lists no types waits with the request that it
// had. Slurm 22.05 cannot give a type back exactly, so that nothing is changed there and its owner is told.
func TestAWaitingJobStartsOnAnotherType(t *testing.T) {
	twoTypes(t, func(t *testing.T, s *site) {
		hog := s.submit("bob", long, "--gres=gpu:a100:8", "-t", "60")
		s.until("the A100 are taken", 30*time.Second, func() bool { return s.show(hog)["JobState"] == "RUNNING" })
		rigid := s.submit("carol", long, "--gres=gpu:a100:4", "-t", "60")
		job := s.submit("alice", long, "--gres=gpu:a100:4", "-t", "30", acceptsV100)
		wide := s.submit("carol", long, "--gres=gpu:4", "-N2", "-n2", "-t", "60", "--comment=fairbridge:min=2,max=16")
		manifold := s.submit("carol", long, "--gres=gpu:a100:4", "-N1", "-n4", "-t", "60", "--comment=fairbridge:types=v100")
		s.configure("elastic", "sia", "min_run: 5s")
		s.start()
		s.until("that several nodes, or tasks, keep sizes from counting is told", time.Minute, func() bool {
			return s.tells(wide, "min and max do not count: it does not run as one task on one node (2 tasks, 2 nodes)") &&
				s.tells(manifold, "types do not count: it does not run as one task on one node (4 tasks, 1 node)")
		})
		if !mayChangeGPUs {
			s.until("its owner is told", time.Minute, func() bool {
				return s.tells(job, "types do not count: Slurm 22.05")
			})
			s.cycles(3)
			if is := s.show(job); is["TresPerNode"] != "gres:gpu:a100:4" || is["JobState"] != "PENDING" {
				t.Errorf("it is %s and asks for %s", is["JobState"], is["TresPerNode"])
			}
			return
		}
		s.until("it runs on the V100", 90*time.Second, func() bool { is := s.show(job); return is["JobState"] == "RUNNING" && is["NodeList"] == "n2" })
		if asks := s.show(job)["TresPerNode"]; !strings.HasSuffix(asks, "gpu:v100:4") {
			t.Errorf("it asks for %s", asks)
		}
		if is := s.show(rigid); is["JobState"] != "PENDING" || !strings.HasSuffix(is["TresPerNode"], "gpu:a100:4") {
			t.Errorf("the job that lists no types is %s and asks for %s", is["JobState"], is["TresPerNode"])
		}
		if !s.tells(job, "gpus job "+job+" to 4 v100", `no GPU of type "t4"`) {
			t.Errorf("explain does not tell of the types:\n%s", s.fairbridge("explain", job))
		}
	})
}

// TestARunningJobIsRequeuedToAnotherType: a job of 8 A100 comes. The one that holds four of them and accepts V100 is
// requeued once, resumes there and ends exactly once.
func TestARunningJobIsRequeuedToAnotherType(t *testing.T) {
	onlyWhereGPUsMayChange(t)
	twoTypes(t, func(t *testing.T, s *site) {
		s.forgetScripts()
		job := s.submit("alice", sizedScript("60", "1"), "--gres=gpu:a100:4", "-t", "60", "--requeue", acceptsV100)
		s.until("it runs", 30*time.Second, func() bool { return s.show(job)["NodeList"] == "n1" && s.show(job)["JobState"] == "RUNNING" })
		time.Sleep(21 * time.Second) // twenty times what a restart costs
		large := s.submit("bob", long, "--gres=gpu:a100:8", "-t", "60")
		s.configure("elastic", "sia", "min_run: 5s")
		s.start()
		s.until("it runs on the V100", 2*time.Minute, func() bool { return s.show(job)["NodeList"] == "n2" })
		s.until("the large one runs", time.Minute, func() bool { return s.show(large)["JobState"] == "RUNNING" })
		s.until("it ended", 2*time.Minute, func() bool { return s.show(job)["JobState"] == "COMPLETED" })
		if log := s.written(job); log != "start 0 4\nstop\nstart 1 4\nend" {
			t.Errorf("its own log:\n%s\nwant two runs and one end", log)
		}
	})
}

// TestTypesAreGivenBack: a type that a daemon left behind is the owner's again after release, by the timer's command
// once no daemon leads, and by a daemon in a lower mode.
func TestTypesAreGivenBack(t *testing.T) {
	onlyWhereGPUsMayChange(t)
	twoTypes(t, func(t *testing.T, s *site) {
		s.configure("rank", "fifo", "")
		s.occupy(2)
		job := s.submit("bob", long, "--gres=gpu:a100:4", "-t", "60", acceptsV100)
		asked := s.show(job)
		leave := func() {
			s.leaveValue(job, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 4, Text: "v100"}, bridge.JobBefore{State: "PENDING", GPUs: 4, GPUType: "a100"}, "gres=gpu:v100:4")
			if n := s.show(job)["TresPerNode"]; !strings.HasSuffix(n, "v100:4") {
				t.Fatalf("it asks for %s, want our V100", n)
			}
		}
		back := func() bool {
			is := s.show(job)
			return is["TresPerNode"] == asked["TresPerNode"] && is["ReqTRES"] == asked["ReqTRES"]
		}
		leave()
		s.fairbridge("release")
		if !back() {
			t.Errorf("after release it asks for %v, its owner for %v", s.show(job)["ReqTRES"], asked["ReqTRES"])
		}
		leave()
		s.until("the timer gives it back", 3*time.Minute, func() bool { s.fairbridge("expire"); return back() })
		leave()
		s.start()
		s.until("a daemon in mode rank gives it back", time.Minute, back)
	})
}
