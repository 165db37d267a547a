package slurmrun

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/workload"
)

// newSpeedFunction says how fast the job goes on what it got: as its true scaling has it, else in
// proportion to the GPUs.
func (o *submitter) newSpeedFunction(j *workload.Job) func(string, int, int) float64 {
	return func(typ string, n, nodes int) float64 {
		v := sizeSpeed(o.nodes, j, typ, n, nodes)
		if j.Speeds != nil {
			v *= j.Speeds[typ]
		}
		return v
	}
}

// sizeSpeed is the speed on a size relative to that on what the job asks, of one type.
func sizeSpeed(all []policy.Node, j *workload.Job, typ string, n, nodes int) float64 {
	if j.Scaling == nil {
		return float64(n) / float64(j.GPUs)
	}
	size := scaling.Size{Type: typ, Devices: n}
	if nodes > fewestNodes(all, typ, n) {
		size.Nodes = nodes
	}
	asked := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: j.GPUs}}, Scaling: j.Scaling}
	return scaling.New(&asked).Speed(size)
}

// fewestNodes is how few nodes of a type hold so many devices.
func fewestNodes(all []policy.Node, typ string, devices int) int {
	most := 1
	for i := range all {
		for _, d := range all[i].GPUs {
			if d.Type == typ {
				most = max(most, d.Count)
			}
		}
	}
	return (devices + most - 1) / most
}

// longestRunSeconds is the longest the job runs, in seconds, if it is never stopped: on the slowest
// type, with the fewest GPUs it may be given, spread over more nodes than they need.
func longestRunSeconds(all []policy.Node, j *workload.Job) float64 {
	least := 1.0
	for _, v := range j.Speeds {
		if v > 0 {
			least = math.Min(least, v)
		}
	}
	if j.Scaling != nil {
		least *= slowestSize(all, j)
	}
	return j.Duration / least
}

// slowestSize is the speed on the slowest size the job may be given, relative to that on what it
// asks; 1 at most.
func slowestSize(all []policy.Node, j *workload.Job) float64 {
	fewest, slowest := j.GPUs, 1.0
	if j.MinGPUs > 0 && j.MaxGPUs > 0 {
		fewest = min(j.MinGPUs, j.GPUs)
	}
	for i := range all {
		for _, d := range all[i].GPUs {
			for _, n := range []int{fewest, j.GPUs} {
				if v := sizeSpeed(all, j, d.Type, n, fewestNodes(all, d.Type, n)+1); v > 0 {
					slowest = math.Min(slowest, v)
				}
			}
		}
	}
	return slowest
}
