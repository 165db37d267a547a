package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// TestAdministratorsAtWork: limits, partitions and reservations change while a job waits for nodes. None is stopped
// for it while Slurm keeps it back for another reason, nor one that could not start again. Room is made
// once that is over, and not on nodes in maintenance.
func TestAdministratorsAtWork(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("AccountingStorageEnforce=associations,limits")
		partition := func(setting string) func() {
			return func() { s.run("root", "scontrol", "update", "partitionname=gpu", setting) }
		}
		account := func(setting string) func() {
			return func() { s.run("root", "sacctmgr", "-i", "modify", "account", "teaching", "set", setting) }
		}
		small := s.run("carol", "sbatch", "--parsable", "-p", "gpu", "-o", "/dev/null", "--mem=10", "-t", "60", "--wrap", long)
		running := s.stoppable(4)
		s.preempting("fairbridge")
		stop := filepath.Join(s.dir, "STOP")
		s.file("STOP", "")
		s.start()
		waiting := s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		s.until("it lacks nodes", 40*time.Second, func() bool { return s.show(waiting)["Reason"] == "Resources" })
		s.cycles(2) // it is seen so
		for _, x := range []struct {
			reason      string // Slurm's, of the waiting job
			begin, over func()
		}{
			{"PartitionDown", partition("state=down"), partition("state=up")},
			{"Resources", partition("maxtime=30"), partition("maxtime=7-0")}, // too short for those that run
			{"AssocGrpGRES", account("grptres=gres/gpu=4"), account("grptres=gres/gpu=-1")},
		} {
			x.begin()
			s.until(x.reason, 40*time.Second, func() bool { return s.show(waiting)["Reason"] == x.reason })
			s.cycles(2) // what is decided from here on is decided with that seen
			_ = os.Remove(stop)
			s.cycles(3)
			if n := s.restarts(running...); n != 0 {
				t.Fatalf("%d jobs were stopped while the job waits for %s\n%s", n, x.reason, s.fairbridge("explain", waiting))
			}
			s.file("STOP", "")
			x.over()
		}
		s.until("it lacks nodes only", 40*time.Second, func() bool { return s.show(waiting)["Reason"] == "Resources" })
		s.run("root", "scancel", small) // from 24.05 on a lifted limit is seen when a job ends, or five minutes later
		s.run("root", "scontrol", "create", "reservation", "reservationname=works", "starttime=now", "duration=60", "users=root",
			"flags=maint,ignore_jobs", "nodes=n1,n2")
		s.cycles(2) // the reservation is seen
		_ = os.Remove(stop)
		s.until("the job runs", 60*time.Second, func() bool { return s.states(waiting)["RUNNING"] == 1 })
		if is := s.show(waiting); !slices.Contains([]string{"n3", "n4"}, is["NodeList"]) || s.restarts(running...) != 1 {
			t.Errorf("it runs on %s, %d jobs were stopped, want one on a node without maintenance", is["NodeList"], s.restarts(running...))
		}
	})
}

// TestANodeIsDrainedUnderAPin: a health check drains the node that was just named for a job, before Slurm starts
// the job there. It runs on another one.
func TestANodeIsDrainedUnderAPin(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("SchedulerParameters=" + slowSlurm)
		s.configure("steer", "fairbridge", "")
		s.start()
		s.until("it runs", 30*time.Second, func() bool { return strings.Contains(s.log.String(), "fairbridge runs") })
		set := func(node, state string) {
			s.run("root", "scontrol", "update", "nodename="+node, "state="+state, "reason=health")
		}
		id, node := "", ""
		s.until("the node named for a waiting job is drained", 2*time.Minute, func() bool {
			if id == "" || s.show(id)["JobState"] != "PENDING" { // Slurm was faster
				if id != "" {
					s.run("root", "scancel", id)
				}
				id = s.submit("bob", long, "-N", "1", "--gres=gpu:5", "-t", "20")
			}
			if node = s.show(id)["ReqNodeList"]; node == "(null)" {
				return false
			}
			set(node, "drain")
			if s.show(id)["JobState"] == "PENDING" {
				return true
			}
			set(node, "resume")
			return false
		})
		s.until("it runs on another node", 60*time.Second, func() bool {
			is := s.show(id)
			return is["JobState"] == "RUNNING" && is["NodeList"] != node
		})
	})
}
