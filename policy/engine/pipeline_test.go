package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// cluster returns n nodes n1, n2, … of 8 a100.
func cluster(n int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Seq: 7}
	for i := range n {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprintf("n%d", i+1), Partitions: []string{"p"},
			GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
	}
	return s
}

// with adds a job; jobs arrive in the order they are added, a second apart,
// the last ones shortly before now.
func with(s *policy.Snapshot, gpus int, change ...func(*policy.Job)) *policy.Snapshot {
	id := len(s.Jobs) + 1
	j := policy.Job{ID: policy.JobID(id), User: "u", Account: "vision", Partition: "p", State: policy.Pending,
		Arrive: now.Add(time.Duration(id)*time.Second - time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}}}
	for _, f := range change {
		f(&j)
	}
	s.Jobs = append(s.Jobs, j)
	return s
}

// running puts the job on a node since ran ago, with a limit in all.
func running(node string, ran, limit time.Duration) func(*policy.Job) {
	return func(j *policy.Job) {
		j.State, j.Start, j.Limit = policy.Running, now.Add(-ran), limit
		j.On = policy.Alloc{{Node: node, Type: "a100", Count: j.Ask.GPUs.Count}}
	}
}

// withH100 adds a node n9 of another GPU type.
func withH100(s *policy.Snapshot) *policy.Snapshot {
	s.Nodes = append(s.Nodes, policy.Node{Name: "n9", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "h100", Count: 8}}})
	return s
}

// sick lets some devices of the first node be faulty.
func sick(s *policy.Snapshot, n int) *policy.Snapshot {
	s.Nodes[0].GPUs[0].SickCount = n
	return s
}

func limit(d time.Duration) func(*policy.Job) { return func(j *policy.Job) { j.Limit = d } }

func qos(name string) func(*policy.Job) { return func(j *policy.Job) { j.QOS = name } }

func waited(d time.Duration) func(*policy.Job) {
	return func(j *policy.Job) { j.Arrive = now.Add(-d) }
}

// decide runs the policy, checks the plan and returns it as a line per
// job: "1 start n1:4×a100".
func decide(t testing.TB, p policy.Policy, s *policy.Snapshot) (*policy.Plan, string) {
	t.Helper()
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatalf("unlawful plan: %v", err)
	}
	var lines []string
	for _, d := range plan.Decisions {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %v", d.Job, d.Verb, d.On)))
	}
	return plan, strings.Join(lines, "; ")
}

func TestPipeline(t *testing.T) {
	easy := engine.Pipeline{Backfill: backfill.EASY{}}
	greedy := engine.Pipeline{Backfill: backfill.Greedy{}}
	urgent := engine.Pipeline{Preempt: preempt.ByQOS("urgent", "normal")}
	hour := time.Hour
	// Four GPUs of n1 are busy for an hour, then 2 has room for its 8.
	blocked := func() *policy.Snapshot { return with(with(cluster(1), 4, running("n1", hour, 2*hour)), 8) }

	for _, c := range []struct {
		name string
		p    engine.Pipeline
		s    *policy.Snapshot
		want string
	}{
		{"first come, first served", engine.Pipeline{}, with(with(with(cluster(1), 6), 4), 2),
			"1 start n1:6×a100; 2 wait; 3 hold"},
		{"earlier arrival goes first whatever its id", engine.Pipeline{}, with(with(cluster(1), 6), 4, waited(2*hour)),
			"1 wait; 2 start n1:4×a100"},
		{"strict: another lane is not blocked, one of any type is", engine.Pipeline{},
			with(with(withH100(blocked()), 1, func(j *policy.Job) { j.Ask.GPUs.Type = "" }), 1,
				func(j *policy.Job) { j.Ask.GPUs.Type = "h100" }),
			"1 keep n1:4×a100; 2 wait; 3 hold; 4 start n9:1×h100"},
		{"easy: ends in time", easy, with(blocked(), 4, limit(hour)), "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		{"easy: would delay", easy, with(blocked(), 4, limit(hour+time.Second)), "1 keep n1:4×a100; 2 wait; 3 hold"},
		{"easy: jobs that end together leave it all", easy, with(with(with(with(cluster(1), 1, running("n1", hour, 2*hour)), 5, running("n1", hour, 2*hour)),
			3), 2, limit(9*hour)), "1 keep n1:1×a100; 2 keep n1:5×a100; 3 wait; 4 start n1:2×a100"},
		{"easy: of unknown length", easy, with(blocked(), 4), "1 keep n1:4×a100; 2 wait; 3 hold"},
		{"easy: on what the reservation leaves over", easy,
			with(with(with(with(cluster(1), 6, running("n1", hour, 2*hour)), 4), 1, limit(9*hour)), 1, limit(9*hour)),
			"1 keep n1:6×a100; 2 wait; 3 start n1:1×a100; 4 start n1:1×a100"},
		{"easy: leftovers are given once", easy,
			with(with(with(with(cluster(1), 6, running("n1", hour, 2*hour)), 7), 1, limit(9*hour)), 1, limit(9*hour)),
			"1 keep n1:6×a100; 2 wait; 3 start n1:1×a100; 4 hold"},
		{"easy: elsewhere than on reserved nodes", easy,
			with(with(with(with(cluster(2), 4, running("n1", hour, 2*hour)), 4, running("n2", hour, 9*hour)),
				8, func(j *policy.Job) { j.Ask.MaxNodes = 1 }), 4, limit(5*hour)),
			"1 keep n1:4×a100; 2 keep n2:4×a100; 3 wait; 4 start n2:4×a100"},
		{"easy: behind a job of unknown end", easy, with(with(with(cluster(1), 4, running("n1", hour, 0)), 8), 4, limit(time.Minute)),
			"1 keep n1:4×a100; 2 wait; 3 hold"},
		{"greedy passes", greedy, with(blocked(), 4), "1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		{"aged: greedy may not pass", greedy, with(with(with(cluster(1), 4, running("n1", hour, 2*hour)), 8, waited(25*hour)), 4),
			"1 keep n1:4×a100; 2 wait; 3 hold"},
		{"aged: but what delays nothing may", greedy, with(with(with(cluster(1), 4, running("n1", hour, 2*hour)), 8, waited(25*hour)), 4, limit(hour)),
			"1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		{"aged counts from eligibility", greedy, with(with(with(cluster(1), 4, running("n1", hour, 2*hour)), 8, waited(25*hour),
			func(j *policy.Job) { j.EligibleAt = now.Add(-hour) }), 4),
			"1 keep n1:4×a100; 2 wait; 3 start n1:4×a100"},
		{"impossible never blocks", engine.Pipeline{}, with(with(cluster(1), 9, waited(99*hour)), 8), "1 wait; 2 start n1:8×a100"},
		{"impossible on one node never blocks", engine.Pipeline{}, with(with(cluster(2), 9, func(j *policy.Job) { j.Ask.MaxNodes = 1 }), 8), "1 wait; 2 start n1:8×a100"},
		{"held and early never block", engine.Pipeline{}, with(with(with(cluster(1), 8, func(j *policy.Job) { j.HeldReason = "dependency" }),
			8, func(j *policy.Job) { j.EligibleAt = now.Add(1) }), 8), "1 wait; 2 wait; 3 start n1:8×a100"},
		{"unplaced counts", engine.Pipeline{}, with(with(cluster(1), 6, func(j *policy.Job) { j.UnplaceableReason = "constraint" }), 4),
			"1 start; 2 wait"},
		{"array: one task", engine.Pipeline{}, with(cluster(1), 3, func(j *policy.Job) { j.Tasks = 50 }), "1 start n1:3×a100"},
		{"preempt: larger tier gives way", urgent, with(with(cluster(1), 8, running("n1", hour, 0), qos("normal")), 8, qos("urgent"), waited(2*hour)),
			"1 stop; 2 start n1:8×a100"},
		{"preempt: wherever it stands in line", urgent, with(with(cluster(1), 8, running("n1", hour, 0)), 8, qos("urgent")),
			"1 stop; 2 start n1:8×a100"},
		{"preempt: whom it does not need stays, on sick devices too", urgent, with(with(with(sick(cluster(2), 4), 8, running("n2", hour, 0)), 8, running("n1", hour, 0)),
			8, qos("urgent"), func(j *policy.Job) { j.Ask.MaxNodes = 1 }), "1 stop; 2 keep n1:8×a100; 3 start n2:8×a100"},
		{"preempt: same tier never", urgent, with(with(cluster(1), 8, running("n1", hour, 0), qos("urgent")), 8, qos("urgent"), waited(2*hour)),
			"1 keep n1:8×a100; 2 wait"},
		{"preempt: not before MinRun", urgent, with(with(cluster(1), 8, running("n1", 9*time.Minute, 0)), 8, qos("urgent"), waited(2*hour)),
			"1 keep n1:8×a100; 2 wait"},
		{"preempt: not before 20 checkpoints", urgent, with(with(cluster(1), 8, running("n1", hour, 0),
			func(j *policy.Job) { j.CheckpointCost = 4 * time.Minute }), 8, qos("urgent"), waited(2*hour)),
			"1 keep n1:8×a100; 2 wait"},
		{"preempt: fixed never", urgent, with(with(cluster(1), 8, running("n1", hour, 0), func(j *policy.Job) { j.UnstoppableReason = "owner" }),
			8, qos("urgent"), waited(2*hour)), "1 keep n1:8×a100; 2 wait"},
		{"preempt: not a fourth time", urgent, with(with(cluster(1), 8, running("n1", hour, 0), func(j *policy.Job) { j.StopCount = 3 }),
			8, qos("urgent"), waited(2*hour)), "1 keep n1:8×a100; 2 wait"},
		{"preempt: nobody in vain", urgent, with(with(with(cluster(1), 4, running("n1", hour, 0)), 4, running("n1", hour, 0),
			func(j *policy.Job) { j.UnstoppableReason = "owner" }), 8, qos("urgent"), waited(2*hour)),
			"1 keep n1:4×a100; 2 keep n1:4×a100; 3 wait"},
		{"preempt: the last of the line, and no more than needed", urgent, with(with(with(with(cluster(2),
			4, running("n1", hour, 0)), 4, running("n1", hour, 0)), 8, running("n2", hour, 0)), 4, qos("urgent"), waited(2*hour)),
			"1 keep n1:4×a100; 2 keep n1:4×a100; 3 stop; 4 start n2:4×a100"},
		{"preempt: the largest tier first, wherever it stands in line", urgent, with(with(with(cluster(2),
			8, running("n1", hour, 0)), 8, running("n2", hour, 0), qos("normal")), 8, qos("urgent")),
			"1 stop; 2 keep n2:8×a100; 3 start n1:8×a100"},
		{"preempt: of those found, the first of the line stay", urgent, with(with(with(with(with(cluster(1),
			2, running("n1", hour, 0)), 2, running("n1", hour, 0)), 2, running("n1", hour, 0)), 2, running("n1", hour, 0)), 6, qos("urgent")),
			"1 keep n1:2×a100; 2 stop; 3 stop; 4 stop; 5 start n1:6×a100"},
		{"preempt: whom it does not need stays", urgent, with(with(with(with(cluster(2),
			8, running("n1", hour, 0)), 4, running("n2", hour, 0)), 4, running("n2", hour, 0), func(j *policy.Job) { j.QOS = "normal" }),
			8, qos("urgent"), waited(2*hour), func(j *policy.Job) { j.Ask.RequiredNodes = []string{"n1"} }),
			"1 stop; 2 keep n2:4×a100; 3 keep n2:4×a100; 4 start n1:8×a100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, got := decide(t, c.p, c.s)
			if got != c.want {
				t.Errorf("got  %s\nwant %s\n%+v", got, c.want, plan.Decisions)
			}
		})
	}
}

// keepOff objects to a number of nodes by name, and names no other place.
type keepOff int

func (k keepOff) NewPassCheck(*engine.Round, *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	return func(_ *engine.Entry, on policy.Alloc) error {
		if on[0].Node < fmt.Sprintf("n%02d", int(k)) {
			return fmt.Errorf("not on %v: %w", on, engine.ErrReservedNodes)
		}
		return nil
	}
}

// TestTriesOtherNodes: a job that may not delay a reservation looks at nodes beside it, ten
// in all. Where the reservation says which nodes it would have, all others are looked at.
func TestTriesOtherNodes(t *testing.T) {
	for _, c := range []struct {
		backfill engine.Backfiller
		reserved int
		want     string
	}{
		{keepOff(9), 9, "start other:4×a100"}, {keepOff(10), 10, "hold"},
		{backfill.EASY{}, 10, "start other:4×a100"}, {backfill.EASY{}, 40, "start other:4×a100"},
	} {
		s := &policy.Snapshot{Now: now, Seq: 7}
		for i := range c.reserved {
			node := fmt.Sprintf("n%02d", i)
			s.Nodes = append(s.Nodes, policy.Node{Name: node, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
			with(s, 4, running(node, time.Hour, 2*time.Hour))
		}
		s.Nodes = append(s.Nodes, policy.Node{Name: "other", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
		with(s, 4, running("other", time.Hour, 9*time.Hour))
		with(s, 8*c.reserved, func(j *policy.Job) { j.Ask.PerNode = 8 })
		with(s, 4, limit(5*time.Hour))
		_, got := decide(t, engine.Pipeline{Backfill: c.backfill}, s)
		if last := fmt.Sprintf("%d %s", len(s.Jobs), c.want); !strings.HasSuffix(got, "; "+last) {
			t.Errorf("%T, %d nodes reserved: %s\nwant %s", c.backfill, c.reserved, got, last)
		}
	}
}
