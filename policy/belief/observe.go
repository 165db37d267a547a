package belief

import (
	"fairbridge/policy"
)

// observe takes in the readings of a group: those of its jobs and, where a job has none, that of
// its node.
func (u *update) observe(g *group) {
	for i, j := range g.jobs {
		if j.HoldsGPUs() && j.Utilisation.Known {
			u.read(g, u.weightsOf(g, i), j.Utilisation.Value, 1)
		}
	}
	if node := u.snapshot.Node(g.node); g.node != "" && node != nil {
		for _, d := range node.GPUs {
			u.readNode(g, d)
		}
	}
	g.belief.Clamp(0, 1)
}

// read takes in a reading of a sum of what jobs use, spread over so many GPUs. Where they may want more than a GPU
// has, a full GPU says no more than that.
func (u *update) read(g *group, weights []float64, reading, gpus float64) {
	expected, jobs := 0.0, 0
	for i, w := range weights {
		if expected += w * g.belief.Mean(i); w > 0 {
			jobs++
		}
	}
	if jobs > 1 && reading >= saturated*gpus && expected >= saturated*gpus {
		return
	}
	g.belief.Observe(weights, reading, u.readingVariance(expected/gpus)*gpus)
}

// weightsOf returns how much each job adds to what the GPUs of one of them read: neighbours do by the part of these
// that they share.
func (u *update) weightsOf(g *group, at int) []float64 {
	weights := make([]float64, len(g.jobs))
	weights[at] = 1
	if g.node == "" {
		return weights
	}
	own := g.jobs[at].On[0]
	for i, j := range g.jobs {
		if on := j.On[0]; i != at && on.Type == own.Type && own.Devices != 0 {
			weights[i] = float64((own.Devices & on.Devices).Count()) / float64(own.Count)
		}
	}
	return weights
}

// readNode takes in the mean over all GPUs of a type on the node, where that tells of a job without a reading of its
// own: where all have one, it is made of the same. Jobs on several nodes that have some of these GPUs keep it
// from being told apart.
func (u *update) readNode(g *group, d policy.NodeDevices) {
	weights, missing := make([]float64, len(g.jobs)), false
	for i, j := range g.jobs {
		if on := j.On[0]; on.Type == d.Type {
			weights[i] = float64(on.Count)
			missing = missing || !j.Utilisation.Known
		}
	}
	if !d.Utilisation.Known || !missing || u.spanned[[2]string{g.node, d.Type}] {
		return
	}
	u.read(g, weights, d.Utilisation.Value*float64(d.Count), float64(d.Count))
}
