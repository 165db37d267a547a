package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// priorities returns, of the waiting jobs, the priorities by which Slurm orders them, and those that their
// factors make.
func (s *site) priorities() (used, made map[string]string) {
	s.t.Helper()
	read := func(command ...string) map[string]string {
		out := map[string]string{}
		for line := range strings.Lines(s.run("root", command...)) {
			if f := strings.Fields(line); len(f) == 2 {
				out[f[0]] = f[1]
			}
		}
		return out
	}
	return read("squeue", "-h", "-t", "PD", "-o", "%i %Q"), read("sprio", "-h", "-o", "%i %Y")
}

// undone returns the waiting jobs that Slurm orders by another priority than their factors make.
func (s *site) undone() (jobs []string) {
	used, made := s.priorities()
	for id, p := range made {
		if used[id] != "" && used[id] != p {
			jobs = append(jobs, fmt.Sprintf("%s: %s for %s", id, used[id], p))
		}
	}
	slices.Sort(jobs)
	return jobs
}

// duringBackfill waits until a pass of backfill begins, for which the job is changed: Slurm starts none while
// nothing moves.
func (s *site) duringBackfill(id string) {
	s.t.Helper()
	last := func() string {
		return s.run("root", "sh", "-c", "sdiag | grep -A99 Backfilling | grep 'Last cycle when'")
	}
	was := last()
	s.until("a pass of backfill begins", 3*time.Minute, func() bool {
		s.run("root", "scontrol", "update", "jobid="+id, "mailuser="+id)
		return last() != was
	})
}

// TestAPriorityThatBackfillUndoesIsWrittenAgain: a pass of backfill takes 8 s at each job and writes back the
// priority that the job had when the pass began. Slurm itself would compute it anew after an hour only.
func TestAPriorityThatBackfillUndoesIsWrittenAgain(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.occupy(4)
		s.withSlurm("PriorityCalcPeriod=60",
			"SchedulerParameters=defer,sched_interval=1800,batch_sched_delay=1800,"+
				"bf_interval=1,bf_continue,bf_yield_interval=1,bf_yield_sleep=4000000,bf_max_time=600")
		var alices, bobs []string
		for range 3 {
			alices = append(alices, s.submit("alice", long, "--gres=gpu:8", "-t", "60"))
		}
		for range 3 {
			bobs = append(bobs, s.submit("bob", long, "--gres=gpu:8", "-t", "60"))
		}
		s.configure("rank", "fifo", "") // whoever came first: alice, whose account Slurm puts last
		s.duringBackfill(bobs[0])
		s.start()
		s.until("backfill undoes a number", 2*time.Minute, func() bool { return len(s.undone()) > 0 })
		s.until("no number is undone, and alice's jobs are first", 2*time.Minute, func() bool {
			return len(s.undone()) == 0 && slices.Equal(s.line(), slices.Concat(alices, bobs))
		})
		s.kill(15)
		s.fairbridge("release")
	})
}
