package gavel

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
)

// A problem is what an objective is about: jobs, and kinds of GPU. A kind
// is one type, or several between which no job makes a difference.
type problem struct {
	round              *engine.Round
	gpuTypes           []string
	kindOfType         []int     // of each type
	kindFractionOfType []float64 // of its kind, of each type
	gpusByKind         []float64 // GPUs, by kind
	jobs               []job
	isolatedSeconds    []float64 // see isolatedProgress; nil: not needed
	hasMeasuredRates   bool      // every job reports its rates, in steps per second
}

// A job is a job that could run.
type job struct {
	*engine.Entry
	entryIndex  int // in Round.Entries
	gpuCount    float64
	ratesByKind []float64 // steps per second by kind; 0: it cannot run there
	stepsLeft   float64   // steps
	ageSeconds  float64   // seconds
}

func newProblem(g *Policy, r *engine.Round, types []string) *problem {
	p := &problem{round: r, gpuTypes: types, gpusByKind: rounds.CountGPUsByType(r, types), hasMeasuredRates: true}
	offered := newPartitionTypes(r.Snapshot, types)
	n := 0
	for _, e := range r.Entries {
		if r.MayRun(e) && e.DeviceCount() > 0 {
			n++
		}
	}
	p.jobs = make([]job, 0, n)
	cells := make([]float64, n*len(types))
	for row, e := range r.Entries {
		if !r.MayRun(e) || e.DeviceCount() <= 0 {
			continue
		}
		j := job{Entry: e, entryIndex: row, gpuCount: float64(e.DeviceCount()), ageSeconds: max(r.Now.Sub(e.Arrive).Seconds(), 0), ratesByKind: cells[:len(types):len(types)]}
		cells = cells[len(types):]
		if p.setRates(&j, offered.hasTypesIn(e.Partition)); j.fastestRate() > 0 {
			p.jobs = append(p.jobs, j)
		}
	}
	for i := range p.jobs {
		p.setStepsLeft(&p.jobs[i], g)
	}
	p.mergeTypesIntoKinds(g.Sharing || g.Objective == objectiveCost && len(g.Costs) > 0)
	return p
}

// setRates puts down how fast the job is on each type.
func (p *problem) setRates(j *job, offered []bool) {
	known := j.Training != nil && len(j.Training.Rates) > 0
	p.hasMeasuredRates = p.hasMeasuredRates && known
	for k, typ := range p.gpuTypes {
		if want := j.Ask.GPUs.Type; want != "" && want != typ || !offered[k] || j.gpuCount > p.gpusByKind[k] {
			continue
		}
		j.ratesByKind[k] = 1
		if known {
			j.ratesByKind[k], _ = j.Training.Rate(typ)
		}
	}
}

// setStepsLeft puts down how much is left to do. A job that does not tell the types apart
// takes all for the fastest, or for one and the same where only shares count.
func (p *problem) setStepsLeft(j *job, g *Policy) {
	j.stepsLeft = max(j.Estimate().TimeLeft, time.Minute).Seconds()
	if j.Training != nil && len(j.Training.Rates) > 0 {
		j.stepsLeft = max(j.Training.Steps-j.Training.StepsDone, 0)
	}
	if g.Aware {
		return
	}
	for k, best := 0, j.fastestRate(); k < len(j.ratesByKind); k++ {
		if j.ratesByKind[k] > 0 {
			j.ratesByKind[k] = best
		}
	}
}

// fastestRate is the job's speed where it is fastest; 0: it can run nowhere.
func (j *job) fastestRate() float64 {
	best := 0.0
	for _, r := range j.ratesByKind {
		best = max(best, r)
	}
	return best
}

// mergeTypesIntoKinds makes one kind of the types between which no job makes a difference.
func (p *problem) mergeTypesIntoKinds(apart bool) {
	p.kindOfType, p.kindFractionOfType = make([]int, len(p.gpuTypes)), make([]float64, len(p.gpuTypes))
	var first []int // the first type of each kind
	var capacity []float64
	for k, c := range p.gpusByKind {
		at := slices.IndexFunc(first, func(f int) bool { return !apart && p.areTypesAlike(f, k) })
		if at < 0 {
			at = len(first)
			first, capacity = append(first, k), append(capacity, 0)
		}
		p.kindOfType[k] = at
		capacity[at] += c
	}
	for k, c := range p.gpusByKind {
		if capacity[p.kindOfType[k]] > 0 {
			p.kindFractionOfType[k] = c / capacity[p.kindOfType[k]]
		}
	}
	if len(first) < len(p.gpuTypes) {
		for i := range p.jobs {
			for to, k := range first {
				p.jobs[i].ratesByKind[to] = p.jobs[i].ratesByKind[k]
			}
			p.jobs[i].ratesByKind = p.jobs[i].ratesByKind[:len(first)]
		}
	}
	p.gpusByKind = capacity
}

func (p *problem) areTypesAlike(a, b int) bool {
	for i := range p.jobs {
		if rate := p.jobs[i].ratesByKind; rate[a] != rate[b] {
			return false
		}
	}
	return true
}

// splitKindsIntoTypes gives fractions of kinds to their types, in proportion to their GPUs.
func (p *problem) splitKindsIntoTypes(x []float64) []float64 {
	if len(x) == len(p.gpuTypes) {
		return x
	}
	row := make([]float64, len(p.gpuTypes))
	for k := range row {
		row[k] = x[p.kindOfType[k]] * p.kindFractionOfType[k]
	}
	return row
}

// partitionTypes are the GPU types of each partition.
type partitionTypes struct {
	typeCount          int
	hasTypeByPartition map[string][]bool
}

func newPartitionTypes(s *policy.Snapshot, types []string) partitionTypes {
	l := partitionTypes{len(types), map[string][]bool{}}
	for i := range s.Nodes {
		for _, name := range s.Nodes[i].Partitions {
			for _, d := range s.Nodes[i].GPUs {
				k := slices.Index(types, d.Type)
				l.add(name, k)
			}
		}
	}
	return l
}

func (l partitionTypes) add(partition string, k int) {
	if l.hasTypeByPartition[partition] == nil {
		l.hasTypeByPartition[partition] = make([]bool, l.typeCount)
	}
	l.hasTypeByPartition[partition][k] = true
}

func (l partitionTypes) hasTypesIn(partition string) []bool {
	if types := l.hasTypeByPartition[partition]; types != nil {
		return types
	}
	return make([]bool, l.typeCount)
}
