package runs

import (
	"fairbridge/bridge/slurm"
)

// hold is what a run has on one node: devices of one type.
type hold struct {
	node, gpu string
	count     int
	part      int // percent of a whole GPU each device is
}

func holdOn(node string, g slurm.GRES) hold { return hold{node, g.Type, g.Count, g.Part()} }

// holdsOf returns what the job's record shows, on nodes that find knows.
func holdsOf(j *slurm.Job, find func(string) *slurm.Node) []hold {
	var out []hold
	for _, h := range j.Holds(find) {
		out = append(out, holdOn(h.Node, h.GRES))
	}
	return out
}
