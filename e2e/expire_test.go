package e2e

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/scripts/throwaway"
)

// TestANodeListEndsWithoutADaemon: a node was named for a job, the daemon is
// dead, and the node is drained before the job starts (one that is set down
// comes back by itself here, when it registers). The timer's command frees
// the job, which starts on another node.
func TestANodeListEndsWithoutADaemon(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.configure("steer", "fifo", "backfill: none")
		s.run("root", "scontrol", "update", "nodename=n4", "state=drain", "reason=fairbridge-e2e")
		t.Cleanup(func() {
			_, _ = s.slurm.Run(context.Background(), "root", "scontrol", "update", "nodename=n4", "state=resume")
		})
		s.occupy(3)
		job := s.submit("bob", long, "--gres=gpu:8", "-t", "60")
		s.named(job, "n4")
		if is := s.show(job); is["JobState"] != "PENDING" || is["ReqNodeList"] != "n4" {
			t.Fatalf("the job is %s, required nodes %s", is["JobState"], is["ReqNodeList"])
		}
		for _, id := range s.runningOf("alice") {
			s.run("root", "scancel", id)
		}
		began := time.Now()
		s.until("the job runs", 3*time.Minute, func() bool {
			s.fairbridge("expire") // as the timer does, oftener
			return s.show(job)["JobState"] == "RUNNING"
		})
		if is := s.show(job); is["NodeList"] == "n4" || is["ReqNodeList"] == "n4" {
			t.Errorf("it runs on %s, required nodes %s", is["NodeList"], is["ReqNodeList"])
		}
		t.Logf("it runs %v after the last sign of a daemon", time.Since(began).Round(time.Second))
	})
}

// named makes a node list stand in the job as a daemon that has died since left
// it: in Slurm and in the ledger.
func (s *site) named(job, node string) {
	s.t.Helper()
	s.leaveValue(job, slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: []string{node}}, bridge.JobBefore{State: "PENDING"}, "reqnodelist="+node)
}

// leaveValue makes a value of ours stand in the job as a daemon that has died since left it: in Slurm, by an argument of
// scontrol update, and in the ledger.
func (s *site) leaveValue(job string, e slurm.Edit, before bridge.JobBefore, update string) {
	s.t.Helper()
	ctx := s.t.Context()
	db, err := stores.Open(ctx, accounting.Config{DSN: s.dsn})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		return n
	}
	run := slurm.Run{Job: number(job), Submit: number(s.run("root", "date", "-d", s.show(job)["SubmitTime"], "+%s"))}
	epoch, _, held, err := db.Lead(ctx, "lab", "dead:1", 10*time.Second)
	if err != nil || !held {
		s.t.Fatal(held, err)
	}
	e.Run, e.Tasks = run, 1
	in := bridge.Intent{Cluster: "lab", Epoch: epoch, Policy: "fifo", Made: time.Now(), Edit: e, Before: before}
	list, err := db.StoreIntents(ctx, nil, []bridge.Intent{in})
	if err != nil {
		s.t.Fatal(err)
	}
	s.run("root", "scontrol", "update", "jobid="+job, update)
	list[0].State, list[0].Sent = bridge.IntentObserved, time.Now()
	if err := db.UpdateIntent(ctx, list[0]); err != nil {
		s.t.Fatal(err)
	}
}

// runningOf lists a user's running jobs.
func (s *site) runningOf(user string) []string {
	s.t.Helper()
	return strings.Fields(s.run("root", "squeue", "-h", "-u", user, "-t", "R", "-o", "%i"))
}
