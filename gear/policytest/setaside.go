package policytest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/policy"
)

// checkSetAside wants no job started, and none stopped for it, on a node that is set
// aside before its time limit ends; and the same when every node is set aside in
// nine minutes, where only shorter limits may start and no job of a
// longer one is worth a stop.
func (l lawCheck) checkSetAside(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	l.checkEndsBeforeWindows(s, plan)
	soon := s.Clone()
	for i := range soon.Nodes {
		soon.Nodes[i].Windows = []policy.Window{{From: s.Now.Add(9 * time.Minute), To: s.Now.Add(3 * time.Hour), Name: "all", IsMaintenance: true}}
	}
	plan = l.decide(soon)
	l.checkPlan(soon, plan)
	l.checkEndsBeforeWindows(soon, plan)
	for _, d := range plan.Decisions {
		long := soon.Job(d.Job).Limit == 0 || soon.Job(d.Job).Limit > 9*time.Minute
		if d.Verb == policy.Stop && d.StoppedFor != 0 && long {
			l.Fatalf("job %d is stopped, and could not start again before the nodes are set aside\n%s", d.Job, DescribePlan(soon, plan))
		}
	}
}

func (l lawCheck) checkEndsBeforeWindows(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	for _, d := range plan.Decisions {
		to := d
		if d.StoppedFor != 0 {
			to = plan.Decisions[decisionIndex(plan, d.StoppedFor)]
		}
		if d.StoppedFor != 0 && (to.Verb == policy.Wait || to.Verb == policy.Hold) {
			l.Fatalf("job %d is stopped for job %d, which is to %s\n%s", d.Job, to.Job, to.Verb, DescribePlan(s, plan))
		}
		if to.Verb != policy.Start && to.Verb != policy.Move && to.Verb != policy.Resize {
			continue
		}
		j := s.Job(to.Job)
		for _, name := range to.On.Nodes() {
			if w, _, _ := s.Node(name).WindowDuring(s.Now, j.Limit); w != nil {
				l.Fatalf("job %d with a limit of %v is to %s on %s, which %v takes at %v\n%s", j.ID, j.Limit, to.Verb, name, w, w.From, DescribePlan(s, plan))
			}
		}
	}
}

// decisionIndex returns the place of the job's decision.
func decisionIndex(plan *policy.Plan, id policy.JobID) int {
	for i := range plan.Decisions {
		if plan.Decisions[i].Job == id {
			return i
		}
	}
	return -1
}

// DescribePlan prints a snapshot and a plan for it as people read them, in order of
// rank: for the messages of failing tests.
func DescribePlan(s *policy.Snapshot, plan *policy.Plan) string {
	var b strings.Builder
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "%s %v %v %d cores %d MB", n.Name, n.Partitions, n.Features, n.CPUs, n.MemMB)
		for _, d := range n.GPUs {
			fmt.Fprintf(&b, " %d×%s", d.Count, d.Type)
			if d.SickCount > 0 {
				fmt.Fprintf(&b, " (%d sick)", d.SickCount)
			}
		}
		if n.DownReason != "" {
			b.WriteString(" down")
		}
		for i := range n.Windows {
			fmt.Fprintf(&b, " %v %v-%v %d cores %d GPUs", &n.Windows[i], n.Windows[i].From, n.Windows[i].To, n.Windows[i].CPUs, n.Windows[i].GPUs)
		}
		b.WriteByte('\n')
	}
	byRank := slices.Clone(plan.Decisions)
	slices.SortFunc(byRank, func(x, y policy.Decision) int { return cmp.Compare(x.Rank, y.Rank) })
	for _, d := range byRank {
		j := s.Job(d.Job)
		fmt.Fprintf(&b, "%d. job %d %s %s %s, %v cpus %d mem %d nodes %d-%d each %d +%v -%v %v", d.Rank, j.ID, j.Account, j.Partition,
			j.State, j.Ask.GPUs, j.Ask.CPUs, j.Ask.MemMB, j.Ask.MinNodes, j.Ask.MaxNodes, j.Ask.PerNode, j.Ask.RequiredNodes, j.Ask.ExcludedNodes, j.Ask.Features)
		fmt.Fprintf(&b, " on %v limit %v fixed %q stops %d unplaced %q tasks %d: %s %v: %s\n", j.On, j.Limit, j.UnstoppableReason, j.StopCount, j.UnplaceableReason, j.Tasks, d.Verb, d.On, d.Why)
	}
	return b.String()
}

// ProcessorTime is what this process has used so far, by user and system, which other programs on the machine hardly lengthen; it includes
// that of the garbage collector.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// LeastProcessorTime returns what some work used at least, of so many times: a busy machine's caches are others', too.
func LeastProcessorTime(t testing.TB, times int, work func()) time.Duration {
	t.Helper()
	least := time.Duration(1<<63 - 1)
	for range times {
		before := ProcessorTime(t)
		work()
		least = min(least, ProcessorTime(t)-before)
	}
	return least
}
