package window

import (
	"fairbridge/policy"
)

// lane is a GPU type and the jobs that compete for it.
type lane struct {
	typ   string
	whole bool // not slices of GPUs
	gpus  int
	jobs  []*policy.Entry
	index []int // where they stand among all
}

func (l *lane) takes(typ string) bool { return typ == l.typ || typ == "" && l.whole }

// lanes sends each job to the GPU type it asks for; one that takes any, to the
// type with fewest GPUs asked for per GPU so far.
func lanes(r *policy.Round, jobs []*policy.Entry) []lane {
	all := capacities(r)
	asked := make([]int, len(all))
	for i, e := range jobs {
		at := -1
		for l := range all {
			switch {
			case !all[l].takes(e.Ask.GPUs.Type):
			case at < 0 || (asked[l]+e.Has())*all[at].gpus < (asked[at]+e.Has())*all[l].gpus:
				at = l
			}
		}
		if at < 0 {
			continue // nowhere
		}
		asked[at] += e.Has()
		all[at].jobs, all[at].index = append(all[at].jobs, e), append(all[at].index, i)
	}
	return all
}

// capacities returns the GPUs of each type that may be granted, in order of
// nodes and types.
func capacities(r *policy.Round) []lane {
	var all []lane
	of := func(typ string) *lane {
		for i := range all {
			if all[i].typ == typ {
				return &all[i]
			}
		}
		all = append(all, lane{typ: typ})
		return &all[len(all)-1]
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			of(d.Type).whole = d.Part == 0 || d.Part == 100
		}
	}
	for i := range all {
		all[i].gpus = r.Free.Total(all[i].typ)
	}
	for _, e := range r.Active() {
		if competes(r, e) {
			for _, slot := range e.On {
				of(slot.Type).gpus += slot.Count
			}
		}
	}
	for i := range all {
		all[i].gpus = max(all[i].gpus, 0) // sick devices may be held by more than there are
	}
	return all
}
