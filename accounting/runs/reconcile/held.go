package reconcile

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// heldInterval is a stretch of a run in which it held the same.
type heldInterval struct {
	Span
	runTime time.Duration // not suspended
	hosts   []string
	tres    slurm.TRES
}

// heldIntervals returns what the run held when, as slurmdbd tells it.
func (t *DBDRun) heldIntervals() ([]heldInterval, error) {
	var out []heldInterval
	for i := range t.Rows {
		r := &t.Rows[i]
		start := startOfDBDRow(r)
		if start.IsZero() || !r.End.After(start) || r.AllocatedTRES.GPUCount() == 0 {
			continue
		}
		if r.Nodes.UnreadReason != "" {
			return nil, errors.New(r.Nodes.UnreadReason)
		}
		p := heldInterval{Span{start, r.End}, max(r.End.Sub(start)-r.SuspendedTime, 0), r.Nodes.Names, r.AllocatedTRES}
		out = append(out, p)
	}
	return out, nil
}

// runningSpans returns when the run ran in the interval. slurmdbd tells for how long it was
// suspended, but not when. Polls saw when: their gaps stand if they add up,
// else the longest of them is made as long as slurmdbd says. A suspension that
// nobody saw is put into the middle.
func (iv *heldInterval) runningSpans(old []Segment) []Span {
	suspended := iv.Stop.Sub(iv.Start) - iv.runTime
	if suspended == 0 {
		return []Span{iv.Span}
	}
	seen := iv.seenSpans(old)
	sum, gap, from := time.Duration(0), time.Duration(0), iv.Start.Add((iv.runTime / 2).Truncate(time.Second))
	last := iv.Start
	for _, c := range append(slices.Clone(seen), Span{iv.Stop, iv.Stop}) {
		sum += c.Stop.Sub(c.Start)
		if len(seen) > 0 && c.Start.Sub(last) > gap {
			gap, from = c.Start.Sub(last), last
		}
		last = c.Stop
	}
	if sum == iv.runTime {
		return seen
	}
	if latest := iv.Stop.Add(-suspended); from.After(latest) {
		from = latest
	}
	return dropEmptySpans(Span{iv.Start, from}, Span{from.Add(suspended), iv.Stop})
}

// seenSpans returns when the polls saw the run hold anything within the interval.
func (iv *heldInterval) seenSpans(old []Segment) []Span {
	var list []Span
	for _, s := range old {
		if c, ok := iv.clipToInterval(s.Span); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Span) int { return a.Start.Compare(b.Start) })
	var out []Span
	for _, c := range list {
		if n := len(out); n > 0 && !c.Start.After(out[n-1].Stop) {
			out[n-1].Stop = policy.Later(out[n-1].Stop, c.Stop)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// clipToInterval returns the part of c within the interval.
func (iv *heldInterval) clipToInterval(c Span) (Span, bool) {
	c.Start = policy.Later(c.Start, iv.Start)
	if c.Stop.IsZero() || c.Stop.After(iv.Stop) {
		c.Stop = iv.Stop
	}
	return c, c.Stop.After(c.Start)
}

// holdingsByPolls returns what the run held in the interval: as the polls saw it, who know
// it node by node, if that agrees with slurmdbd's totals.
func (iv *heldInterval) holdingsByPolls(old []Segment, types map[string]string) []Holding {
	var moments []time.Time
	for _, s := range old {
		if c, ok := iv.clipToInterval(s.Span); ok {
			moments = append(moments, c.Start)
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	for _, t := range moments {
		var set []Holding
		for _, s := range old {
			if !s.Start.After(t) && (s.Stop.IsZero() || s.Stop.After(t)) {
				set = append(set, s.Holding)
			}
		}
		if iv.matchesTotals(set) {
			return set
		}
	}
	return iv.spreadEvenly(types)
}

// matchesTotals reports whether holdings are on the interval's nodes and add up to its
// totals. Totals of another number of nodes than are listed are not believed:
// Slurm 26.05 writes those of the last size into the first row of a job that
// was resized and then requeued.
func (iv *heldInterval) matchesTotals(set []Holding) bool {
	counts, all, nodes := map[string]int{}, 0, map[string]bool{}
	for _, h := range set {
		nodes[h.Node] = true
		if !slices.Contains(iv.hosts, h.Node) {
			return false
		}
		all += h.DeviceCount
		counts[h.GPUType] += h.DeviceCount
	}
	if n := int(iv.tres.NodeCount); n != 0 && n != len(iv.hosts) && len(nodes) == len(iv.hosts) {
		return true
	}
	for _, g := range iv.tres.Gres {
		if g.Name == "gpu" && g.Type != "" && counts[g.Type] != g.Count {
			return false
		}
	}
	return all == iv.tres.GPUCount() && len(nodes) == min(len(iv.hosts), all)
}

// spreadEvenly divides the totals evenly over the nodes, the first ones taking what
// does not divide. Devices whose type slurmdbd does not count get the type
// their node is known to have, if it has one.
func (iv *heldInterval) spreadEvenly(types map[string]string) []Holding {
	var out []Holding
	for _, all := range iv.tres.GPUsByType() {
		for i, host := range iv.hosts {
			g := all
			if g.Count = all.Count / len(iv.hosts); i < all.Count%len(iv.hosts) {
				g.Count++
			}
			if g.Type = cmp.Or(g.Type, types[host]); g.Count > 0 {
				out = append(out, newHolding(host, g))
			}
		}
	}
	return sumHoldings(out)
}

// sumHoldings adds up holdings of one type on one node.
func sumHoldings(list []Holding) []Holding {
	var out []Holding
	for _, h := range list {
		i := slices.IndexFunc(out, func(o Holding) bool { return o.Node == h.Node && o.GPUType == h.GPUType })
		if i >= 0 {
			out[i].DeviceCount += h.DeviceCount
		} else {
			out = append(out, h)
		}
	}
	return out
}

// segmentsOfRun returns a run's segments as they should stand by slurmdbd's
// word. old are those that stand. What lies before the rows stays if they are
// but the later part of the known run k. What lies after them stays if the run
// went on: all of it if it came from slurmdbd, else what it holds still; what
// polls saw it give up later than that they noticed late.
func segmentsOfRun(t *DBDRun, k *StoredRun, old []Segment, types map[string]string) ([]Segment, error) {
	intervals, err := t.heldIntervals()
	if err != nil {
		return nil, err
	}
	var out []Segment
	from, to := t.startTime(), t.lastRow().End
	for _, s := range old {
		if before := s; k != nil && t.isLaterPartOf(k) && s.Start.Before(from) {
			if before.Stop.IsZero() || before.Stop.After(from) {
				before.Stop = from
			}
			out = append(out, before)
		}
		if !t.isFinal && s.Stop.IsZero() || t.isLessKnownThan(k) && s.Stop.After(to) {
			s.Start = policy.Later(s.Start, to)
			out = append(out, s)
		}
	}
	for i := range intervals {
		out = append(out, combineToSegments(intervals[i].holdingsByPolls(old, types), intervals[i].runningSpans(old))...)
	}
	return out, nil
}
