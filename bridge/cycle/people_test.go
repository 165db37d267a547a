package cycle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// folk are people who edit their jobs while the loop works, and remember what
// they wrote last.
type folk struct {
	*rig
	dice  *rand.Rand
	ids   []int64
	want  map[int64]*wanted
	edits int
}

// wanted is what people last wanted of a job.
type wanted struct {
	nice     int64
	priority int64 // set directly; 0: not
	begin    time.Time
	required string
	excluded string
	limit    time.Duration
}

// edit has somebody change something about a job, also where no list shows it.
func (f *folk) edit() {
	id := f.ids[f.dice.IntN(len(f.ids))]
	was, by, u := f.job(id), []string{"u", sim.OperatorUser}[f.dice.IntN(2)], sim.JobUpdate{}
	w := *f.want[id]
	if !was.IsPending() {
		return
	}
	switch f.dice.IntN(8) {
	case 0, 1:
		if w.priority != 0 {
			return // Slurm itself takes no nice then
		}
		w.nice = f.dice.Int64N(2000)
		if by == sim.OperatorUser && f.dice.IntN(2) == 0 {
			w.nice = -w.nice
		}
		u.Nice = &w.nice
	case 2, 3:
		w.begin = f.w.Now().Add(time.Duration(f.dice.IntN(300)-60) * time.Minute).Truncate(time.Second)
		u.BeginTime = &w.begin
	case 4:
		w.required = []string{"n1", "n2"}[f.dice.IntN(2)]
		u.RequiredNodes = &[]string{w.required}
	case 5:
		w.excluded = "n2"
		u.ExcludedNodes = &[]string{"n2"}
	case 6:
		w.limit = time.Duration(1+f.dice.IntN(6)) * time.Hour
		by, u.TimeLimit = sim.OperatorUser, &w.limit
	case 7:
		if f.dice.IntN(4) > 0 {
			return
		}
		w.nice, w.priority = 0, 1000+f.dice.Int64N(9000)
		by, u.Priority = sim.OperatorUser, &w.priority
	}
	if f.dice.IntN(2) == 0 && f.wire.listed[id].ID == 0 { // between two full lists
		f.wire.listed[id] = was
	}
	if err := f.w.Update(by, id, u); err != nil {
		f.t.Fatal(err)
	}
	*f.want[id] = w
	f.edits++
}

// TestPeoplesEditsAreNeverLost: owners and administrators change their jobs at
// random moments, also between a look and a write and where no list shows it. On
// every release and with every lever that is not a direct priority, each job has
// in the end what people wanted of it last.
func TestPeoplesEditsAreNeverLost(t *testing.T) {
	for _, c := range []struct {
		release string
		lever   bridge.Lever
	}{{"22.05.8", bridge.LeverAuto}, {"24.11.5", bridge.LeverAuto}, {"24.11.5", bridge.LeverNice}, {"26.05.5", bridge.LeverAuto}} {
		t.Run(c.release+" "+string(c.lever), func(t *testing.T) {
			f := newFolk(t, c.release, c.lever)
			for range 120 {
				for range f.dice.IntN(5) {
					f.edit()
				}
				f.wire.between = func(*sim.World) {
					if f.dice.IntN(4) == 0 {
						f.edit()
					}
				}
				f.cycles(1)
				f.wire.between = nil
				if f.dice.IntN(10) == 0 {
					f.wire.listed = map[int64]slurm.Job{} // a full list
				}
			}
			f.lost()
			t.Logf("%d edits of people, ours: %v", f.edits, f.kinds())
			if f.edits < 150 || len(f.wire.applied) < 20 {
				t.Errorf("only %d edits of people and %d of ours", f.edits, len(f.wire.applied))
			}
		})
	}
}

func newFolk(t *testing.T, release string, lever bridge.Lever) *folk {
	t.Helper()
	r := newRigOn(t, sim.Config{
		ClusterName: "lab", Release: release, Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, BackfillInterval: -1,
	}, bridge.ModeSteer, "fifo", nil)
	r.conf.Order.Lever = lever
	r.restart()
	f := &folk{rig: r, dice: rand.New(rand.NewPCG(7, 11)), want: map[int64]*wanted{}}
	f.wire.listed = map[int64]slurm.Job{}
	r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 90 * time.Hour, TimeLimit: 99 * time.Hour})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUsPerNode: 8, MinNodes: 2, TimeLimit: 99 * time.Hour})
	for i := range 40 {
		s := sim.JobSpec{User: "u", Account: fmt.Sprint("a", i%3), GPUs: 4, Nice: int64(i % 3 * 50), TimeLimit: 12 * time.Hour, WorkTime: 9 * time.Hour}
		if i%2 == 0 {
			s.GPUs = 8
		}
		id := r.submit(s)
		f.ids = append(f.ids, id)
		f.want[id] = &wanted{nice: s.Nice, limit: s.TimeLimit}
	}
	return f
}

// lost releases everything and compares the jobs with what people wanted.
func (f *folk) lost() {
	f.t.Helper()
	f.wire.listed = map[int64]slurm.Job{}
	if _, err := f.releaser().Release(f.t.Context()); err != nil {
		f.t.Error(err)
	}
	if left, err := f.releaser().FindReleasable(f.t.Context()); err != nil || len(left.Edits) > 0 {
		f.t.Errorf("left after release: %v %v", left.Edits, err)
	}
	for _, id := range slices.Sorted(slices.Values(f.ids)) {
		j, w := f.job(id), f.want[id]
		if !j.IsPending() {
			continue
		}
		if w.priority == 0 && j.Nice != w.nice || w.priority != 0 && j.Priority != w.priority {
			f.t.Errorf("job %d has nice %d and priority %d, wanted %d and %d", id, j.Nice, j.Priority, w.nice, w.priority)
		}
		if j.RequiredNodes.Text != w.required || j.ExcludedNodes.Text != w.excluded || j.TimeLimit != w.limit {
			f.t.Errorf("job %d has nodes %q without %q for %v, wanted %q without %q for %v", id, j.RequiredNodes.Text, j.ExcludedNodes.Text, j.TimeLimit, w.required, w.excluded, w.limit)
		}
		if begin := w.begin; begin.After(f.w.Now()) && !j.EligibleTime.Equal(begin) || !begin.After(f.w.Now()) && j.EligibleTime.After(f.w.Now()) {
			f.t.Errorf("job %d may begin at %v, wanted %v (now %v)", id, j.EligibleTime, begin, f.w.Now())
		}
	}
}
