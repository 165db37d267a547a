package fidelity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fairbridge/replica/measure"
)

// Figures sum up one run. A job's wait is all its time in the queue and in work done twice:
// completion less the work it asked for.
type Figures struct {
	MeanWait, P95Wait, Makespan, Slowdown float64
	StopCount                             int
}

// slowdownFloor is the least run time by which a slowdown is reckoned (seconds), as is usual.
const slowdownFloor = 10

// Summarize works out the figures of a run.
func Summarize(r *measure.Run) Figures {
	var f Figures
	var waits []float64
	n := float64(max(len(r.JobOutcomes), 1))
	for i := range r.JobOutcomes {
		o := &r.JobOutcomes[i]
		w := max(o.Finish-o.Arrive-o.ExclusiveRunSeconds, 0)
		waits = append(waits, w)
		f.MeanWait += w / n
		f.Slowdown += (w + o.ExclusiveRunSeconds) / max(o.ExclusiveRunSeconds, slowdownFloor) / n
		f.StopCount += o.StopCount
	}
	slices.Sort(waits)
	if len(waits) > 0 {
		f.P95Wait = waits[int(math.Ceil(.95*float64(len(waits))))-1]
	}
	f.Makespan = r.MakespanSeconds
	return f
}

// OneLine is the run in a line.
func (r *RealRun) OneLine() string {
	f := Summarize(&r.Run)
	return fmt.Sprintf("mean wait %.1f s, p95 %.0f s, makespan %.0f s, slowdown %.2f, %d stops, load %.0f", f.MeanWait, f.P95Wait, f.Makespan, f.Slowdown, f.StopCount, r.Load)
}

// StartOrderCorrelation is Spearman's of the first starts of the same jobs in two runs.
func StartOrderCorrelation(a, b *measure.Run) float64 {
	x, y := startRanks(a), startRanks(b)
	n := float64(len(x))
	sum := 0.0
	for id, r := range x {
		sum += (r - y[id]) * (r - y[id])
	}
	return 1 - 6*sum/(n*(n*n-1))
}

// startRanks ranks the jobs by first start; those of one moment share their mean rank.
func startRanks(r *measure.Run) map[int64]float64 {
	jobs := slices.Clone(r.JobOutcomes)
	slices.SortStableFunc(jobs, func(a, b measure.JobOutcome) int { return cmp.Compare(a.Start, b.Start) })
	out := map[int64]float64{}
	for i := 0; i < len(jobs); {
		k := i
		for k < len(jobs) && jobs[k].Start == jobs[i].Start {
			k++
		}
		for _, j := range jobs[i:k] {
			out[j.ID] = float64(i+k-1)/2 + 1
		}
		i = k
	}
	return out
}

// closeEnough is the difference that is allowed at least, as a share: what a simulator of
// Slurm of the Barcelona Supercomputing Center showed against a real machine.
const closeEnough = .017

// Comparison is one stream and arm on one release of Slurm: real runs and simulated ones.
type Comparison struct {
	Stream    Stream
	Arm       Arm
	Release   string // 24.11.5
	Real      []RealRun
	Simulated []measure.Run
}

// StartSeconds is the mean of the real runs'.
func (c *Comparison) StartSeconds() float64 {
	var all []float64
	for i := range c.Real {
		all = append(all, c.Real[i].StartSeconds())
	}
	return stat.Mean(all, nil)
}

// Row is one figure of a comparison.
type Row struct {
	Name            string
	Real, Simulated []float64
}

// RealMean is the mean of the real runs.
func (r *Row) RealMean() float64 { return stat.Mean(r.Real, nil) }

// SimulatedMean is the mean of the simulated runs.
func (r *Row) SimulatedMean() float64 { return stat.Mean(r.Simulated, nil) }

// Allowed is how far apart the means may be: 1.7 %, or half the range of the real runs where
// that is more.
func (r *Row) Allowed() float64 {
	return max(closeEnough*r.RealMean(), (slices.Max(r.Real)-slices.Min(r.Real))/2)
}

// IsClose reports whether they are no further apart.
func (r *Row) IsClose() bool { return math.Abs(r.SimulatedMean()-r.RealMean()) <= r.Allowed() }

// Rows works out the figures.
func (c *Comparison) Rows() []Row {
	figures := []struct {
		name  string
		value func(Figures) float64
	}{
		{"mean wait (s)", func(f Figures) float64 { return f.MeanWait }},
		{"makespan (s)", func(f Figures) float64 { return f.Makespan }},
		{"95 % of waits (s)", func(f Figures) float64 { return f.P95Wait }},
		{"mean slowdown", func(f Figures) float64 { return f.Slowdown }},
		{"stops", func(f Figures) float64 { return float64(f.StopCount) }},
	}
	var out []Row
	for _, f := range figures {
		r := Row{Name: f.name}
		c.addRuns(&r, func(run *measure.Run) float64 { return f.value(Summarize(run)) })
		out = append(out, r)
	}
	return out
}

// addRuns adds a figure of every run to the row.
func (c *Comparison) addRuns(r *Row, figure func(*measure.Run) float64) {
	for i := range c.Real {
		r.Real = append(r.Real, figure(&c.Real[i].Run))
	}
	for i := range c.Simulated {
		r.Simulated = append(r.Simulated, figure(&c.Simulated[i]))
	}
}

// OrderCorrelations are Spearman's of first starts: the mean over pairs of real runs, and
// over pairs of a real and a simulated one. NaN: there is no such pair.
func (c *Comparison) OrderCorrelations() (amongReal, simulated float64) {
	var among, across []float64
	for i := range c.Real {
		for k := range i {
			among = append(among, StartOrderCorrelation(&c.Real[i].Run, &c.Real[k].Run))
		}
		for k := range c.Simulated {
			across = append(across, StartOrderCorrelation(&c.Real[i].Run, &c.Simulated[k]))
		}
	}
	return stat.Mean(among, nil), stat.Mean(across, nil)
}
