package cells

import (
	"fmt"
	"slices"
)

// Schedule finds the place of a task. Its caller calls Start when the task takes it. Gangs that
// lost their virtual cells to it have lost them from now on.
func (k *Cluster) Schedule(r Request) (Answer, error) {
	t, err := k.check(&r)
	if err != nil {
		return Answer{}, err
	}
	if g := k.gangs[r.Gang]; g != nil {
		if g.state != Preempting {
			return g.answer(&r)
		}
		if !r.Reserves || g.isFit(r.suggested()) {
			g.waiting[r.Task] = true
			return g.answer(&r)
		}
		k.cancel(g)
	}
	g, why, err := k.find(t, &r)
	if g == nil {
		return Answer{Wait: why}, err
	}
	for _, ch := range k.chains { // its caller may change what is suggested
		ch.view.catchUp()
	}
	if r.Reserves {
		k.reserveFor(g, r.Task)
	}
	return g.answer(&r)
}

// reserveFor cancels reservations that overlap the gang's place, and reserves it where others have to
// leave.
func (k *Cluster) reserveFor(g *gang, task string) {
	inUse := false
	g.eachDevice(func(d, _ *cell) {
		if d.next != nil {
			k.cancel(d.next)
		}
		inUse = inUse || d.user != nil
	})
	if inUse {
		g.waiting = map[string]bool{task: true}
		k.reserve(g)
	}
}

// isFit reports whether all nodes of a gang are healthy and suggested.
func (g *gang) isFit(suggested func(string) bool) bool {
	fit := true
	g.eachDevice(func(d, _ *cell) { fit = fit && !d.isBad && suggested(d.nodes[0]) })
	return fit
}

// find finds places for all tasks of a new gang.
func (k *Cluster) find(t *tenant, r *Request) (*gang, WaitReason, error) {
	if r.Pinned != "" {
		g, why := k.findGuaranteed(t, t.pinned[r.Pinned], r)
		return g, why, nil
	}
	types, hasType, why := k.deviceTypes, false, NoCapacity
	if r.DeviceType != "" {
		types = []string{r.DeviceType}
	}
	for _, deviceType := range types {
		for _, ch := range k.chainOrder[deviceType] {
			pool := t.pools[ch.name]
			if pool == nil && r.Priority >= MinPriority {
				continue
			}
			hasType = true
			var g *gang
			if r.Priority >= MinPriority {
				g, why = k.findGuaranteed(t, pool, r)
			} else {
				g, why = r.findOpportunistic(t, ch)
			}
			if g != nil {
				return g, "", nil
			}
		}
	}
	if !hasType && r.DeviceType != "" {
		return nil, "", fmt.Errorf("virtual cluster %s, %s: %w", r.VirtualCluster, r.DeviceType, ErrNoDeviceType)
	}
	return nil, why, nil
}

func (r *Request) newGang(t *tenant) *gang {
	return &gang{name: r.Gang, tenant: t, priority: r.Priority, mayLose: r.MayLose}
}

func (r *Request) findOpportunistic(t *tenant, ch *chain) (*gang, WaitReason) {
	devices, why := ch.view.placeUnlessFailed(r)
	if devices == nil {
		return nil, why
	}
	g := r.newGang(t)
	for _, d := range devices {
		g.slots = append(g.slots, slot{devices: d})
	}
	return g, ""
}

// findGuaranteed finds a place in a pool of virtual cells, and maps it to physical ones.
func (k *Cluster) findGuaranteed(t *tenant, pool *virtualPool, r *Request) (*gang, WaitReason) {
	virtual, why := pool.view.place(r.sizes(), r.Priority, r.suggested())
	if virtual == nil {
		return nil, why
	}
	undo := k.expelFrom(slices.Concat(virtual...))
	found := mapDevices(pool.chain, slices.Concat(virtual...), r.suggested())
	if found == nil {
		undo()
		return nil, NodesBad
	}
	g := r.newGang(t)
	for _, v := range virtual {
		s := slot{virtual: v}
		for _, c := range v {
			s.devices = append(s.devices, found[c])
		}
		g.slots = append(g.slots, s)
	}
	return g, ""
}

// expelFrom takes the virtual cells of gangs that run on the devices and may lose them.
func (k *books) expelFrom(virtual []*cell) (undo func()) {
	var all []func()
	for _, v := range virtual {
		if d := v.counter; d != nil && d.state == stateUsed && d.user.mayLose {
			all = append(all, k.expel(d.user))
		}
	}
	return func() {
		for _, f := range slices.Backward(all) {
			f()
		}
	}
}

// answer tells a task of a gang its place.
func (g *gang) answer(r *Request) (Answer, error) {
	i := g.freeSlot(r.Devices)
	if i < 0 {
		if slices.ContainsFunc(g.slots, func(s slot) bool { return len(s.devices) == r.Devices }) {
			return Answer{}, fmt.Errorf("task %s of gang %s: %w", r.Task, r.Gang, ErrTooManyTasks)
		}
		return Answer{}, fmt.Errorf("task %s of gang %s: %w", r.Task, r.Gang, ErrNotMember)
	}
	a := Answer{Node: g.slots[i].devices[0].nodes[0], Chain: g.slots[i].devices[0].chain.name, Victims: g.victims(), gang: g}
	for _, d := range g.slots[i].devices {
		a.Devices = append(a.Devices, d.index)
	}
	for _, s := range g.slots {
		a.Nodes = append(a.Nodes, s.devices[0].nodes[0])
	}
	return a, nil
}

// victims are the tasks by node, all of gangs that use devices of the place of this one.
func (g *gang) victims() map[string][]string {
	seen := map[*gang]bool{g: true}
	var out map[string][]string
	g.eachDevice(func(d, _ *cell) {
		if d.user == nil || seen[d.user] {
			return
		}
		seen[d.user] = true
		for _, s := range d.user.slots {
			if s.task == "" {
				continue
			}
			if out == nil {
				out = map[string][]string{}
			}
			node := s.devices[0].nodes[0]
			out[node] = append(out[node], s.task)
		}
	})
	return out
}

// Start says that a task has taken its place.
func (k *Cluster) Start(r Request, a Answer) {
	g := a.gang
	for _, ch := range k.chains {
		ch.view.forgetFailures()
	}
	switch {
	case k.gangs[g.name] == nil:
		k.start(g)
	case g.state == Preempting:
		k.fulfil(g)
	}
	if i := g.freeSlot(r.Devices); i >= 0 {
		g.slots[i].task = r.Task
	}
}

// End says that a task of a gang has ended, or that it waits no more. The gang's cells are free
// when all its tasks have ended.
func (k *Cluster) End(gangName, task string) {
	g := k.gangs[gangName]
	if g == nil {
		return
	}
	if g.state == Preempting {
		if delete(g.waiting, task); len(g.waiting) == 0 {
			k.cancel(g)
		}
		return
	}
	left := false
	for i := range g.slots {
		if g.slots[i].task == task {
			g.slots[i].task = ""
		}
		left = left || g.slots[i].task != ""
	}
	if !left {
		k.end(g)
	}
}
