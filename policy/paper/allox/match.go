package allox

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/assign"
)

// matchingAllocator is an engine.Allocator: it orders the jobs of a round by when the
// matching starts them, and grants each the type it is matched to.
type matchingAllocator struct{ *Policy }

// Groups of the line, first served first.
const (
	groupRunning   = iota
	groupCompeting // matched among the least served users
	groupLeftover  // matched to what those that compete leave
	groupUnmatched
)

// assignment is what the matching gives a job.
type assignment struct {
	lineGroup    int
	gpuType      string
	startSeconds float64 // seconds from now
	note         string
}

// Allocate implements engine.Allocator: jobs that run, those that compete by their
// start in the matching, those that are matched to what these leave, the others
// by arrival. A job has its lease for as long as it runs.
func (m matchingAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	given, turns := m.assignJobs(r), make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		a := &given[i]
		turns[i] = e.AssignmentWithoutLease()
		turns[i].Grant = engine.Grant{HasLease: a.lineGroup != groupUnmatched, GPUType: a.gpuType}
		turns[i].Note = a.note
	}
	slices.SortFunc(turns, func(a, b engine.Assignment) int {
		x, y := &given[a.Entry.Index], &given[b.Entry.Index]
		by := cmp.Or(cmp.Compare(x.lineGroup, y.lineGroup), cmp.Compare(x.startSeconds, y.startSeconds))
		return engine.ThenArrival(by, a.Entry, b.Entry)
	})
	return turns, nil
}

// assignJobs matches the jobs of the least served users, and then the others.
func (m matchingAllocator) assignJobs(r *engine.Round) []assignment {
	given := make([]assignment, len(r.Entries))
	for i, e := range r.Entries {
		if given[i].lineGroup = groupUnmatched; e.HoldsGPUs() {
			given[i].lineGroup = groupRunning
		}
	}
	cluster := newCluster(r)
	users := listUsersByService(r, cluster)
	n := max(int(math.Ceil(m.Alpha*float64(len(users)))), 1)
	var compete, rest []*engine.Entry
	for i, u := range users {
		if i < n || len(compete) < cluster.freeMachineCount {
			compete = append(compete, u.jobs...)
		} else {
			rest = append(rest, u.jobs...)
		}
	}
	cluster.matchJobs(compete, groupCompeting, given)
	cluster.matchJobs(rest, groupLeftover, given)
	return given
}

// matchJobs puts the jobs behind those that the machines have already.
func (c *cluster) matchJobs(jobs []*engine.Entry, group int, given []assignment) {
	if len(jobs) == 0 {
		return
	}
	q := c.scheduleJobs(jobs)
	for i, e := range jobs {
		if q.typeOfJob[i] < 0 {
			continue
		}
		a := assignment{lineGroup: group, gpuType: c.gpuTypes[q.typeOfJob[i]], startSeconds: q.startSeconds[i]}
		if !c.OmitReasons {
			a.note = fmt.Sprintf("matched to %s, in about %s", a.gpuType, policy.FormatSeconds(a.startSeconds))
		}
		given[e.Index] = a
	}
	c.machineGroups = q.machineGroupsAfter
}

// user is a person with jobs that could start, and what they received.
type user struct {
	name            string
	receivedService policy.GPUSeconds
	jobs            []*engine.Entry
}

// listUsersByService returns the users with jobs that could start somewhere, the least
// served first, by name among equals. Service is what history keeps of users, or
// else what their present jobs received.
func listUsersByService(r *engine.Round, cluster *cluster) []*user {
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
			u.receivedService += e.Attained
		}
		if !e.HoldsGPUs() && r.MayRun(e) && cluster.canRunSomewhere(e) {
			u.jobs = append(u.jobs, e)
		}
	}
	for _, known := range r.Users {
		if u := index[known.Name]; u != nil {
			u.receivedService += known.UsedService
		}
	}
	users = slices.DeleteFunc(users, func(u *user) bool { return len(u.jobs) == 0 })
	slices.SortFunc(users, func(a, b *user) int {
		return cmp.Or(cmp.Compare(a.receivedService, b.receivedService), cmp.Compare(a.name, b.name))
	})
	return users
}

// schedule is a matching: for each job its type, -1 for none, and the seconds
// until it starts.
type schedule struct {
	typeOfJob          []int
	startSeconds       []float64
	machineGroupsAfter []assign.MachineGroup // the machines behind these jobs
}

// scheduleJobs queues the jobs for the machines of the cluster.
func (c *cluster) scheduleJobs(jobs []*engine.Entry) schedule {
	times, width := make([][]float64, len(jobs)), make([]float64, len(jobs))
	for i, e := range jobs {
		times[i], width[i] = c.processingSeconds(e), float64(e.DeviceCount())
	}
	places := assign.AssignPositions(times, width, c.machineGroups, maxMatchingSteps)
	q := schedule{typeOfJob: make([]int, len(jobs)), startSeconds: make([]float64, len(jobs))}
	members, free := make([][]int, len(c.machineGroups)), make([][]float64, len(c.gpuTypes))
	for i, p := range places {
		q.typeOfJob[i] = -1
		if p.Group >= 0 {
			q.typeOfJob[i] = c.machineGroups[p.Group].Type
			members[p.Group] = append(members[p.Group], i)
		}
	}
	for g, queue := range members {
		// The machines of a group are alike: of the jobs of a place the shortest
		// goes to the one that is free first.
		typ := c.machineGroups[g].Type
		slices.SortFunc(queue, func(i, j int) int {
			by := cmp.Or(cmp.Compare(places[j].FromEnd, places[i].FromEnd), cmp.Compare(times[i][typ], times[j][typ]))
			return engine.ThenArrival(by, jobs[i], jobs[j])
		})
		free[typ] = append(free[typ], q.addQueue(c.machineGroups[g], queue, times)...)
	}
	for t := range free {
		q.machineGroupsAfter = append(q.machineGroupsAfter, groupMachines(t, free[t])...)
	}
	return q
}

// addQueue lets the jobs start one after the other on the machines of a
// group, and returns when each machine is free again.
func (q *schedule) addQueue(group assign.MachineGroup, queue []int, times [][]float64) []float64 {
	machines := slices.Repeat([]float64{group.FreeAfter}, group.Count)
	for _, i := range queue {
		q.startSeconds[i] = machines[0]
		assign.RunOnFirstFree(machines, 1, times[i][group.Type])
	}
	return machines
}
