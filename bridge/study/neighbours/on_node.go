package neighbours

import (
	"math"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
)

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
