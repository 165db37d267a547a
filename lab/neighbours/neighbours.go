// Package neighbours says how fast jobs of a simulation truly are that share a GPU. It draws from
// the spread of what was published (package policy/interference), pair by pair, so that no policy
// knows it however good its table is.
package neighbours

import (
	"math"
	"math/rand/v2"

	"fairbridge/policy/interference"
	"fairbridge/replica/workload"
)

// Truth is a workload.Interference. Of two jobs the mean of their speeds is drawn for the sum of
// their utilisations alone, and one is faster than the other by as much as published. Of more,
// each is slowed by each of the others as if that were the only one. The same seed and the same two
// jobs have the same speeds whenever and wherever they meet.
type Truth struct {
	Seed uint64
	// Utilisation says which share of the time, 0..1, the GPU computes for the job alone; nil: as
	// policies are told.
	Utilisation func(*workload.Job) float64
	// MaxSpeed is how fast a job is beside another at most; 0: 1.
	MaxSpeed float64
}

const (
	minSpeed     = 0.1
	unknownShare = 0.5   // of a job of whose utilisation nothing is said
	meanOfNormal = 0.798 // mean of the size of a standard normal value
)

// RelativeSpeeds implements workload.Interference.
func (t *Truth) RelativeSpeeds(jobs []*workload.Job, _ string) []float64 {
	out := make([]float64, len(jobs))
	for i := range out {
		out[i] = 1
	}
	for i, a := range jobs {
		for k, b := range jobs[:i] {
			x, y := t.pair(a, b)
			out[i], out[k] = out[i]*x, out[k]*y
		}
	}
	return out
}

// pair draws the speeds of two jobs.
func (t *Truth) pair(a, b *workload.Job) (x, y float64) {
	if a.ID > b.ID {
		y, x = t.pair(b, a)
		return x, y
	}
	chance := rand.New(rand.NewPCG(t.Seed, uint64(a.ID)<<32^uint64(b.ID)))
	u, v := t.share(a), t.share(b)
	spread := interference.PairAt(u + v)
	mean := spread.Mean + chance.NormFloat64()*spread.Sigma()
	gap := interference.PairOf(interference.ClassAt(u), interference.ClassAt(v)).Mean - interference.SlowerOf(interference.ClassAt(u), interference.ClassAt(v)).Mean
	off := chance.NormFloat64() * gap / meanOfNormal
	return t.bound(mean + off), t.bound(mean - off)
}

func (t *Truth) bound(speed float64) float64 {
	most := t.MaxSpeed
	if most == 0 {
		most = 1
	}
	return math.Max(math.Min(speed, most), minSpeed)
}

func (t *Truth) share(j *workload.Job) float64 {
	switch {
	case t.Utilisation != nil:
		return t.Utilisation(j)
	case j.Sharing != nil && j.Sharing.Utilisation.Known:
		return j.Sharing.Utilisation.Value
	}
	return unknownShare
}

// OnNode is a workload.NodeInterference: how fast jobs truly are beside jobs on other GPUs of their
// nodes, with which they share cores, memory, PCIe and network. Each neighbour that holds half of a
// node's GPUs costs a job a part of its speed that is drawn for the classes of both, and for the two
// jobs; what each costs multiplies, and is in proportion to the GPUs that it holds (as an exponent).
type OnNode struct {
	Seed       uint64
	MeanLoss   float64 // part of the speed that a neighbour on half of the GPUs costs, on average of the classes
	MostLoss   float64 // the most that it costs; the least is as far below the mean
	OwnSpread  float64 // relative standard error of the cost beside a job, around that of the classes
	Asymmetric bool    // what a class costs another is drawn apart from what that costs it
}

// SpeedOnNode implements workload.NodeInterference.
func (o *OnNode) SpeedOnNode(j *workload.Job, others []workload.NodePart) float64 {
	sum := 0.0
	for _, other := range others {
		sum += o.cost(j, other.Job) * 2 * other.Part
	}
	return math.Exp(-sum)
}

// cost is -ln of the speed beside a neighbour on half of the GPUs.
func (o *OnNode) cost(j, other *workload.Job) float64 {
	u := rand.New(rand.NewPCG(o.Seed, uint64(min(j.ID, other.ID))<<32^uint64(max(j.ID, other.ID)))).NormFloat64()
	return max(o.ClassCost(j.Class, other.Class)*(1+o.OwnSpread*u), 0)
}

// ClassCost is -ln of the speed of a job of a class beside one of a class on half of the node's GPUs.
func (o *OnNode) ClassCost(own, other string) float64 {
	if !o.Asymmetric && other < own {
		own, other = other, own
	}
	seed := uint64(0)
	for _, c := range []byte(own + "|" + other) {
		seed = seed*31 + uint64(c)
	}
	u := rand.New(rand.NewPCG(o.Seed, seed)).Float64()
	return -math.Log(1 - (2*o.MeanLoss - o.MostLoss + 2*(o.MostLoss-o.MeanLoss)*u))
}
