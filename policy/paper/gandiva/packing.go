package gandiva

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/blossom"
)

// maxPairCandidates bounds how many jobs are considered for pairs at once.
const maxPairCandidates = 256

// introspect looks at the pairs of the last round and carries over those that
// stay. One that was measured long enough and does not pay is unpacked: it returns
// why, by guest. One whose jobs found GPUs of their own, or are gone, is forgotten.
func (g *Policy) introspect(r *engine.Round, last []pair, next *memo) (unpacked map[policy.JobID]string) {
	unpacked = map[policy.JobID]string{}
	for _, p := range last {
		host, guest := r.Job(p.Host), r.Job(p.Guest)
		if host == nil || guest == nil || guest.HoldsGPUs() && !guest.On.Equal(host.On) {
			continue
		}
		if guest.HoldsGPUs() {
			ran, done := [2]float64{next.secondsRun(host.ID), next.secondsRun(guest.ID)}, [2]float64{stepsDone(host), stepsDone(guest)}
			if !p.IsMeasured {
				p.IsMeasured, p.SecondsRun, p.StepsDone = true, ran, done
			} else if sum, known := pairSpeed(host, guest, p, ran, done); known && sum <= g.Keep && ran[1]-p.SecondsRun[1] >= g.Window.Seconds() {
				unpacked[guest.ID] = fmt.Sprintf("beside job %s both were slower than in turns, %.2f of one alone", host.Label(), sum)
				next.FailedPairs = append(next.FailedPairs, newPairID(host.ID, guest.ID))
				continue
			}
		}
		next.Pairs = append(next.Pairs, p)
	}
	slices.SortFunc(next.FailedPairs, pairID.compare)
	return unpacked
}

func stepsDone(j *policy.Job) float64 {
	if j.Training == nil {
		return 0
	}
	return j.Training.StepsDone
}

// pairSpeed returns the sum of the measured speeds of a pair, each relative to
// being alone.
func pairSpeed(host, guest *policy.Job, p pair, ran, done [2]float64) (sum float64, known bool) {
	for i, j := range []*policy.Job{host, guest} {
		if j.Training == nil || ran[i] <= p.SecondsRun[i] {
			return 0, false
		}
		alone, ok := j.Training.Rate(j.On.FirstType())
		if !ok || alone <= 0 {
			return 0, false
		}
		sum += (done[i] - p.StepsDone[i]) / (ran[i] - p.SecondsRun[i]) / alone
	}
	return sum, true
}

// packJobs makes pairs of the largest sum of speeds, if more is asked than there is.
func (g *Policy) packJobs(r *engine.Round, next *memo, unpacked map[policy.JobID]string) {
	if !g.Pack || !isOversubscribed(r) {
		return
	}
	single := listUnpaired(r, next, unpacked)
	var edges []blossom.Edge
	for a, x := range single {
		for b, y := range single[:a] {
			if _, failed := slices.BinarySearchFunc(next.FailedPairs, newPairID(x.ID, y.ID), pairID.compare); !failed && !(x.HoldsGPUs() && y.HoldsGPUs()) {
				edges = append(edges, blossom.Edge{A: a, B: b, Weight: g.pairGain(x, y)})
			}
		}
	}
	for a, b := range blossom.Match(len(single), edges) {
		if b < a { // none, or the pair was made from its other side
			continue
		}
		host, guest := single[b], single[a]
		if guest.HoldsGPUs() || !host.HoldsGPUs() && guest.ID < host.ID {
			host, guest = guest, host
		}
		next.Pairs = append(next.Pairs, pair{Host: host.ID, Guest: guest.ID})
	}
	slices.SortFunc(next.Pairs, func(a, b pair) int { return cmp.Compare(a.Guest, b.Guest) })
}

// isOversubscribed reports whether the jobs that could run ask for more than there is.
func isOversubscribed(r *engine.Round) bool {
	want := 0.0
	for _, e := range r.Entries {
		if r.MayRun(e) {
			want += e.Ask.GPUs.WholeGPUs()
		}
	}
	return want > r.WholeGPUs()
}

// listUnpaired returns the jobs that accept a neighbour and have none, the one that ran
// least first.
func listUnpaired(r *engine.Round, next *memo, unpacked map[policy.JobID]string) []*engine.Entry {
	paired := map[policy.JobID]bool{}
	for _, p := range next.Pairs {
		paired[p.Host], paired[p.Guest] = true, true
	}
	var single []*engine.Entry
	for _, e := range r.Entries {
		if e.Shareable && !paired[e.ID] && unpacked[e.ID] == "" && r.MayRun(e) && (e.HoldsGPUs() || r.CheckEverFits(e) == nil) {
			single = append(single, e)
		}
	}
	slices.SortFunc(single, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(next.SecondsRun[a.Index], next.SecondsRun[b.Index]), cmp.Compare(a.ID, b.ID))
	})
	return single[:min(len(single), maxPairCandidates)]
}

// pairGain is by how much the speeds of two jobs on the same GPUs exceed one job
// alone: from their profiles, else from how busy they keep their GPUs. Nothing
// known is worth nothing.
func (g *Policy) pairGain(x, y *engine.Entry) float64 {
	typ, ok := commonGPUType(x, y)
	if !ok || x.DeviceCount() != y.DeviceCount() {
		return 0
	}
	a, known := speedBeside(x.Job, y.Class, typ)
	b, knownToo := speedBeside(y.Job, x.Class, typ)
	switch {
	case known && a <= 0 || knownToo && b <= 0:
		return 0 // they do not fit into the GPU's memory together
	case known && knownToo:
		return a + b - g.Keep
	case x.Utilisation.Known && y.Utilisation.Known:
		return 1 - x.Utilisation.Value - y.Utilisation.Value
	}
	return 0
}

// commonGPUType returns the type both could run on: where one runs or what one asks;
// "" when neither says.
func commonGPUType(x, y *engine.Entry) (typ string, ok bool) {
	for _, e := range []*engine.Entry{x, y} {
		is := e.Ask.GPUs.Type
		if e.HoldsGPUs() {
			is = e.On.FirstType()
		}
		if is != "" && typ != "" && is != typ {
			return "", false
		}
		typ = cmp.Or(typ, is)
	}
	return typ, true
}

// speedBeside is the job's profiled speed beside a neighbour of the class, relative
// to being alone.
func speedBeside(j *policy.Job, class, typ string) (float64, bool) {
	if j.Training == nil || class == "" {
		return 0, false
	}
	for _, b := range j.Training.SharedRates {
		if (typ == "" || b.Type == typ) && b.NeighbourClass == class {
			alone, ok := j.Training.Rate(b.Type)
			return b.StepsPerSecond / alone, ok && alone > 0
		}
	}
	return 0, false
}

// memo is what Gandiva remembers: the time every job ran and the pairs.
type memo struct {
	Jobs        []policy.JobID      `json:"jobs"` // sorted
	SecondsRun  []float64           `json:"ran"`  // seconds it ran, and the least of all when it arrived
	Attained    []policy.GPUSeconds `json:"attained"`
	Pairs       []pair              `json:"pairs,omitempty"` // sorted by guest
	FailedPairs []pairID            `json:"bad,omitempty"`   // tried and undone, sorted
}

// pair is two jobs that take their time slices together, the guest on the GPUs of
// the host, and where both were when they were first seen so.
type pair struct {
	Host       policy.JobID `json:"host"`
	Guest      policy.JobID `json:"guest"`
	IsMeasured bool         `json:"seen"`
	StepsDone  [2]float64   `json:"done"` // steps of host and guest when first seen
	SecondsRun [2]float64   `json:"ran"`  // how long they had run then
}

// pairID is two jobs, the smaller id first.
type pairID [2]policy.JobID

func newPairID(a, b policy.JobID) pairID { return pairID{min(a, b), max(a, b)} }

func (d pairID) compare(o pairID) int {
	return cmp.Or(cmp.Compare(d[0], o[0]), cmp.Compare(d[1], o[1]))
}

func recallMemo(s *policy.Snapshot) (*memo, error) {
	m, err := policy.Recall[*memo](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return &memo{}, nil
	case len(m.Jobs) != len(m.SecondsRun) || len(m.Jobs) != len(m.Attained) || !slices.IsSorted(m.Jobs):
		return nil, fmt.Errorf("reading what was remembered: lists of %d jobs do not go together", len(m.Jobs))
	}
	return m, nil
}

// update adds what the jobs ran since the last round. A new job begins with the least
// of all that could run.
func (m *memo) update(r *engine.Round) *memo {
	size := len(r.Entries)
	n := &memo{Jobs: make([]policy.JobID, size), SecondsRun: make([]float64, size), Attained: make([]policy.GPUSeconds, size)}
	least, rows := math.Inf(1), r.JobIndexes(m.Jobs)
	for i, e := range r.Entries {
		n.Jobs[i], n.Attained[i], n.SecondsRun[i] = e.ID, e.Attained, -1
		at := rows[i]
		if at < 0 {
			continue
		}
		n.SecondsRun[i] = m.SecondsRun[at] + e.Ask.GPUs.SecondsForService(e.ServiceSinceAttained(m.Attained[at]))
		if r.MayRun(e) {
			least = min(least, n.SecondsRun[i])
		}
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	for i := range n.SecondsRun {
		if n.SecondsRun[i] < 0 {
			n.SecondsRun[i] = least
		}
	}
	n.FailedPairs = slices.DeleteFunc(slices.Clone(m.FailedPairs), func(d pairID) bool { return r.Job(d[0]) == nil || r.Job(d[1]) == nil })
	return n
}

// secondsRun returns how long a job of this round ran.
func (m *memo) secondsRun(id policy.JobID) float64 {
	i, _ := slices.BinarySearch(m.Jobs, id)
	return m.SecondsRun[i]
}
