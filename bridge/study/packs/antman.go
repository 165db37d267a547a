package packs

import (
	"cmp"
	"slices"
)

// What a job adds to the use of each of its GPUs. The rounding of their sums decides ties, so that
// they are added and taken away as the simulator does.
var (
	heldUse, startedUse = func() (float64, float64) { all, started := .1, .01; return all - started, started }()
	guaranteedUse       = .1
	opportunisticUse    = .9
)

// mostUse is below what an opportunistic job finds a GPU too busy at.
const mostUse = .8

// AntMan runs jobs in the order of their arrival, those of guaranteed resources before the
// opportunistic ones, which run on GPUs beside them and are slowed. It never stops nor moves a job.
func AntMan() System { return System{Name: "antman", Rule: &antman{held: map[*Job][]*device{}}} }

// device is a GPU under AntMan.
type device struct {
	node       int
	guaranteed *Job // nil: none
	use        float64
}

// antman is AntMan under way.
type antman struct {
	devices []*device          // node by node
	nodes   [][]*device        // the same
	held    map[*Job][]*device // of each job, also of one that still waits for more
	running map[*Job]bool
}

// Choose implements Rule.
func (r *antman) Choose(m *Moment) ([]Pack, error) {
	if r.devices == nil {
		r.load(m.Cluster)
	}
	slices.SortStableFunc(m.Active, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.priority(), b.priority()), cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.Order, b.Order))
	})
	var packs []Pack
	for _, j := range m.Active {
		if !r.running[j] {
			r.running[j] = r.place(j)
		}
	}
	for _, j := range m.Active {
		if r.running[j] {
			p := Alone(j)
			p.StepSeconds = r.stepSeconds(j)
			packs = append(packs, p)
		}
	}
	return packs, nil
}

func (r *antman) load(c *Cluster) {
	r.running, r.nodes = map[*Job]bool{}, make([][]*device, c.NodeCount())
	for n := range r.nodes {
		for range c.GPUsPerNode {
			d := &device{node: n}
			r.devices, r.nodes[n] = append(r.devices, d), append(r.nodes[n], d)
		}
	}
}

// isOpportunistic reports whether the job runs on what others leave.
func (j *Job) isOpportunistic() bool { return j.Sharing != nil && j.Sharing.IsOpportunistic }

func (j *Job) priority() int {
	if j.isOpportunistic() {
		return 1
	}
	return 0
}

// place gives a job that does not run GPUs, and reports whether it runs now. A guaranteed job keeps
// what it gets until it has all.
func (r *antman) place(j *Job) bool {
	switch {
	case j.isOpportunistic():
		return r.placeOpportunistic(j)
	case j.GPUs > len(r.nodes[0]):
		r.holdWholeNodes(j)
	case len(r.held[j]) > 0:
		r.hold(j, r.nodes[r.held[j][0].node])
	default:
		r.hold(j, r.bestNode(j.GPUs))
	}
	if len(r.held[j]) < j.GPUs {
		return false
	}
	for _, d := range r.held[j] {
		d.use += startedUse
	}
	return true
}

// placeOpportunistic takes the least used GPUs, on any nodes.
func (r *antman) placeOpportunistic(j *Job) bool {
	var candidates []*device
	for _, d := range r.devices {
		if d.use < mostUse {
			candidates = append(candidates, d)
		}
	}
	if len(candidates) < j.GPUs {
		return false
	}
	slices.SortStableFunc(candidates, func(a, b *device) int { return cmp.Compare(a.use, b.use) })
	r.held[j] = candidates[:j.GPUs]
	for _, d := range r.held[j] {
		d.use += opportunisticUse
	}
	return true
}

// bestNode is the first node where a guaranteed job finds so many GPUs, else the one where it
// finds most.
func (r *antman) bestNode(gpus int) []*device {
	best, most := r.nodes[0], -1
	for _, node := range r.nodes {
		n := countAvailable(node)
		if n >= gpus {
			return node
		}
		if n > most {
			best, most = node, n
		}
	}
	return best
}

// countAvailable counts the GPUs without a guaranteed job.
func countAvailable(node []*device) int {
	n := 0
	for _, d := range node {
		if d.guaranteed == nil {
			n++
		}
	}
	return n
}

// hold gives the job what it lacks of the GPUs of a node, as far as there are some.
func (r *antman) hold(j *Job, node []*device) {
	for _, d := range node {
		if d.guaranteed == nil && len(r.held[j]) < j.GPUs {
			d.guaranteed = j
			d.use += heldUse
			r.held[j] = append(r.held[j], d)
		}
	}
}

// holdWholeNodes gives the job nodes on which no guaranteed job is.
func (r *antman) holdWholeNodes(j *Job) {
	for _, node := range r.nodes {
		if countAvailable(node) == len(node) && len(r.held[j]) < j.GPUs {
			r.hold(j, node)
		}
	}
}

// Left implements Leaver.
func (r *antman) Left(j *Job) {
	for _, d := range r.held[j] {
		if j.isOpportunistic() {
			d.use -= opportunisticUse
			continue
		}
		d.use -= guaranteedUse
		d.guaranteed = nil
	}
	delete(r.held, j)
	delete(r.running, j)
}
