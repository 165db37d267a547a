package reproduce

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/sim"
)

// TestMultifactorIsSlurms fills a simulated Slurm until its people have used it
// unequally, queues jobs, and wants the priorities of the policy to be the
// ones that slurmctld computes, and its line to be Slurm's. The moment at which
// Slurm computed them is known to a second, so they may differ by one.
func TestMultifactorIsSlurms(t *testing.T) {
	for seed := range uint64(10) {
		q := newQueue(t, seed)
		plan, err := system(t, "multifactor", paper.Params{"age": ageWeight, "fairshare": 10000, "size": 500, "partition": 0, "qos": 200,
			"fair_share": "classic", "qos_order": []string{"high", "normal"}}).Decide(q.snapshot())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(plan.Decisions, func(a, b policy.Decision) int { return a.Rank - b.Rank })
		last := int64(1 << 62)
		for _, d := range plan.Decisions {
			j, err := q.Job(int64(d.Job))
			if err != nil {
				t.Fatal(err)
			}
			if !q.pending[j.ID] {
				continue
			}
			_, why, _ := strings.Cut(d.Why, "; its rank: priority ")
			var priority int64
			if _, err := fmt.Sscan(strings.Split(why, ":")[0], &priority); err != nil || max(priority-j.Priority, j.Priority-priority) > 1 {
				t.Errorf("seed %d: job %d has priority %d in Slurm; here: %s", seed, j.ID, j.Priority, d.Why)
			}
			if j.Priority > last+2 {
				t.Errorf("seed %d: job %d of priority %d stands behind one of %d", seed, j.ID, j.Priority, last)
			}
			last = j.Priority
		}
	}
}

// ageWeight makes age visible from one computation to the next.
const ageWeight = 100_000

// queue is a World whose GPUs are taken, with jobs waiting.
type queue struct {
	*testing.T
	*sim.World
	rng     *rand.Rand
	pending map[int64]bool
	spec    map[int64]sim.JobSpec
}

var shares = []sim.Account{{Name: "bio", Shares: 1}, {Name: "nlp", Shares: 3}, {Name: "vision", Shares: 2}}

// owners are people with their accounts; all of them ran something.
var owners = [][2]string{{"ann", "bio"}, {"bob", "bio"}, {"cid", "nlp"}, {"dan", "nlp"}, {"eve", "nlp"}, {"fay", "vision"}}

func newQueue(t *testing.T, seed uint64) *queue {
	w, err := sim.New(sim.Config{Seed: int64(seed), Nodes: sim.UniformNodes(6, "a100", 8), Accounts: shares, UsageHalfLife: 1e6 * time.Hour,
		PriorityWeights: sim.PriorityWeights{Age: ageWeight, FairShare: 10000, JobSize: 500, PointsByQOS: map[string]float64{"high": 200, "normal": 100}}})
	if err != nil {
		t.Fatal(err)
	}
	q := &queue{t, w, rand.New(rand.NewPCG(seed, 1)), map[int64]bool{}, map[int64]sim.JobSpec{}}
	for i := range owners {
		q.submit(i, 1, 150*time.Hour) // a node each
		q.Advance(q.Now().Add(time.Duration(1+q.rng.IntN(90)) * time.Minute))
	}
	for range 12 {
		id := q.submit(q.rng.IntN(len(owners)), 1+q.rng.IntN(3), time.Hour)
		q.pending[id] = true
		q.Advance(q.Now().Add(time.Duration(q.rng.IntN(3600)) * time.Second))
	}
	// Priorities are computed every five minutes: wait for that.
	for was := q.sum(); q.sum() == was; {
		q.Advance(q.Now().Add(time.Second))
	}
	return q
}

// sum adds up the priorities of waiting jobs.
func (q *queue) sum() (sum int64) {
	for _, j := range q.Jobs() {
		if q.pending[j.ID] {
			sum += j.Priority
		}
	}
	return sum
}

func (q *queue) submit(owner, nodes int, work time.Duration) int64 {
	q.Helper()
	s := sim.JobSpec{User: owners[owner][0], Account: owners[owner][1], MinNodes: nodes, GPUsPerNode: 8, WorkTime: work, TimeLimit: 160 * time.Hour,
		QOS: []string{"normal", "high"}[q.rng.IntN(2)], Nice: int64(q.rng.IntN(3) * 50)}
	id, err := q.Submit(s)
	if err != nil {
		q.Fatal(err)
	}
	q.spec[id] = s
	return id
}

// snapshot shows the queue to a policy; usage is what ran so far.
func (q *queue) snapshot() *policy.Snapshot {
	s := &policy.Snapshot{Seq: 1, Now: q.Now()}
	for _, a := range shares {
		s.Accounts = append(s.Accounts, policy.Account{Name: a.Name, Weight: a.Shares})
	}
	for i := range 6 {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprint("n", i+1), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
	}
	for _, j := range q.Jobs() {
		spec := q.spec[j.ID]
		p := policy.Job{ID: policy.JobID(j.ID), User: j.User, Account: j.Account, QOS: j.QOS, Nice: spec.Nice, Partition: "gpu", State: policy.Pending,
			Submit: j.Submit, Arrive: j.Submit, EligibleAt: j.Submit, Limit: spec.TimeLimit,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 8 * spec.MinNodes}, MinNodes: spec.MinNodes, PerNode: 8}}
		if !q.pending[j.ID] {
			p.State, p.Start, p.On = policy.Running, j.Start, policy.Alloc{{Node: j.Nodes.Text, Type: "a100", Count: 8}}
			s.Users = append(s.Users, policy.User{Name: j.User, Account: j.Account, UsedService: policy.ServiceForTime(8, q.Now().Sub(j.Start))})
		}
		s.Jobs = append(s.Jobs, p)
	}
	return s
}
