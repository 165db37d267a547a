package whatif

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/policy/paper/fifo"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// scene is two nodes of eight GPUs, of which job 1 holds six on n1 for another
// four hours and job 2 four on n2 for another hour, and the jobs that wait, in
// this order.
func scene(waiting ...policy.Job) *policy.Snapshot {
	node := func(name string) policy.Node {
		return policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
	}
	running := func(id policy.JobID, node string, gpus int, left time.Duration) policy.Job {
		return policy.Job{
			ID: id, User: "a", Account: "a", Partition: "gpu", State: policy.Running, Arrive: noon.Add(-time.Hour), Start: noon.Add(-time.Hour),
			Limit: time.Hour + left, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: gpus},
			On: policy.Alloc{{Node: node, Type: "a100", Count: gpus}}, UnstoppableReason: "not opted in",
		}
	}
	s := &policy.Snapshot{Seq: 1, Now: noon, Nodes: []policy.Node{node("n1"), node("n2")}, Jobs: []policy.Job{running(1, "n1", 6, 4*time.Hour), running(2, "n2", 4, time.Hour)}}
	for i, j := range waiting {
		j.ID, j.User, j.Account, j.Partition, j.State = policy.JobID(3+i), "b", "b", "gpu", policy.Pending
		j.Arrive = noon.Add(time.Duration(i-60) * time.Minute)
		j.Ask.CPUs = j.Ask.GPUs.Count
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func wants(gpus, nodes, perNode int, limit time.Duration) policy.Job {
	return policy.Job{Limit: limit, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, MinNodes: nodes, PerNode: perNode}}
}

func TestSmaller(t *testing.T) {
	none, easy := &fifo.Policy{Backfill: "none"}, &fifo.Policy{Backfill: "easy"}
	elastic := wants(8, 1, 8, time.Hour)
	elastic.MinGPUs, elastic.MaxGPUs = 2, 8
	kept := scene(wants(2, 1, 2, 20*time.Minute))
	for i := range kept.Nodes {
		kept.Nodes[i].Windows = []policy.Window{{From: noon.Add(9 * time.Minute), To: noon.Add(3 * time.Hour), Name: "m1", IsMaintenance: true}}
	}
	held := wants(8, 1, 8, time.Hour)
	held.HeldReason = "its user holds it"
	for _, tt := range []struct {
		name   string
		policy policy.Policy
		scene  *policy.Snapshot
		job    policy.JobID
		want   []string
	}{
		{"fewer on one node", none, scene(wants(8, 1, 8, time.Hour)), 3, []string{"4 a100"}},
		{"before a maintenance", none, kept, 3, []string{"a time limit of 8m0s"}},
		{"fewer over nodes", none, scene(wants(7, 1, 0, time.Hour)), 3, []string{"6 a100"}},
		{"a smaller gang", none, scene(wants(12, 4, 3, time.Hour)), 3, []string{"3 a100"}},
		{"a gang of fewer nodes", none, scene(wants(6, 3, 2, time.Hour)), 3, []string{"4 a100 on 2 nodes"}},
		{"it starts as it is", none, scene(wants(4, 1, 4, time.Hour)), 3, nil},
		{"the head of the line blocks", none, scene(wants(8, 1, 8, time.Hour), wants(8, 1, 8, time.Hour)), 4, nil},
		{"shorter, and it passes the head", easy, scene(wants(8, 1, 8, time.Hour), wants(4, 1, 4, 4*time.Hour)), 4, []string{"2 a100", "a time limit of 1h0m0s"}},
		{"it runs", none, scene(), 1, nil},
		{"not known", none, scene(), 99, nil},
		{"held", none, scene(held), 3, nil},
		{"elastic: its size is ours", none, scene(elastic), 3, nil},
		{"the policy fails", broken{}, scene(wants(8, 1, 8, time.Hour)), 3, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(tt.scene.Jobs)
			var got []string
			for _, smaller := range FindSmallerRequests(tt.scene, tt.job, tt.policy, func() time.Time { return noon }) {
				got = append(got, request(tt.scene.Job(tt.job), &smaller))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if len(tt.scene.Jobs) != before {
				t.Error("the snapshot changed")
			}
		})
	}
}

// request says what is smaller about a job.
func request(was, is *policy.Job) string {
	switch {
	case is.Ask.GPUs.Count == was.Ask.GPUs.Count:
		return "a time limit of " + is.Limit.String()
	case is.Ask.MinNodes > 1:
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.MinNodes)
	}
	return is.Ask.GPUs.String()
}

// TestSmallerGivesUp stops when the time is up.
func TestSmallerGivesUp(t *testing.T) {
	at := noon
	late := func() time.Time { at = at.Add(time.Minute); return at }
	if got := FindSmallerRequests(scene(wants(8, 1, 8, time.Hour)), 3, &fifo.Policy{}, late); got != nil {
		t.Errorf("got %v", got)
	}
}

type broken struct{}

func (broken) Decide(*policy.Snapshot) (*policy.Plan, error) { return nil, errors.New("no plan") }
