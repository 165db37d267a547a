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

// matcher orders the jobs of a round by when the matching starts them, and
// grants each the type it is matched to.
type matcher struct {
	alpha       float64
	assignments map[policy.JobID]assignment
}

// assignment is what the matching gives a job.
type assignment struct {
	gpuType  string
	leftover bool    // the job was matched to what those that compete leave
	start    float64 // seconds from now
}

// Order implements engine.Orderer: those that run, those that compete by their
// start in the matching, those that are matched to what these leave, the others
// by arrival.
func (m *matcher) Order(r *engine.Round) ([]*engine.Entry, error) {
	cluster := newCluster(r)
	users := usersByService(r, cluster)
	n := max(int(math.Ceil(m.alpha*float64(len(users)))), 1)
	var compete, rest []*engine.Entry
	for i, u := range users {
		if i < n || len(compete) < cluster.freeMachines {
			compete = append(compete, u.jobs...)
		} else {
			rest = append(rest, u.jobs...)
		}
	}
	m.assignments = make(map[policy.JobID]assignment, len(compete)+len(rest))
	m.matchJobs(cluster, compete, false)
	m.matchJobs(cluster, rest, true)
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		x, at := m.rank(a)
		y, bt := m.rank(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(at, bt), engine.ByArrival(a, b))
	})
	return line, nil
}

// matchJobs puts the jobs behind those the cluster's machines have already;
// leftover says that they do not compete.
func (m *matcher) matchJobs(cluster *cluster, jobs []*engine.Entry, leftover bool) {
	if len(jobs) == 0 {
		return
	}
	q := cluster.scheduleJobs(jobs)
	for i, e := range jobs {
		if q.types[i] < 0 {
			continue
		}
		typ := cluster.types[q.types[i]]
		m.assignments[e.ID] = assignment{typ, leftover, q.start[i]}
		if !cluster.Terse {
			e.Note = fmt.Sprintf("matched to %s, in about %v", typ, policy.Seconds(q.start[i]).Round(time.Minute))
		}
	}
	cluster.groups = q.groupsAfter
}

func (m *matcher) rank(e *engine.Entry) (group int, start float64) {
	slot, ok := m.assignments[e.ID]
	switch {
	case e.Active():
		return 0, 0
	case ok && !slot.leftover:
		return 1, slot.start
	case ok:
		return 2, slot.start
	}
	return 3, 0
}

// Lease implements engine.Leaser. A job has its lease for as long as it runs.
func (m *matcher) Lease(_ *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	grants := make([]engine.Grant, len(line))
	for i, e := range line {
		slot, ok := m.assignments[e.ID]
		grants[i] = engine.Grant{Run: ok || e.Active(), Type: slot.gpuType}
	}
	return grants, nil
}

// user is a person with jobs that could start, and what they received.
type user struct {
	name    string
	service policy.GPUSeconds
	jobs    []*engine.Entry
}

// usersByService returns the users with jobs that could start somewhere, the least
// served first, by name among equals. Service is what history keeps of users, or
// else what their present jobs received.
func usersByService(r *engine.Round, cluster *cluster) []*user {
	index := map[string]*user{}
	var users []*user
	for _, e := range r.Entries {
		u := index[e.User]
		if u == nil {
			u = &user{name: e.User}
			index[e.User] = u
			users = append(users, u)
		}
		if len(r.Users) == 0 {
			u.service += e.Attained
		}
		if !e.Active() && r.Startable(e) && cluster.canRun(e) {
			u.jobs = append(u.jobs, e)
		}
	}
	for _, known := range r.Users {
		if u := index[known.Name]; u != nil {
			u.service += known.Used
		}
	}
	users = slices.DeleteFunc(users, func(u *user) bool { return len(u.jobs) == 0 })
	slices.SortFunc(users, func(a, b *user) int {
		return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.name, b.name))
	})
	return users
}

// schedule is a matching: for each job its type, -1 for none, and the seconds
// until it starts.
type schedule struct {
	types       []int
	start       []float64
	groupsAfter []assign.MachineGroup // the machines behind these jobs
}

// scheduleJobs queues the jobs for the machines of the cluster.
func (c *cluster) scheduleJobs(jobs []*engine.Entry) schedule {
	times, width := c.processingTimes(jobs), make([]float64, len(jobs))
	for i, e := range jobs {
		width[i] = float64(e.Size())
	}
	places := assign.ToGroups(times, width, c.groups, maxMatchingSteps)
	q := schedule{types: make([]int, len(jobs)), start: make([]float64, len(jobs))}
	members, free := make([][]int, len(c.groups)), make([][]float64, len(c.types))
	for i, p := range places {
		q.types[i] = -1
		if p.Group >= 0 {
			q.types[i] = c.groups[p.Group].Type
			members[p.Group] = append(members[p.Group], i)
		}
	}
	for g, queue := range members {
		// The machines of a group are alike: of the jobs of a place the shortest
		// goes to the one that is free first.
		typ := c.groups[g].Type
		slices.SortFunc(queue, func(i, j int) int {
			return cmp.Or(cmp.Compare(places[j].FromEnd, places[i].FromEnd), cmp.Compare(times[i][typ], times[j][typ]), engine.ByArrival(jobs[i], jobs[j]))
		})
		free[typ] = append(free[typ], q.addQueue(c.groups[g], queue, times)...)
	}
	for t := range free {
		q.groupsAfter = append(q.groupsAfter, groupMachines(t, free[t])...)
	}
	return q
}

// addQueue lets the jobs start one after the other on the machines of a
// group, and returns when each machine is free again.
func (q *schedule) addQueue(group assign.MachineGroup, queue []int, times [][]float64) machineHeap {
	machines := machineHeap(slices.Repeat([]float64{group.Delay}, group.Count))
	for _, i := range queue {
		q.start[i] = machines[0]
		machines.runFirst(times[i][group.Type])
	}
	return machines
}

// machineHeap is a heap of the times at which machines are free.
type machineHeap []float64

// runFirst lets the machine that is free first run for so long.
func (m machineHeap) runFirst(seconds float64) {
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
