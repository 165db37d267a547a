package harmony

import (
	"slices"

	"fairbridge/policy"
)

// nodeParts are the jobs on each node, with what each holds there.
type nodeParts map[string][]nodePart

// nodePart is what a job holds of a node, in halves of its GPUs.
type nodePart struct {
	job    *policy.Job
	halves float64
}

func newNodeParts(s *policy.Snapshot) nodeParts {
	gpus := make(map[string]float64, len(s.Nodes))
	for i := range s.Nodes {
		gpus[s.Nodes[i].Name] = gpusOf(&s.Nodes[i])
	}
	parts := nodeParts{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() {
			continue
		}
		for _, name := range j.On.Nodes() {
			parts[name] = append(parts[name], nodePart{j, halvesOn(j, j.On, name, gpus[name])})
		}
	}
	return parts
}

// gpusOf counts the GPUs of a node, sick ones too, which are of no use to any job but stay the same.
func gpusOf(n *policy.Node) float64 {
	all := 0.0
	for _, d := range n.GPUs {
		all += policy.GPUs{Count: d.Count, PartPercent: d.PartPercent}.WholeGPUs()
	}
	return all
}

// halvesOn is how many halves of a node's GPUs a job has there.
func halvesOn(j *policy.Job, on policy.Alloc, name string, gpus float64) float64 {
	if gpus <= 0 {
		return 0
	}
	return 2 * policy.GPUs{Count: on.CountOn(name), PartPercent: j.Ask.GPUs.PartPercent}.WholeGPUs() / gpus
}

// beside returns the others on the nodes of a job, and what they hold there by class: on the node where
// they hold most, as a gang goes as fast as its slowest part.
func (p nodeParts) beside(j *policy.Job) (ids []policy.JobID, byClass map[string]float64) {
	most := -1.0
	for _, name := range j.On.Nodes() {
		here, sum := map[string]float64{}, 0.0
		for _, part := range p[name] {
			if part.job.ID != j.ID {
				here[classOf(part.job)] += part.halves
				sum += part.halves
				ids = append(ids, part.job.ID)
			}
		}
		if sum > most {
			most, byClass = sum, here
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), byClass
}
