package cells_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fairbridge/policy/cells"
)

// nodesOf are the nodes of a cell in tree order.
func nodesOf(p cells.Physical) []string {
	if len(p.Cells) == 0 {
		return []string{p.Node}
	}
	var out []string
	for _, c := range p.Cells {
		out = append(out, nodesOf(c)...)
	}
	return out
}

// startAsPublished makes all nodes bad, and healthy again one by one, as the published scheduler
// does when it starts. It leaves free lists in another order.
func startAsPublished(t *testing.T, c cells.Config) *cells.Cluster {
	k, err := cells.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []string
	for _, p := range c.Physical {
		nodes = append(nodes, nodesOf(p)...)
	}
	for _, n := range nodes {
		k.SetBad(n)
	}
	for _, n := range nodes {
		k.SetHealthy(n)
	}
	return k
}

// TestPublishedCases wants what HiveD's own scheduler answers to the steps of its own test: places
// to the device, victims, reservations, states, and how virtual clusters see bad nodes.
func TestPublishedCases(t *testing.T) {
	f := readCases(t, shared)
	if expectations, scheduled := playCases(t, &f); expectations != 44 || scheduled != 39 {
		t.Errorf("%d expectations, %d scheduling steps", expectations, scheduled)
	}
}

// TestOwnCases wants of gangs whose reservation is cancelled, and of those who were to leave for them, what
// the rules of the published scheduler say.
func TestOwnCases(t *testing.T) {
	f := readCases(t, ownCases)
	if expectations, _ := playCases(t, &f); expectations == 0 {
		t.Error("nothing is expected")
	}
}

// playCases plays all scenarios. It returns how many steps expect something, and how many schedule.
func playCases(t *testing.T, f *caseFile) (expectations, scheduled int) {
	for _, s := range f.Scenarios {
		if s.Steps == nil {
			_, err := cells.New(f.config(t, s.Changes))
			if err == nil || !strings.Contains(err.Error(), "CT1-NODE") || !strings.Contains(err.Error(), "have 3 cells of type CT1, 0 are left") {
				t.Errorf("%s: %v", s.Name, err)
			}
			continue
		}
		c := f.config(t, s.Changes)
		r := caseRun{T: t, k: startAsPublished(t, c), gangOf: map[string]string{}}
		for i, step := range s.Steps {
			r.at = fmt.Sprintf("%s, step %d (%s %s)", s.Name, i+1, step.Do, step.Pod)
			r.do(step)
			if step.Expect != nil {
				expectations++
			}
			if step.Do == "schedule" {
				scheduled++
			}
			if !r.k.IsSafe() {
				t.Errorf("%s: not safe", r.at)
			}
		}
	}
	return expectations, scheduled
}

// caseRun is a scenario under way.
type caseRun struct {
	*testing.T
	k      *cells.Cluster
	at     string
	gangOf map[string]string // of every task that asked
}

func (r *caseRun) do(s caseStep) {
	switch s.Do {
	case "schedule":
		r.schedule(s)
		return
	case "delete", "delete_unallocated": // a task that runs, and one that waits for its reservation
		r.k.End(r.gangOf[s.What], s.What)
	case "node_bad":
		r.k.SetBad(s.What + s.Node)
	case "node_healthy":
		r.k.SetHealthy(s.What + s.Node)
	case "look":
	default:
		r.Fatalf("%s: unknown", r.at)
	}
	var want map[string][]string
	if s.Expect == nil {
		return
	}
	if err := json.Unmarshal(s.Expect, &want); err != nil {
		r.Fatal(err)
	}
	for name, status := range want {
		chain, vc, _ := strings.Cut(strings.TrimPrefix(name, "node_cells_of_chain_"), "_in_")
		var got []string
		for _, c := range r.k.NodeCells(vc, chain) {
			got = append(got, fmt.Sprintf("%s/free=%v", map[bool]string{true: "Bad", false: "Healthy"}[c.IsBad], c.IsFree))
		}
		slices.Sort(got)
		if !slices.Equal(got, status) {
			r.Errorf("%s: %s %v, want %v", r.at, name, got, status)
		}
	}
}

func (s caseStep) request(t *testing.T) cells.Request {
	q := cells.Request{Task: s.Pod, Gang: s.Group, VirtualCluster: s.VC, Priority: s.Priority, Devices: s.Devices, DeviceType: s.Type,
		Pinned: s.Pinned, MayLose: s.Lazy, Reserves: s.Phase == "Preempting"}
	if s.Type == "any" {
		q.DeviceType = ""
	}
	for _, m := range s.Members {
		q.Members = append(q.Members, cells.Member{Devices: m.GPUs, Tasks: m.Pods})
	}
	if string(s.Suggested) != `"all"` {
		var nodes struct {
			Only      []string `json:"only"`
			AllExcept []string `json:"all_except"`
		}
		if err := json.Unmarshal(s.Suggested, &nodes); err != nil {
			t.Fatal(err)
		}
		q.IsSuggested = func(n string) bool {
			return slices.Contains(nodes.Only, n) || nodes.Only == nil && !slices.Contains(nodes.AllExcept, n)
		}
	}
	return q
}

func (r *caseRun) schedule(s caseStep) {
	var want caseExpectation
	if err := json.Unmarshal(s.Expect, &want); err != nil {
		r.Fatal(err)
	}
	q := s.request(r.T)
	a, err := r.k.Schedule(q)
	r.gangOf[s.Pod] = s.Group
	r.compare(a, err, want)
	if s.After == "commit" {
		r.k.Start(q, a)
	}
	groups := map[string]string{}
	names := map[cells.GangState]string{cells.Allocated: "Allocated", cells.Preempting: "Preempting", cells.BeingPreempted: "BeingPreempted"}
	for name, g := range r.k.Gangs() {
		groups[name] = names[g.State]
		if g.IsOutside {
			groups[name] += " (outside its VC)"
		}
	}
	if !maps.Equal(groups, want.Groups) {
		r.Errorf("%s: groups %v, want %v", r.at, groups, want.Groups)
	}
}

var errorsByName = map[string]error{"type_not_in_vc": cells.ErrNoDeviceType, "pod_not_member_of_group": cells.ErrNotMember,
	"unknown_pinned_cell": cells.ErrNoPinnedCell, "priority_above_1000": cells.ErrPriority}

var waitsByName = map[string]cells.WaitReason{"insufficient_capacity": cells.NoCapacity, "needs_bad_or_non_suggested_node": cells.NodesBad}

func (r *caseRun) compare(a cells.Answer, err error, want caseExpectation) {
	ok := false
	switch want.Result {
	case "bind":
		ok = err == nil && a.Wait == "" && a.Victims == nil && a.Node == want.Node && slices.Equal(a.Devices, want.Devices) && a.Chain == want.Chain
	case "wait":
		ok = err == nil && a.Wait == waitsByName[want.Why]
	case "preempt":
		ok = err == nil && reflect.DeepEqual(a.Victims, want.Victims) && slices.Equal(a.Nodes, want.Nodes)
	case "preempt_not_reserved_in_this_phase":
		ok = err == nil && slices.Equal(slices.Concat(slices.Collect(maps.Values(a.Victims))...), want.Subset)
	case "user_error":
		ok = errors.Is(err, errorsByName[want.Why]) && err != nil
	}
	if !ok {
		r.Errorf("%s: %+v %v, want %+v", r.at, a, err, want)
	}
}
