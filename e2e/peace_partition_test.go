package e2e

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/scripts/throwaway"
)

// tiered makes partitions of a higher tier take what they want, and restarts slurmctld so.
func (s *site) tiered() {
	s.t.Helper()
	s.withSlurm("PreemptType=preempt/partition_prio", "PreemptMode=SUSPEND,GANG", "SchedulerTimeSlice=5",
		"PartitionName=urgent Nodes=n1 PriorityTier=10 DefMemPerCPU=1000 MaxTime=60 State=UP")
}

// urgent submits a job of carol to the partition of the higher tier.
func (s *site) urgent(flags ...string) string {
	s.t.Helper()
	argv := append([]string{"sbatch", "--parsable", "-p", "urgent", "-o", "/dev/null", "--mem=100", "-t", "30"}, flags...)
	return s.run("carol", append(argv, "--wrap", long)...)
}

// TestTimeSlicedJobs: jobs take turns on the same cores of a node. Their GPUs count once each, nobody is
// stopped but for room on GPUs, a job that Slurm lets share cores is not kept back, and service is
// the time they had.
func TestTimeSlicedJobs(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.tiered()
		s.run("root", "scontrol", "update", "partitionname=gpu", "oversubscribe=force:2")
		wide := func(user, gpus, node string, flags ...string) string {
			return s.submit(user, long, append(flags, "--gres=gpu:"+gpus, "-c", "60", "-w", node, "-t", "60", "--requeue")...)
		}
		alone := []string{wide("alice", "8", "n3", open), wide("alice", "8", "n4", open)}
		turns := []string{wide("alice", "4", "n1", open), wide("carol", "4", "n1"), wide("alice", "4", "n2", open), wide("carol", "4", "n2")}
		s.until("all have started", 40*time.Second, func() bool {
			st := s.states(append(turns, alone...)...)
			return st["RUNNING"] == 4 && st["SUSPENDED"] == 2
		})
		time.Sleep(6 * time.Second) // beyond the quantum
		s.preempting("fairbridge")
		s.start()
		large := s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		seen := map[string]bool{}
		s.until("there is room for the large job", 60*time.Second, func() bool {
			for _, id := range turns {
				seen[id+s.show(id)["JobState"]] = true
			}
			return s.states(large)["RUNNING"] == 1 && seen[turns[0]+"SUSPENDED"] && seen[turns[0]+"RUNNING"]
		})
		s.run("root", "scancel", turns[3])
		shares := wide("carol", "4", "n2")
		s.until("a job that shares cores starts", 40*time.Second, func() bool { return s.states(shares)["PENDING"] == 0 })
		if n, m := s.restarts(alone...), s.restarts(append(turns, large, shares)...); n != 1 || m != 0 {
			t.Errorf("%d of the jobs alone on a node were stopped, want one, and %d of those that take turns", n, m)
		}
		s.run("root", "scancel", turns[1])
		var had, recorded float64
		t.Cleanup(func() { t.Logf("Slurm says %g GPU-seconds, the record %g", had, recorded) })
		s.until("its end is recorded", 30*time.Second, func() bool {
			had, recorded = s.service(turns[1])
			return had == recorded
		})
		if had == 0 {
			t.Error("no service is recorded")
		}
	})
}

// service returns the GPU-seconds that a job of four GPUs had until its end by Slurm's own word, and by the record.
func (s *site) service(job string) (had, recorded float64) {
	s.t.Helper()
	ran, err := time.Parse("15:04:05", s.show(job)["RunTime"])
	if err != nil {
		s.t.Fatalf("the run time of job %s: %v", job, err)
	}
	ctx := context.Background()
	db, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close(ctx)
	if err := db.QueryRow(ctx, "select coalesce(sum(gpu_seconds), -1) from fairbridge_v1.runs where job = $1 and ended is not null", job).Scan(&recorded); err != nil {
		s.t.Fatal(err)
	}
	return 4 * ran.Sub(ran.Truncate(24*time.Hour)).Seconds(), recorded
}

// stopsFor returns how many stops were decided to make room for the jobs.
func (s *site) stopsFor(jobs ...string) int64 {
	s.t.Helper()
	return number(s.texts("select count(*)::text from fairbridge_v1.decisions where verb = 'stop' and makes_room_for::text = any($1)", jobs)[0])
}

// TestPartitionsThatTakeJobsAway: a partition of a higher tier requeues or cancels jobs. These are no stops of ours, no job is
// stopped as well for the one that Slurm makes room for, and there is no back and forth.
func TestPartitionsThatTakeJobsAway(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.tiered()
		s.run("root", "scontrol", "update", "partitionname=gpu", "preemptmode=requeue")
		mine := []string{s.submit("alice", long, "--gres=gpu:8", "-w", "n1", "-t", "60", "--requeue", open)}
		mine = append(mine, s.stoppable(3)...)
		s.preempting("fairbridge")
		s.start()
		urgent, waiting := s.urgent("--gres=gpu:8"), s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		s.until("both run", 60*time.Second, func() bool { return s.states(urgent, waiting)["RUNNING"] == 2 })
		if n := s.restarts(mine...); n != 2 {
			t.Errorf("%d jobs were stopped, want one by Slurm and one by fairbridge", n)
		}
		s.run("root", "scancel", urgent)
		s.until("one of them runs again", 60*time.Second, func() bool { return s.states(mine...)["RUNNING"] == 3 })
		s.run("root", "scontrol", "update", "partitionname=gpu", "preemptmode=cancel")
		urgent = s.urgent("--gres=gpu:8")
		s.until("Slurm cancels one", 60*time.Second, func() bool { return s.states(urgent)["RUNNING"] == 1 })
		s.cycles(2)
		s.kill(syscall.SIGTERM) // on a slow machine some of them took turns
		ours := s.texts("select before->'stop'->>'for' from fairbridge.intents where kind = 'requeue' and sent is not null")
		s.until("one was stopped by Slurm and all others by us, none of them for its job", 20*time.Second, func() bool {
			return s.restarts(append(mine, waiting, urgent)...) == int64(1+len(ours)) && !slices.Contains(ours, urgent)
		})
	})
}
