package gate

import (
	"slices"
	"time"

	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

// asideAge is how long what is known of reservations is good enough to stop
// a job by.
const asideAge = 10 * time.Minute

// inTime says why a run from a moment on reaches into a time in which one of
// the nodes is set aside (I21).
func (f *facts) inTime(p *policy.Job, on policy.Alloc, from time.Time) *denial {
	for _, name := range on.Nodes() {
		n := f.Snapshot.Node(name)
		if n == nil {
			continue
		}
		if w, _, _ := n.Aside(from, p.Limit); w != nil {
			return deny(invariant.SetAside, "with its limit of %v it reaches into %v on node %s at %s", p.Limit, w, name, stamp(w.From))
		}
	}
	return nil
}

// stopTime is when who is stopped for could start, as far as its limit counts: a
// requeue takes effect within two intervals.
func (f *facts) stopTime() time.Time { return f.at.Add(2 * f.Interval) }

// startsInTime says why the job that a gang is stopped for would not start (I8,
// I21).
func (g *stopper) startsInTime(x gang) *denial {
	if v := g.View; v.ReservationsStale != "" && v.At.Sub(v.ReservedAt) > asideAge {
		return deny(invariant.SetAside, "it is not known which nodes are set aside: %s", v.ReservationsStale)
	}
	to, d := g.job(int64(x.to)), g.decision(x.to)
	if j := g.View.Job(int64(x.to)); j != nil && j.Pending() && j.NodesUnavailable() {
		return deny(invariant.StopPurpose, "Slurm says ReqNodeNotAvail of job %d: its nodes are reserved or down", x.to)
	}
	return g.inTime(to, d.On, g.stopTime())
}

// comesBack says why a job that is stopped could not start again, whatever runs,
// before nodes are set aside (I21).
func (f *facts) comesBack(p *policy.Job) *denial {
	var kept *denial
	for i := range f.Snapshot.Nodes {
		n := &f.Snapshot.Nodes[i]
		if !n.In(p.Partition) || n.Down != "" || slices.Contains(p.Ask.Exclude, n.Name) || !offers(n, p) {
			continue
		}
		w, _, _ := n.Aside(f.stopTime(), p.Limit)
		if w == nil {
			return nil
		}
		kept = deny(invariant.SetAside, "with its limit of %v it could not start again before %v at %s", p.Limit, w, stamp(w.From))
	}
	return kept
}

// offers reports whether the node has devices and features that the job takes.
func offers(n *policy.Node, p *policy.Job) bool {
	for _, f := range p.Ask.Features {
		if !slices.Contains(n.Features, f) {
			return false
		}
	}
	return slices.ContainsFunc(n.GPUs, func(d policy.Devices) bool {
		return d.Count > d.Sick && (p.Ask.GPUs.Type == "" || p.Ask.GPUs.Type == d.Type)
	})
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
