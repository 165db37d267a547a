package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/scripts/throwaway"
)

// slowSlurm are options with which Slurm takes seconds before it looks at a new job, so that
// fairbridge sees it first.
const slowSlurm = "defer,sched_interval=8,sched_min_interval=8000000,bf_interval=8,batch_sched_delay=8"

// withSlurm restarts slurmctld with further lines of slurm.conf. The Slurm must be the test's own: a slurmctld that
// restarts beside running jobs may count their GPUs wrongly afterwards.
func (s *site) withSlurm(lines ...string) {
	s.t.Helper()
	if s.isBorrowed {
		s.t.Fatal("the settings would stay for the tests that borrow this Slurm next: use besideOwnSlurm")
	}
	const restart = `pkill -x slurmctld; while pgrep -x slurmctld >/dev/null; do sleep 0.1; done
slurmctld; until scontrol ping | grep -q UP; do sleep 0.1; done`
	s.run("root", "sh", "-c", `printf '%s\n' "$@" >>/etc/slurm/slurm.conf; `+restart, "sh", strings.Join(lines, "\n"))
}

// restarts returns how often the jobs were requeued altogether.
func (s *site) restarts(ids ...string) (n int64) {
	s.t.Helper()
	for _, id := range ids {
		n += number(s.show(id)["Restarts"])
	}
	return n
}

// stoppable fills nodes with jobs of alice that may be stopped, beyond their quantum.
func (s *site) stoppable(nodes int, flags ...string) (ids []string) {
	s.t.Helper()
	for range nodes {
		ids = append(ids, s.submit("alice", long, append(flags, "--gres=gpu:8", "-t", "60", "--requeue", open)...))
	}
	s.until("alice's jobs run", 40*time.Second, func() bool { return s.states(ids...)["RUNNING"] == nodes })
	time.Sleep(6 * time.Second)
	return ids
}

// TestNodesThatSleepAreCapacity: Slurm wakes nodes for jobs, so nothing is stopped for a job while
// some sleep, none is told which to wake, and a node that is waking is no fault.
func TestNodesThatSleepAreCapacity(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		const boot = `for n in n3 n4; do pkill -f "slurmd .*-N $n\$" || true; while pgrep -f "slurmd .*-N $n\$" >/dev/null; do sleep 0.1; done; done
for n in n3 n4; do slurmd -b -N $n; done; `
		s.withSlurm("SuspendProgram=/bin/true", "ResumeProgram=/bin/true", "SuspendTime=3600", "SuspendTimeout=2", "ResumeTimeout=120",
			"SchedulerParameters="+slowSlurm)
		running := s.stoppable(2, "-x", "n3,n4")
		s.run("root", "scontrol", "update", "nodename=n3,n4", "state=power_down")
		s.until("n3 and n4 sleep", 30*time.Second, func() bool { return s.run("root", "sinfo", "-h", "-n", "n3,n4", "-o", "%t") == "idle~" })
		s.preempting("fairbridge")
		s.start()
		s.cycles(3) // beyond its first
		waiting := []string{s.submit("bob", long, "--gres=gpu:8", "-t", "20"), s.submit("carol", long, "--gres=gpu:8", "-t", "20")}
		named := map[string]bool{}
		s.until("the jobs have nodes that wake", 40*time.Second, func() bool {
			for _, id := range waiting {
				if is := s.show(id); is["JobState"] == "PENDING" && is["ReqNodeList"] != "(null)" {
					named[id] = true
				}
			}
			return s.states(waiting...)["CONFIGURING"] == 2
		})
		if len(named) > 0 {
			t.Errorf("jobs %v were told which node to wake", named)
		}
		time.Sleep(5 * time.Second)
		s.run("root", "sh", "-c", boot)
		s.until("the jobs run", 40*time.Second, func() bool { return s.states(waiting...)["RUNNING"] == 2 })
		if n := s.restarts(slices.Concat(running, waiting)...); n != 0 {
			t.Errorf("%d jobs were stopped", n)
		}
	})
}

// TestWholeNodesAndLicences: a job that wants whole nodes or a licence has nobody stopped in vain, does not
// keep the others back, and starts when what it lacks comes free.
func TestWholeNodesAndLicences(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("Licenses=solver:1")
		running := s.stoppable(3)
		small := s.submit("alice", long, "--gres=gpu:2", "-t", "60", "--requeue", open) // on the last node
		holder := s.submit("carol", long, "--gres=gpu:1", "-t", "60", "-L", "solver:1")
		s.until("both run", 30*time.Second, func() bool { return s.states(small, holder)["RUNNING"] == 2 })
		s.preempting("fairbridge")
		s.start()
		whole := s.submit("bob", long, "--gres=gpu:1", "-t", "20", "--exclusive")
		solver := s.submit("bob", long, "--gres=gpu:8", "-t", "20", "-L", "solver:1")
		s.cycles(9)
		if n := s.restarts(append(running, small)...); n != 0 {
			t.Errorf("%d jobs were stopped for a job that could not start", n)
		}
		defer func() {
			if t.Failed() {
				t.Logf("%s\n%s", s.fairbridge("explain", whole), s.fairbridge("explain", solver))
			}
		}()
		passes := s.submit("carol", long, "--gres=gpu:1", "-t", "5")
		s.until("a small job passes", 40*time.Second, func() bool { return s.states(passes)["RUNNING"] == 1 })
		s.run("root", "scancel", holder, small, passes)
		s.until("the one that wants a whole node has one", 60*time.Second, func() bool { return s.states(whole)["RUNNING"] == 1 })
		s.until("room is made once the licence is free", 60*time.Second, func() bool { return s.states(solver)["RUNNING"] == 1 })
		if n := s.restarts(append(running, small)...); n != 1 {
			t.Errorf("%d jobs were stopped, want the one in whose place the licence's runs", n)
		}
	})
}

// plugin is a job_submit.lua that runs the code at each change of a job, and counts them.
const plugin = `function slurm_job_submit(job_desc, part_list, submit_uid)
	job_desc.features = "a100"
	return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	slurm.log_info("peace: job %d is changed", job_rec.job_id)
	CODE
	return slurm.SUCCESS
end
slurm.log_info("peace: loaded")
return slurm.SUCCESS
`

// withPlugin gives the plugin another code, and returns a function that counts the changes it saw since.
func (s *site) withPlugin(code string) (changes func() int64) {
	s.t.Helper()
	s.run("root", "sh", "-c", `printf '%s' "$1" >/etc/slurm/job_submit.lua`, "sh", strings.Replace(plugin, "CODE", code, 1))
	count := func() int64 {
		return number(s.run("root", "sh", "-c", `grep -c 'peace: job' /var/lib/slurm/log/slurmctld.log || true`))
	}
	was := count()
	return func() int64 { return count() - was }
}

// TestAPluginThatRewritesJobs: a job_submit plugin that turns each change of ours into another, refuses it or
// undoes it costs at most two jobs anything, and there is no war of edits.
func TestAPluginThatRewritesJobs(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withPlugin("")
		s.withSlurm("JobSubmitPlugins=lua")
		running := s.occupy(4)
		var waiting []string
		for i := range 12 {
			waiting = append(waiting, s.submit([]string{"bob", "carol"}[i%2], long, "--gres=gpu:8", "-t", "60"))
		}
		for _, x := range []struct {
			name, code string
			changes    int64 // most in some ten seconds
			log        string
		}{
			{"rewrites", "job_desc.time_limit = 90", 2, "rewrites"},
			{"refuses", "if true then return slurm.ERROR end", 30, "a job_submit plugin refuses the change"},
			{"undoes", "job_desc.nice = 0; job_desc.site_factor = 2147483648", 30, ""},
			{"sets priorities", "job_desc.priority = 777", 12, ""},
		} {
			changes := s.withPlugin(x.code)
			// What was refused before is remembered neither in the database nor in the local journal.
			s.dsn = pgtest.NewDatabase(t)
			if err := os.RemoveAll(filepath.Join(s.dir, "journal")); err != nil {
				t.Fatal(err)
			}
			s.configure("rank", "fifo", "", "order: {strength: override}")
			s.start()
			if x.log != "" {
				s.until(x.name+": it is said", time.Minute, func() bool { return s.logged(x.log) })
			}
			time.Sleep(8 * time.Second)
			s.kill(15)
			n := changes()
			t.Logf("%s: %d changes", x.name, n)
			if n > x.changes {
				t.Errorf("%s: %d changes, the most is %d", x.name, n, x.changes)
			}
		}
		lost := 0
		for _, id := range waiting {
			if s.show(id)["TimeLimit"] != "01:00:00" {
				lost++
			}
		}
		if lost > 2 {
			t.Errorf("%d jobs lost their owners' limits", lost)
		}
		s.withPlugin("")
		s.run("root", "scancel", running[0])
		s.until("a job starts", 30*time.Second, func() bool { return s.states(waiting...)["RUNNING"] == 1 })
	})
}

// TestSlurmPreemptsToo: where Slurm preempts by QOS, fairbridge stops nothing for a job that Slurm makes room for,
// not in the seconds before Slurm looks nor in a grace time; what Slurm requeues or cancels is not taken for ours.
// What Slurm requeued waits in our order like any other job, and may be given room by a stop.
func TestSlurmPreemptsToo(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		qos := func(settings ...string) {
			s.run("root", append([]string{"sacctmgr", "-i", "modify", "qos", "low", "set"}, settings...)...)
		}
		s.withSlurm("SchedulerParameters=" + slowSlurm)
		mine := s.stoppable(2)
		s.preempting("fairbridge")
		s.start()
		known, all := int64(0), []string{} // restarts of mine that are accounted for; the jobs of QOS low
		for _, x := range []struct {
			mode string
			set  []string
		}{
			{"requeue", []string{"preemptmode=requeue", "gracetime=0"}},
			{"cancel after a grace time", []string{"preemptmode=cancel", "gracetime=12"}},
		} {
			qos(x.set...)
			low := []string{
				s.submit("carol", "trap '' TERM; "+long, "--gres=gpu:8", "-t", "60", "--qos=low", "--requeue"),
				s.submit("carol", "trap '' TERM; "+long, "--gres=gpu:8", "-t", "60", "--qos=low", "--requeue"),
			}
			all = append(all, low...)
			s.until("the jobs of QOS low run", 60*time.Second, func() bool { return s.states(low...)["RUNNING"] == 2 })
			if n := s.restarts(mine...); n != known {
				t.Errorf("%s: %d jobs were stopped while there was room", x.mode, n-known)
			}
			high := s.submit("bob", long, "--gres=gpu:8", "-t", "20", "--qos=high")
			s.until("the job of QOS high runs", 60*time.Second, func() bool { return s.states(high)["RUNNING"] == 1 })
			taken := s.restarts(low...) + int64(s.states(low...)["PREEMPTED"])
			t.Logf("%s: %d restarts of stoppable jobs, low %v", x.mode, s.restarts(mine...), s.states(low...))
			if taken != 1 {
				t.Errorf("%s: Slurm took %d of 2 jobs of QOS low away", x.mode, taken)
			}
			s.run("root", append([]string{"scancel"}, append(low, high)...)...)
			s.until("they are gone", 60*time.Second, func() bool {
				return s.states(append(low, high)...)["CANCELLED"]+s.states(low...)["PREEMPTED"] >= 2 && s.states(append(low, high)...)["RUNNING"] == 0
			})
			known = s.restarts(mine...)
			if n := s.stopsFor(all...); known > n || s.stopsFor(high) != 0 {
				t.Errorf("%s: %d jobs were stopped, %d of them for jobs that Slurm had requeued, %d for the one that Slurm made room for:\n%s\n%s",
					x.mode, known, n, s.stopsFor(high), s.fairbridge("explain", mine[0]), s.fairbridge("explain", mine[1]))
			}
		}
	})
}

// TestSuspendedJobsAreLeftAlone: where partitions of a higher tier suspend jobs, a suspended job keeps its GPUs, is
// not stopped and goes on afterwards; room for another is made where that helps, once.
func TestSuspendedJobsAreLeftAlone(t *testing.T) {
	besideOwnSlurm(t, throwaway.Options{}, func(t *testing.T, s *site) {
		s.withSlurm("PreemptType=preempt/partition_prio", "PreemptMode=SUSPEND,GANG", "SchedulerTimeSlice=5",
			"PartitionName=urgent Nodes=n1 PriorityTier=10 DefMemPerCPU=1000 MaxTime=60 OverSubscribe=FORCE:1 State=UP")
		s.run("root", "scontrol", "update", "partitionname=gpu", "oversubscribe=force:1")
		mine := []string{s.submit("alice", long, "--gres=gpu:4", "-c", "60", "-w", "n1", "-t", "60", "--requeue", open)}
		for _, n := range []string{"n2", "n3", "n4"} {
			mine = append(mine, s.submit("alice", long, "--gres=gpu:8", "-c", "60", "-w", n, "-t", "60", "--requeue", open))
		}
		s.until("alice's jobs run", 40*time.Second, func() bool { return s.states(mine...)["RUNNING"] == 4 })
		time.Sleep(6 * time.Second) // beyond the quantum
		urgent := s.run("carol", "sbatch", "--parsable", "-p", "urgent", "-o", "/dev/null", "-c", "60", "--gres=gpu:4", "--mem=100", "-t", "30", "--wrap", long)
		s.until("Slurm suspends the job on n1 for another", 30*time.Second, func() bool {
			return s.show(mine[0])["JobState"] == "SUSPENDED" && s.show(urgent)["JobState"] == "RUNNING"
		})
		s.preempting("fairbridge")
		s.start()
		waiting := s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		s.until("the waiting job runs", 60*time.Second, func() bool { return s.states(waiting)["RUNNING"] == 1 })
		is := s.show(mine[0])
		if is["JobState"] != "SUSPENDED" || is["Restarts"] != "0" || s.show(urgent)["Restarts"] != "0" {
			t.Errorf("the suspended job is %s after %s restarts", is["JobState"], is["Restarts"])
		}
		if n := s.restarts(mine...); n != 1 {
			t.Errorf("%d jobs were stopped, want one", n)
		}
		s.run("root", "scancel", urgent)
		s.until("the suspended job goes on", 40*time.Second, func() bool { return s.show(mine[0])["JobState"] == "RUNNING" })
	})
}
