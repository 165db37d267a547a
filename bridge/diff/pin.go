package diff

import (
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// pins names the nodes of jobs that are about to start on nodes that are free
// now, and gives the user's own list back to those that did not start there.
// Required nodes are a must-have set: only a job whose node count is the
// plan's can be pinned, and an unsplit array cannot, since the pin would bind
// all its tasks.
func (d *differ) pins() {
	for _, dec := range d.line {
		j := d.View.Job(int64(dec.Job))
		in := d.Book.Standing(j.Run(), slurm.FieldRequired, d.View.At)
		switch {
		case dec.Verb == policy.Start && d.pinnable(j, dec):
			d.pin(j, in, dec)
		case in != nil:
			d.giveBack(j, in, "it did not start on the nodes named for it: its own node list is given back")
		}
	}
}

func (d *differ) pinnable(j *slurm.Job, dec policy.Decision) bool {
	nodes := dec.On.Nodes()
	return d.Pin && !j.Unsplit() && len(nodes) > 0 && len(nodes) == max(j.NodeCount, 1) &&
		d.Snapshot.Job(dec.Job).Unplaced == "" && Free(d.View, dec.On)
}

// Free reports whether the view shows the devices as free already. A job pinned
// to a busy node would wait while others take what it waits for.
func Free(v *slurm.View, on policy.Alloc) bool {
	for _, slot := range on {
		i := slices.IndexFunc(v.Nodes, func(n slurm.Node) bool { return n.Name == slot.Node })
		if i < 0 || v.Nodes[i].Free(slot.Type) < slot.Count {
			return false
		}
	}
	return true
}

func (d *differ) pin(j *slurm.Job, in *bridge.Intent, dec policy.Decision) {
	nodes := dec.On.Nodes()
	if j.Required.Same(nodes) {
		return
	}
	if in == nil && !within(j.Required, nodes) {
		return // the user's own list says otherwise
	}
	d.add(j, slurm.Edit{Kind: slurm.Require, Nodes: nodes, Why: dec.Why})
}

// within reports whether every host of the list, if any, is among nodes.
func within(list slurm.Hosts, nodes []string) bool {
	return list.Unread == "" && !slices.ContainsFunc(list.Names, func(h string) bool { return !slices.Contains(nodes, h) })
}
