package golden

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"fairbridge/lab/packs"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
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

// newAntMan returns a system that runs jobs in the order of their arrival, those of guaranteed resources before the
// opportunistic ones, which run on GPUs beside them and are slowed. It never stops nor moves a job.
func newAntMan() packs.System {
	return packs.System{Name: "antman", Rule: &antman{held: map[*packs.Job][]*antmanDevice{}}}
}

// antmanDevice is a GPU under AntMan.
type antmanDevice struct {
	node       int
	guaranteed *packs.Job // nil: none
	use        float64
}

// antman is AntMan under way.
type antman struct {
	antmanDevices []*antmanDevice                // node by node
	nodes         [][]*antmanDevice              // the same
	held          map[*packs.Job][]*antmanDevice // of each job, also of one that still waits for more
	running       map[*packs.Job]bool
}

// Choose implements packs.Rule.
func (r *antman) Choose(m *packs.Moment) ([]packs.Pack, error) {
	if r.antmanDevices == nil {
		r.load(m.Cluster)
	}
	slices.SortStableFunc(m.Active, func(a, b *packs.Job) int {
		return cmp.Or(
			cmp.Compare(antmanPriority(a), antmanPriority(b)),
			cmp.Compare(a.Arrive, b.Arrive), cmp.Compare(a.Order, b.Order),
		)
	})
	var chosen []packs.Pack
	for _, j := range m.Active {
		if !r.running[j] {
			r.running[j] = r.place(j)
		}
	}
	for _, j := range m.Active {
		if r.running[j] {
			p := packs.Alone(j)
			p.StepSeconds = r.stepSeconds(j)
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

func (r *antman) load(c *packs.Cluster) {
	r.running, r.nodes = map[*packs.Job]bool{}, make([][]*antmanDevice, c.NodeCount())
	for n := range r.nodes {
		for range c.GPUsPerNode {
			d := &antmanDevice{node: n}
			r.antmanDevices, r.nodes[n] = append(r.antmanDevices, d), append(r.nodes[n], d)
		}
	}
}

// isOpportunistic reports whether the job runs on what others leave.
func isOpportunistic(j *packs.Job) bool { return j.Sharing != nil && j.Sharing.IsOpportunistic }

func antmanPriority(j *packs.Job) int {
	if isOpportunistic(j) {
		return 1
	}
	return 0
}

// place gives a job that does not run GPUs, and reports whether it runs now. A guaranteed job keeps
// what it gets until it has all.
func (r *antman) place(j *packs.Job) bool {
	switch {
	case isOpportunistic(j):
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
func (r *antman) placeOpportunistic(j *packs.Job) bool {
	var candidates []*antmanDevice
	for _, d := range r.antmanDevices {
		if d.use < mostUse {
			candidates = append(candidates, d)
		}
	}
	if len(candidates) < j.GPUs {
		return false
	}
	slices.SortStableFunc(candidates, func(a, b *antmanDevice) int { return cmp.Compare(a.use, b.use) })
	r.held[j] = candidates[:j.GPUs]
	for _, d := range r.held[j] {
		d.use += opportunisticUse
	}
	return true
}

// bestNode is the first node where a guaranteed job finds so many GPUs, else the one where it
// finds most.
func (r *antman) bestNode(gpus int) []*antmanDevice {
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
func countAvailable(node []*antmanDevice) int {
	n := 0
	for _, d := range node {
		if d.guaranteed == nil {
			n++
		}
	}
	return n
}

// hold gives the job what it lacks of the GPUs of a node, as far as there are some.
func (r *antman) hold(j *packs.Job, node []*antmanDevice) {
	for _, d := range node {
		if d.guaranteed == nil && len(r.held[j]) < j.GPUs {
			d.guaranteed = j
			d.use += heldUse
			r.held[j] = append(r.held[j], d)
		}
	}
}

// holdWholeNodes gives the job nodes on which no guaranteed job is.
func (r *antman) holdWholeNodes(j *packs.Job) {
	for _, node := range r.nodes {
		if countAvailable(node) == len(node) && len(r.held[j]) < j.GPUs {
			r.hold(j, node)
		}
	}
}

// Left implements packs.Leaver.
func (r *antman) Left(j *packs.Job) {
	for _, d := range r.held[j] {
		if isOpportunistic(j) {
			d.use -= opportunisticUse
			continue
		}
		d.use -= guaranteedUse
		d.guaranteed = nil
	}
	delete(r.held, j)
	delete(r.running, j)
}

// stepSeconds is how long a step of a running job takes: a guaranteed one is not slowed, an
// opportunistic one waits for the slowest guaranteed job on its GPUs.
func (r *antman) stepSeconds(j *packs.Job) float64 {
	step := j.StepSeconds
	if !isOpportunistic(j) {
		return step
	}
	for _, d := range r.held[j] {
		if c := d.guaranteed; c != nil && r.running[c] {
			step = max(step, stepsBeside(stagesOf(j), stagesOf(c))*c.StepSeconds)
		}
	}
	return step
}

// stagesOf are the seconds that a step needs each kind of resource for; of a job that tells none, as if it
// needed the GPU all the time.
func stagesOf(j *packs.Job) [3]float64 {
	stages := [3]float64{1: j.StepSeconds}
	if j.Sharing != nil && len(j.Sharing.StageSeconds) == len(stages) {
		copy(stages[:], j.Sharing.StageSeconds)
	}
	return stages
}

// stepsBeside is how many steps of a guaranteed job, with stages b, pass while an opportunistic one
// makes one, with stages a: each of its stages runs while the other is in another one.
func stepsBeside(a, b [3]float64) float64 {
	n := 0.0
	period := b[1] + b[2]
	whole, rest := timesWithin(a[0], period)
	if n += whole; rest > 0 {
		n++
		a[1] -= min(a[1], b[2], period-rest)
	}
	period = b[0] + b[2]
	whole, rest = timesWithin(a[1], period)
	if n += whole; rest > 0 {
		n++
		if rest < b[0] {
			a[2] -= min(a[2], b[0]+b[1]-rest)
		}
	}
	whole, rest = timesWithin(a[2], b[0]+b[1])
	if n += whole; rest > b[0] {
		n++
	}
	return n
}

// timesWithin is how many whole periods a length has, and what remains.
func timesWithin(length, period float64) (whole, rest float64) {
	if period <= 0 {
		return 0, length
	}
	return math.Floor(length / period), math.Mod(length, period)
}

// TestAntManOnAFewJobs wants what a second program made of the rules of the artifact: mean completion time and
// makespan, seconds.
func TestAntManOnAFewJobs(t *testing.T) {
	type stages [3]float64
	job := func(gpus int, arrive, duration float64, class string, step float64, s stages, isOpportunistic bool,
	) workload.Job {
		sharing := policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true, IsOpportunistic: isOpportunistic}
		sharing.StepSeconds, sharing.StageSeconds = step, s[:]
		return workload.Job{
			GPUs: gpus, Arrive: arrive, Duration: duration, Class: class, IsShareable: true, Sharing: &sharing,
		}
	}
	dqn, vgg, bert := stages{.435, .008, .0005}, stages{.082, .075, .066}, stages{.0005, .167, .059}
	five := []workload.Job{
		job(8, 0, 5090, "dqn", .509, dqn, false), job(8, 0, 1070, "vgg16", .214, vgg, true),
		job(32, 100, 780, "bert", .26, stages{.0005, .166, .133}, false),
		job(32, 200, 1028, "gpt2", .514, stages{.0007, .414, .216}, true), job(8, 250, 214, "vgg16", .214, vgg, false),
	}
	three := []workload.Job{
		job(8, 0, 5090, "dqn", .509, dqn, false), job(8, 100, 1070, "vgg16", .214, vgg, true), job(8, 200, 192, "bert", .192, bert, false),
	}
	for _, c := range []struct {
		nodes string
		jobs  []workload.Job
		want  string
	}{
		{"8x8", five, "1991.454849892 5208.35"},
		{"4x8", five, "4226.46 6205.26"},
		{"1x8", three, "5482.796072687 6196.80821806"},
	} {
		nodes, err := cluster.ParseSpec(c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.jobs {
			c.jobs[i].ID = int64(i + 1)
		}
		run, err := packs.Run(packs.Config{System: newAntMan(), Nodes: nodes, Jobs: c.jobs})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%.13g %.13g", run.Summarize().AvgJCT, run.MakespanSeconds); got != c.want {
			t.Errorf("on %s: %s, want %s", c.nodes, got, c.want)
		}
	}
}
