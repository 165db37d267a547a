package allox

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/assign"
)

// alloxMatch orders the jobs of a round by when the matching starts them, and
// grants each the type it is matched to.
type alloxMatch struct {
	alpha float64
	slots map[policy.JobID]alloxSlot
}

// alloxSlot is what the matching gives a job.
type alloxSlot struct {
	typ   string
	late  bool    // it was matched to what those who compete leave
	start float64 // seconds from now
}

// Order implements engine.Orderer: those that run, those that compete by their
// start in the matching, those that are matched to what these leave, the others
// by arrival.
func (m *alloxMatch) Order(r *engine.Round) ([]*engine.Entry, error) {
	cluster := newAlloxCluster(r)
	users := alloxUsers(r, cluster)
	n := max(int(math.Ceil(m.alpha*float64(len(users)))), 1)
	var compete, rest []*engine.Entry
	for i, u := range users {
		if i < n || len(compete) < cluster.free {
			compete = append(compete, u.jobs...)
		} else {
			rest = append(rest, u.jobs...)
		}
	}
	m.slots = make(map[policy.JobID]alloxSlot, len(compete)+len(rest))
	m.match(cluster, compete, false)
	m.match(cluster, rest, true)
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		x, at := m.rank(a)
		y, bt := m.rank(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(at, bt), engine.ByArrival(a, b))
	})
	return line, nil
}

// match puts the jobs behind those the cluster's machines have already.
func (m *alloxMatch) match(cluster *alloxCluster, jobs []*engine.Entry, late bool) {
	if len(jobs) == 0 {
		return
	}
	q := cluster.match(jobs)
	for i, e := range jobs {
		if q.types[i] < 0 {
			continue
		}
		typ := cluster.types[q.types[i]]
		m.slots[e.ID] = alloxSlot{typ, late, q.start[i]}
		if !cluster.Terse {
			e.Note = fmt.Sprintf("matched to %s, in about %v", typ, policy.Seconds(q.start[i]).Round(time.Minute))
		}
	}
	cluster.banks = q.after
}

func (m *alloxMatch) rank(e *engine.Entry) (group int, start float64) {
	slot, ok := m.slots[e.ID]
	switch {
	case e.Active():
		return 0, 0
	case ok && !slot.late:
		return 1, slot.start
	case ok:
		return 2, slot.start
	}
	return 3, 0
}

// Lease implements engine.Leaser. Who runs has a lease for as long as it runs.
func (m *alloxMatch) Lease(_ *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	grants := make([]engine.Grant, len(line))
	for i, e := range line {
		slot, ok := m.slots[e.ID]
		grants[i] = engine.Grant{Run: ok || e.Active(), Type: slot.typ}
	}
	return grants, nil
}

// alloxUser is somebody with jobs that could start, and what was served to
// them.
type alloxUser struct {
	name   string
	served policy.GPUSeconds
	jobs   []*engine.Entry
}

// alloxUsers returns the users with jobs that could start somewhere, the least
// served first. Service is what history keeps of users, or else what their
// present jobs received.
func alloxUsers(r *engine.Round, cluster *alloxCluster) []*alloxUser {
	index := map[string]*alloxUser{}
	var users []*alloxUser
	for _, e := range r.Entries {
		u := index[e.User]
		if u == nil {
			u = &alloxUser{name: e.User}
			index[e.User] = u
			users = append(users, u)
		}
		if len(r.Users) == 0 {
			u.served += e.Attained
		}
		if !e.Active() && r.Startable(e) && cluster.runs(e) {
			u.jobs = append(u.jobs, e)
		}
	}
	for _, known := range r.Users {
		if u := index[known.Name]; u != nil {
			u.served += known.Used
		}
	}
	users = slices.DeleteFunc(users, func(u *alloxUser) bool { return len(u.jobs) == 0 })
	slices.SortFunc(users, byService)
	return users
}

// alloxQueue is a matching: for each job its type, -1 for none, and the seconds
// until it starts.
type alloxQueue struct {
	types []int
	start []float64
	after []assign.MachineGroup // the machines behind these jobs
}

// match queues the jobs for the machines of the cluster.
func (c *alloxCluster) match(jobs []*engine.Entry) alloxQueue {
	times, width := c.times(jobs), make([]float64, len(jobs))
	for i, e := range jobs {
		width[i] = float64(e.Size())
	}
	places := assign.ToGroups(times, width, c.banks, alloxEffort)
	q := alloxQueue{types: make([]int, len(jobs)), start: make([]float64, len(jobs))}
	byBank, free := make([][]int, len(c.banks)), make([][]float64, len(c.types))
	for i, p := range places {
		q.types[i] = -1
		if p.Group >= 0 {
			q.types[i] = c.banks[p.Group].Type
			byBank[p.Group] = append(byBank[p.Group], i)
		}
	}
	for b, members := range byBank {
		// The machines of a bank are alike: whoever of a place is shortest goes to
		// the one that is free first.
		slices.SortFunc(members, func(i, j int) int {
			return cmp.Or(cmp.Compare(places[j].FromEnd, places[i].FromEnd),
				cmp.Compare(times[i][c.banks[b].Type], times[j][c.banks[b].Type]), engine.ByArrival(jobs[i], jobs[j]))
		})
		free[c.banks[b].Type] = append(free[c.banks[b].Type], q.schedule(c.banks[b], members, times)...)
	}
	for t := range free {
		q.after = append(q.after, alloxBanks(t, free[t])...)
	}
	return q
}

// schedule lets the jobs start one after the other on the machines of a bank,
// and returns when each machine is free again.
func (q *alloxQueue) schedule(bank assign.MachineGroup, members []int, times [][]float64) alloxMachines {
	machines := alloxMachines(slices.Repeat([]float64{bank.Delay}, bank.Count))
	for _, i := range members {
		q.start[i] = machines[0]
		machines.run(times[i][bank.Type])
	}
	return machines
}

// alloxMachines is a heap of the times at which machines are free.
type alloxMachines []float64

// run lets the machine that is free first run for so long.
func (m alloxMachines) run(seconds float64) {
	m[0] += seconds
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m) && m[child] < m[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		m[i], m[least] = m[least], m[i]
		i = least
	}
}
