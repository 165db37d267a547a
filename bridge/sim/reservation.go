package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// Reservation sets whole nodes aside, for maintenance or for jobs that name it
// (Spec.Reservation). Other jobs start there only if their limit ends before.
type Reservation struct {
	Name  string
	Nodes []string // none: all
	From  time.Time
	To    time.Time // zero: without end
	Flags []string  // MAINT, DAILY, … as scontrol takes them
	Users []string  // who may use it; for people to see
}

// reservation is a Reservation with its nodes.
type reservation struct {
	Reservation
	nodes []*node
}

// Reserve makes a reservation, or replaces the one of the same name.
func (w *World) Reserve(r Reservation) error {
	x := &reservation{Reservation: r}
	for _, name := range r.Nodes {
		if w.byName[name] == nil {
			return problem(BadNode, "Invalid node name specified")
		}
	}
	for _, n := range w.nodes {
		if len(r.Nodes) == 0 || contains(r.Nodes, n.Name) {
			x.nodes = append(x.nodes, n)
		}
	}
	w.Unreserve(r.Name)
	w.asides = append(w.asides, x)
	slices.SortFunc(w.asides, func(a, b *reservation) int { return cmp.Compare(a.Name, b.Name) })
	w.logf("reservation %s of %v from %s to %s", r.Name, r.Nodes, stamp(r.From), stamp(r.To))
	w.aside(x)
	return nil
}

// Unreserve ends a reservation, if there is one of the name.
func (w *World) Unreserve(name string) {
	w.asides = slices.DeleteFunc(w.asides, func(r *reservation) bool { return r.Name == name })
	w.touch()
	w.wake()
}

// aside waits for the reservation to begin and to end; one that recurs moves on
// then.
func (w *World) aside(r *reservation) {
	w.At(r.From, w.touch)
	if r.To.IsZero() {
		return
	}
	w.At(r.To, func() {
		if !slices.Contains(w.asides, r) || r.To.After(w.Now()) {
			return
		}
		shown := r.show()
		if from, to, ok := shown.Next(r.From, r.To); ok {
			r.From, r.To = from, to
			w.aside(r)
		} else {
			w.asides = slices.DeleteFunc(w.asides, func(x *reservation) bool { return x == r })
		}
		w.touch()
		w.wake()
	})
}

// closed returns the reservation that keeps a job off a node if it starts now;
// nil: none.
func (w *World) closed(n *node, j *job) *reservation {
	for _, r := range w.asides {
		if r.Name != j.spec.Reservation && slices.Contains(r.nodes, n) &&
			r.From.Before(w.Now().Add(j.length())) && (r.To.IsZero() || r.To.After(w.Now())) {
			return r
		}
	}
	return nil
}

// openTo returns those of the nodes that no reservation keeps the job off. ok is
// false, with Slurm's reason, when a node it requires is none of them, or a
// maintenance takes the whole partition.
func (w *World) openTo(j *job, p *partition, list []*node) (open []*node, reason string, ok bool) {
	if len(w.asides) == 0 {
		return list, "", true
	}
	for _, n := range list {
		r := w.closed(n, j)
		switch {
		case r == nil:
			open = append(open, n)
		case contains(j.spec.Required, n.Name), contains(r.Flags, "MAINT") && len(r.nodes) >= len(p.nodes):
			return nil, "ReqNodeNotAvail", false
		}
	}
	return open, "", true
}

// within leaves the nodes of the job's own reservation.
func (w *World) within(j *job, list []*node) []*node {
	if j.spec.Reservation == "" {
		return list
	}
	i := slices.IndexFunc(w.asides, func(r *reservation) bool { return r.Name == j.spec.Reservation })
	return slices.DeleteFunc(list, func(n *node) bool { return i < 0 || !slices.Contains(w.asides[i].nodes, n) })
}

// reserved says why a job waits for its own reservation; "" when it does not.
func (w *World) reserved(j *job) string {
	for _, r := range w.asides {
		if r.Name == j.spec.Reservation && r.From.After(w.Now()) {
			return "Reservation"
		}
	}
	return ""
}

// shut takes the nodes that are set aside out of the future.
func (w *World) shut(f *future) {
	for _, r := range w.asides {
		from, to := max(r.From.UnixNano(), f.now), int64(never)
		if !r.To.IsZero() {
			to = r.To.UnixNano()
			f.times = append(f.times, to)
		}
		for _, n := range r.nodes {
			if to > from {
				f.nodes[n.index].shut(from, to)
			}
		}
	}
}

// shut leaves nothing between two moments.
func (t *timeline) shut(from, to int64) {
	i := t.split(from)
	k := len(*t)
	if to < never {
		k = t.split(to)
	}
	for ; i < k; i++ {
		(*t)[i].room = room{jobs: 1}
	}
}

// Reservations returns every reservation as Slurm shows it, by name.
func (w *World) Reservations() []slurm.Reservation {
	out := make([]slurm.Reservation, len(w.asides))
	for i, r := range w.asides {
		out[i] = r.show()
	}
	return out
}

func (r *reservation) show() slurm.Reservation {
	names, cpus := make([]string, len(r.nodes)), 0
	for i, n := range r.nodes {
		names[i] = n.Name
		cpus += n.CPUs
	}
	flags := slices.Clone(r.Flags)
	slices.Sort(flags)
	return slurm.Reservation{
		Name: r.Name, Nodes: slurm.HostsOf(names), Start: r.From.Truncate(time.Second), End: r.To.Truncate(time.Second),
		Flags: flags, Cores: cpus, NodeCount: len(r.nodes), TRES: "cpu=" + itoa(cpus), Users: slices.Clone(r.Users),
	}
}

// flagOf returns the word Slurm shows of a node that is set aside now; "" for
// others.
func (w *World) flagOf(n *node) string {
	flag := ""
	for _, r := range w.asides {
		if slices.Contains(r.nodes, n) && !r.From.After(w.Now()) {
			if contains(r.Flags, "MAINT") {
				return "MAINTENANCE"
			}
			flag = "RESERVED"
		}
	}
	return flag
}

// flags are the node's, by name.
func (w *World) flags(n *node) []string {
	words := strings.Fields(strings.Join(n.flags(), " ") + " " + w.flagOf(n))
	slices.Sort(words)
	if len(words) == 0 {
		return nil
	}
	return words
}
