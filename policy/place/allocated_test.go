package place_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
)

// where is an Allocator that names the devices of each job, in order of job.
type where []policy.Alloc

func (w where) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	turns := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		turns[i] = e.AssignmentWithoutLease()
		turns[i].Alloc, turns[i].Grant.HasLease = w[i], true
	}
	return turns, nil
}

func on(node string, count int) policy.Alloc {
	return policy.Alloc{{Node: node, Type: "a100", Count: count}}
}

// TestAllocated: jobs start and move where their turns say, or nowhere.
func TestAllocated(t *testing.T) {
	for name, c := range map[string]struct {
		where where
		want  []policy.Verb
		on    []policy.Alloc
	}{
		"where it says":         {where{on("n1", 4), on("n4", 2)}, []policy.Verb{policy.Keep, policy.Start}, []policy.Alloc{on("n1", 4), on("n4", 2)}},
		"anywhere":              {where{nil, nil}, []policy.Verb{policy.Keep, policy.Start}, []policy.Alloc{on("n1", 4), on("n1", 2)}},
		"not free":              {where{on("n1", 4), on("n2", 2)}, []policy.Verb{policy.Keep, policy.Hold}, []policy.Alloc{on("n1", 4), nil}},
		"not as many":           {where{on("n1", 4), on("n4", 3)}, []policy.Verb{policy.Keep, policy.Hold}, []policy.Alloc{on("n1", 4), nil}},
		"a running one moves":   {where{on("n3", 4), on("n1", 2)}, []policy.Verb{policy.Move, policy.Start}, []policy.Alloc{on("n3", 4), on("n1", 2)}},
		"or stays for no place": {where{on("n2", 4), on("n4", 2)}, []policy.Verb{policy.Keep, policy.Start}, []policy.Alloc{on("n1", 4), on("n4", 2)}},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := round([4]int{8, 0, 8, 8}, gpus(4))
			s := r.Snapshot
			s.Nodes[1].GPUs[0].Count = 1
			run := policy.Job{ID: 1, Partition: "p", State: policy.Running, Arrive: now.Add(-time.Hour), Start: now.Add(-time.Hour), Ask: gpus(4), On: on("n1", 4)}
			wait := policy.Job{ID: 2, Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Minute), Ask: gpus(2)}
			s.Jobs = []policy.Job{run, wait}
			plan, err := engine.Pipeline{Allocate: c.where, Place: place.OnAssignedDevices{}}.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Fatal(err)
			}
			for i, d := range plan.Decisions {
				if d.Verb != c.want[i] || !d.On.Equal(c.on[i]) {
					t.Errorf("job %d: %s %v (%s), want %s %v", d.Job, d.Verb, d.On, d.Why, c.want[i], c.on[i])
				}
			}
		})
	}
}
