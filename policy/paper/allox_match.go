package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve"
)

// alloxMatch orders the jobs of a round by when the matching starts them, and
// grants each the type it is matched to.
type alloxMatch struct {
	alpha float64
	types map[policy.JobID]string // of the jobs that compete
}

// Order implements policy.Orderer: those that run, those that compete by their
// start in the matching, the others by arrival.
func (m *alloxMatch) Order(r *policy.Round) ([]*policy.Entry, error) {
	cluster := newAlloxCluster(r)
	users := alloxUsers(r, cluster)
	n := max(int(math.Ceil(m.alpha*float64(len(users)))), 1)
	var compete []*policy.Entry
	var queue alloxQueue
	for { // more users as long as GPUs would idle
		for len(users) > 0 && (n > 0 || len(compete) < cluster.free) {
			compete, users, n = append(compete, users[0].jobs...), users[1:], n-1
		}
		queue = cluster.match(compete)
		if len(users) == 0 || queue.starts >= cluster.free {
			break
		}
		n = len(compete)
	}
	return m.line(r, cluster, compete, queue), nil
}

func (m *alloxMatch) line(r *policy.Round, cluster *alloxCluster, compete []*policy.Entry, q alloxQueue) []*policy.Entry {
	m.types = make(map[policy.JobID]string, len(compete))
	start := make(map[policy.JobID]float64, len(compete))
	for i, e := range compete {
		if t := q.types[i]; t >= 0 {
			m.types[e.ID], start[e.ID] = cluster.types[t], q.start[i]
			e.Note = fmt.Sprintf("matched to %s, in about %v", cluster.types[t], policy.Seconds(q.start[i]).Round(time.Minute))
		}
	}
	rank := func(e *policy.Entry) float64 {
		at, ok := start[e.ID]
		switch {
		case e.Active():
			return -1
		case ok:
			return at
		}
		return math.Inf(1)
	}
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *policy.Entry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), policy.ByArrival(a, b))
	})
	return line
}

// Lease implements policy.Leaser. Who runs has a lease for as long as it runs.
func (m *alloxMatch) Lease(_ *policy.Round, line []*policy.Entry) ([]policy.Grant, error) {
	grants := make([]policy.Grant, len(line))
	for i, e := range line {
		typ, ok := m.types[e.ID]
		grants[i] = policy.Grant{Run: ok || e.Active(), Type: typ}
	}
	return grants, nil
}

// alloxUser is somebody with jobs that could start, and what was served to
// them.
type alloxUser struct {
	name   string
	served policy.GPUSeconds
	jobs   []*policy.Entry
}

// alloxUsers returns the users with jobs that could start somewhere, the least
// served first. Service is what history keeps of users, or else what their
// present jobs received.
func alloxUsers(r *policy.Round, cluster *alloxCluster) []*alloxUser {
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
	types  []int
	start  []float64
	starts int // jobs that start now
}

// match queues the jobs for the machines of the cluster.
func (c *alloxCluster) match(jobs []*policy.Entry) alloxQueue {
	times, width := c.times(jobs), make([]float64, len(jobs))
	for i, e := range jobs {
		width[i] = float64(e.Has())
	}
	places := solve.Places(times, width, c.banks, alloxEffort)
	q := alloxQueue{types: make([]int, len(jobs)), start: make([]float64, len(jobs))}
	byBank := make([][]int, len(c.banks))
	for i, p := range places {
		q.types[i] = -1
		if p.Bank >= 0 {
			q.types[i] = c.banks[p.Bank].Type
			byBank[p.Bank] = append(byBank[p.Bank], i)
		}
	}
	for b, members := range byBank {
		// The machines of a bank are alike: whoever of a place is shortest goes to
		// the one that is free first.
		slices.SortFunc(members, func(i, j int) int {
			return cmp.Or(cmp.Compare(places[j].From, places[i].From),
				cmp.Compare(times[i][c.banks[b].Type], times[j][c.banks[b].Type]), policy.ByArrival(jobs[i], jobs[j]))
		})
		q.schedule(c.banks[b], members, times)
	}
	return q
}

// schedule lets the jobs start one after the other on the machines of a bank.
func (q *alloxQueue) schedule(bank solve.Bank, members []int, times [][]float64) {
	machines := make(alloxMachines, min(bank.Count, len(members)))
	for k := range machines {
		machines[k] = bank.Delay
	}
	for _, i := range members {
		q.start[i] = machines[0]
		if machines[0] == 0 {
			q.starts++
		}
		machines.run(times[i][bank.Type])
	}
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
