package study

import (
	"hash/fnv"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// The serial part of a step of elastic jobs, drawn evenly: that of measured models, which on eight
// GPUs are 3.3 to 7.5 times as fast as on one.
const leastSerialPart, mostSerialPart = .01, .2

// SetElasticShare lets such a part of the jobs that fit on one node declare that they run on half to
// twice the GPUs they ask for, as far as one node goes, and report how fast they are where they run;
// all others are rigid. Which those are is drawn by seed and job: it is the same
// for every policy, and who is among a smaller part is among a larger one too. How fast a job goes on
// other sizes is a property of its class (Amdahl's law, drawn by seed, user and class).
func (s *Scenario) SetElasticShare(share float64, seed int64) {
	node := cluster.MaxGPUsPerNode(s.Nodes)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.MinGPUs, j.MaxGPUs, j.Scaling = 0, 0, nil
		if j.GPUs > node || j.ArrayID != 0 || drawUniform(seed, "elastic", j.ID) >= share {
			continue
		}
		j.MinGPUs, j.MaxGPUs, j.IsSilent = max(j.GPUs/2, 1), min(2*j.GPUs, node), false
		part := leastSerialPart + (mostSerialPart-leastSerialPart)*drawUniform(seed, "serial", classNumber(j))
		j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: part}
	}
}

// classNumber is one number for all jobs of a user and class.
func classNumber(j *workload.Job) int64 {
	h := fnv.New64a()
	h.Write([]byte(j.User + "\x00" + bridge.SpeedClass(j.Class, j.Name)))
	return int64(h.Sum64())
}
