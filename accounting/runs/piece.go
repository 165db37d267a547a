package runs

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// piece is a stretch of a run in which it held the same.
type piece struct {
	chunk
	ran   time.Duration // not suspended
	hosts []string
	tres  slurm.TRES
}

// pieces returns what the run held when, as slurmdbd tells it.
func (t *told) pieces() ([]piece, error) {
	var out []piece
	for i := range t.rows {
		r := &t.rows[i]
		start := startOf(r)
		if start.IsZero() || !r.End.After(start) || r.Allocated.GPUs() == 0 {
			continue
		}
		if r.Nodes.Unread != "" {
			return nil, errors.New(r.Nodes.Unread)
		}
		p := piece{chunk{start, r.End}, max(r.End.Sub(start)-r.Suspended, 0), r.Nodes.Names, r.Allocated}
		out = append(out, p)
	}
	return out, nil
}

// stretches returns when the piece ran. slurmdbd tells for how long it was
// suspended, but not when. Polls saw when: their gaps stand if they add up,
// else the longest of them is made as long as slurmdbd says. A suspension that
// nobody saw is put into the middle.
func (p *piece) stretches(old []segment) []chunk {
	suspended := p.stop.Sub(p.start) - p.ran
	if suspended == 0 {
		return []chunk{p.chunk}
	}
	seen := p.union(old)
	sum, gap, from := time.Duration(0), time.Duration(0), p.start.Add((p.ran / 2).Truncate(time.Second))
	last := p.start
	for _, c := range append(slices.Clone(seen), chunk{p.stop, p.stop}) {
		sum += c.stop.Sub(c.start)
		if len(seen) > 0 && c.start.Sub(last) > gap {
			gap, from = c.start.Sub(last), last
		}
		last = c.stop
	}
	if sum == p.ran {
		return seen
	}
	if latest := p.stop.Add(-suspended); from.After(latest) {
		from = latest
	}
	return bounded(chunk{p.start, from}, chunk{from.Add(suspended), p.stop})
}

// union returns when the polls saw the run hold anything within the piece.
func (p *piece) union(old []segment) []chunk {
	var list []chunk
	for _, s := range old {
		if c, ok := p.clip(s.chunk); ok {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b chunk) int { return a.start.Compare(b.start) })
	var out []chunk
	for _, c := range list {
		if n := len(out); n > 0 && !c.start.After(out[n-1].stop) {
			out[n-1].stop = later(out[n-1].stop, c.stop)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// clip returns the part of c within the piece.
func (p *piece) clip(c chunk) (chunk, bool) {
	c.start = later(c.start, p.start)
	if c.stop.IsZero() || c.stop.After(p.stop) {
		c.stop = p.stop
	}
	return c, c.stop.After(c.start)
}

// held returns what the run held in the piece: as the polls saw it, who know
// it node by node, if that agrees with slurmdbd's totals.
func (p *piece) held(old []segment, types map[string]string) []hold {
	var moments []time.Time
	for _, s := range old {
		if c, ok := p.clip(s.chunk); ok {
			moments = append(moments, c.start)
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	for _, t := range moments {
		var set []hold
		for _, s := range old {
			if !s.start.After(t) && (s.stop.IsZero() || s.stop.After(t)) {
				set = append(set, s.hold)
			}
		}
		if p.agrees(set) {
			return set
		}
	}
	return p.spread(types)
}

// agrees reports whether holds are on the piece's nodes and add up to its
// totals. Totals of another number of nodes than are listed are not believed:
// Slurm 26.05 writes those of the last size into the first row of a job that
// was resized and then requeued.
func (p *piece) agrees(set []hold) bool {
	counts, all, nodes := map[string]int{}, 0, map[string]bool{}
	for _, h := range set {
		nodes[h.node] = true
		if !slices.Contains(p.hosts, h.node) {
			return false
		}
		all += h.count
		counts[h.gpu] += h.count
	}
	if n := int(p.tres.Nodes); n != 0 && n != len(p.hosts) && len(nodes) == len(p.hosts) {
		return true
	}
	for _, g := range p.tres.Gres {
		if g.Name == "gpu" && g.Type != "" && counts[g.Type] != g.Count {
			return false
		}
	}
	return all == p.tres.GPUs() && len(nodes) == min(len(p.hosts), all)
}

// spread divides the totals evenly over the nodes, the first ones taking what
// does not divide. Devices whose type slurmdbd does not count get the type
// their node is known to have, if it has one.
func (p *piece) spread(types map[string]string) []hold {
	var out []hold
	for _, all := range p.tres.ByType() {
		for i, host := range p.hosts {
			g := all
			if g.Count = all.Count / len(p.hosts); i < all.Count%len(p.hosts) {
				g.Count++
			}
			if g.Type = cmp.Or(g.Type, types[host]); g.Count > 0 {
				out = append(out, holdOn(host, g))
			}
		}
	}
	return joined(out)
}

// joined adds up holds of one type on one node.
func joined(list []hold) []hold {
	var out []hold
	for _, h := range list {
		i := slices.IndexFunc(out, func(o hold) bool { return o.node == h.node && o.gpu == h.gpu })
		if i >= 0 {
			out[i].count += h.count
		} else {
			out = append(out, h)
		}
	}
	return out
}

// segmentsTold returns a run's segments as they should stand by slurmdbd's
// word. old are those that stand. What lies before the rows stays if they are
// but the later part of the known run k. What lies after them stays if the run
// went on: all of it if it came from slurmdbd, else what it holds still; what
// polls saw it give up later than that they noticed late.
func segmentsTold(t *told, k *rec, old []segment, types map[string]string) ([]segment, error) {
	pieces, err := t.pieces()
	if err != nil {
		return nil, err
	}
	var out []segment
	from, to := t.started(), t.last().End
	for _, s := range old {
		if before := s; k != nil && t.later(k) && s.start.Before(from) {
			if before.stop.IsZero() || before.stop.After(from) {
				before.stop = from
			}
			out = append(out, before)
		}
		if !t.final && s.stop.IsZero() || t.short(k) && s.stop.After(to) {
			s.start = later(s.start, to)
			out = append(out, s)
		}
	}
	for i := range pieces {
		out = append(out, cross(pieces[i].held(old, types), pieces[i].stretches(old))...)
	}
	return out, nil
}
