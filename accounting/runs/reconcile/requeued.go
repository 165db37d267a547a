package reconcile

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm"
)

// splitAtRequeues divides runs that slurmdbd took for one where polls saw several, of which
// every later one has more restarts. Slurm 22.05 does not forget that a job was resized:
// when it is requeued, all its later runs are written into the row of the resized one, from the
// moment of the resize to the end of the last, the waits between them too.
func splitAtRequeues(list []DBDRun, past []*StoredRun, segs map[RunKey][]Segment) []DBDRun {
	var out []DBDRun
	for i := range list {
		seen := list[i].listStoredRunsWithin(past)
		if len(seen) < 2 {
			out = append(out, list[i])
			continue
		}
		for n, k := range seen {
			out = append(out, list[i].partSeenAs(k, n == 0, n == len(seen)-1, segs[k.RunKey]))
		}
	}
	return out
}

// listStoredRunsWithin lists the known runs, sorted by restarts, that ran one after the other
// within what is one resized run to slurmdbd; nil where it is one.
func (t *DBDRun) listStoredRunsWithin(past []*StoredRun) []*StoredRun {
	last := t.lastRow()
	if !t.isFinal || last.Start.IsZero() || len(t.Rows) == 1 && !last.Start.Equal(last.Submit) {
		return nil // not resized
	}
	var seen []*StoredRun
	for _, k := range past {
		if k.Started != nil && k.User == value.ValidText(last.User) && k.Started.Before(last.End) && (k.Ended == nil || k.Ended.After(last.Start)) {
			seen = append(seen, k)
		}
	}
	slices.SortFunc(seen, func(a, b *StoredRun) int { return cmp.Compare(a.Restarts, b.Restarts) })
	for i := 1; i < len(seen); i++ {
		was, next := seen[i-1], seen[i]
		if was.Restarts == next.Restarts || was.Ended == nil || was.Ended.After(*next.Started) {
			return nil
		}
	}
	return seen
}

// partSeenAs returns the part of slurmdbd's run that polls saw as a run of its own: first and
// last say where it is among them.
func (t *DBDRun) partSeenAs(k *StoredRun, isFirst, isLast bool, segs []Segment) DBDRun {
	row := *t.lastRow()
	part := DBDRun{isFinal: true}
	if isFirst {
		part.Rows = slices.Clone(t.Rows[:len(t.Rows)-1])
	} else {
		row.Submit, row.Start, row.Restarts = time.Unix(k.Submit, 0).UTC(), *k.Started, k.Restarts
	}
	if !isLast {
		row.End, row.State = *k.Ended, cmp.Or(k.State, requeuedState)
	}
	if nodes := nodesOfSegments(segs); len(nodes) > 0 && !isFirst {
		row.Nodes = slurm.HostsFromNames(nodes)
	}
	part.Rows = append(part.Rows, row)
	return part
}

func nodesOfSegments(segs []Segment) []string {
	var out []string
	for i := range segs {
		out = append(out, segs[i].Node)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
