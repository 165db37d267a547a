package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// TestNoStopWithoutARestart: jobs that Slurm would not let start again are not stopped: one whose deadline is too near
// for its whole limit, one whose account has too little left of its GPU-minutes, and a gang of which a node drains.
// Once the node is back, the gang gives way.
func TestNoStopWithoutARestart(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("AccountingStorageEnforce=associations,limits,qos,safe")
		s.run("root", "sacctmgr", "-i", "modify", "account", "where", "name=vision", "set", "grptresmins=gres/gpu=482")
		submit := func(user string, flags ...string) string {
			return s.submit(user, long, append(flags, "--gres=gpu:8", "-t", "60", "--requeue", open)...)
		}
		gang := submit("alice", "-N2", "-w", "n1,n2")
		deadline := submit("alice", "-w", "n3", "--deadline=now+3630")
		budget := submit("carol", "-w", "n4")
		running := []string{gang, deadline, budget}
		s.until("all run", 40*time.Second, func() bool { return s.states(running...)["RUNNING"] == 3 })
		s.run("root", "scontrol", "update", "nodename=n2", "state=drain", "reason=repair")
		time.Sleep(35 * time.Second) // by then neither the deadline nor the budget lets them start again
		s.preempting("fairbridge")
		s.start()
		large := s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		s.until("it lacks nodes", 40*time.Second, func() bool {
			return slices.Contains([]string{"Resources", "Priority"}, s.show(large)["Reason"])
		})
		s.cycles(8)
		if n := s.restarts(running...); n != 0 {
			t.Fatalf("%d jobs were stopped that Slurm would not start again:\n%s", n, s.fairbridge("explain", gang))
		}
		s.run("root", "scontrol", "update", "nodename=n2", "state=resume")
		s.until("the gang gives way", 90*time.Second, func() bool { return s.states(large)["RUNNING"] == 1 })
		if n, m := s.restarts(gang), s.restarts(deadline, budget); n != 1 || m != 0 {
			t.Errorf("the gang was stopped %d times, want once, and the others %d times", n, m)
		}
	})
}

// TestNoStopForAJobLeftToSlurm: no job is stopped for one that the GPU quota of its account keeps back, nor for one
// whose request says more of its nodes than fairbridge follows. One that asks in a plain way gets room.
func TestNoStopForAJobLeftToSlurm(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("AccountingStorageEnforce=associations,limits,qos")
		s.run("root", "sacctmgr", "-i", "add", "qos", "quota")
		modify := func(words ...string) { s.run("root", append([]string{"sacctmgr", "-i", "modify"}, words...)...) }
		modify("qos", "where", "name=quota", "set", "maxtresperaccount=gres/gpu=4")
		modify("account", "where", "name=teaching", "set", "qos+=quota")
		s.submit("bob", long, "--gres=gpu:4", "-q", "quota", "-w", "n4", "-t", "60")
		running := s.stoppable(3)
		small := s.submit("alice", long, "--gres=gpu:4", "-w", "n4", "-t", "60", "--requeue", open)
		running = append(running, small)
		s.until("all run", 40*time.Second, func() bool { return s.states(running...)["RUNNING"] == 4 })
		s.preempting("fairbridge")
		s.start()
		quota := s.submit("bob", long, "--gres=gpu:4", "-q", "quota", "-t", "20")
		spread := s.submit("bob", long, "--gres=gpu:4", "--ntasks-per-node=1", "-t", "20")
		s.until("the quota keeps it back", 40*time.Second, func() bool {
			return s.show(quota)["Reason"] == "MaxGRESPerAccount"
		})
		s.cycles(8)
		if n := s.restarts(running...); n != 0 {
			t.Fatalf("%d jobs were stopped:\n%s", n, s.fairbridge("explain", quota)+s.fairbridge("explain", spread))
		}
		for job, word := range map[string]string{quota: "MaxGRESPerAccount", spread: "tasks_per_node"} {
			if text := s.fairbridge("explain", job); !strings.Contains(text, word) {
				t.Errorf("explain does not name %s:\n%s", word, text)
			}
		}
		s.run("root", "scancel", spread)
		plain := s.submit("bob", long, "--gres=gpu:4", "-t", "20")
		s.until("the plain job runs", 90*time.Second, func() bool { return s.states(plain)["RUNNING"] == 1 })
	})
}
