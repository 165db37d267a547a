package through

import (
	"fmt"
	"math"
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/work"
	"fairbridge/policy"
)

// spec is the submission of a job as its owner would write it: whole nodes
// where it fills them, else one node, else a total.
func (c *Config) spec(j *work.Job) (sim.Spec, error) {
	s := sim.Spec{
		Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS, GPUType: j.GPUType,
		Limit: j.Limit, Comment: comment(j, c.cost(j)), Fails: j.End == work.Failed,
		Work: policy.Seconds(j.Duration), Checkpoint: !j.Fixed, Overhead: c.cost(j), NoRequeue: j.Fixed,
	}
	if s.Work <= 0 {
		return s, fmt.Errorf("job %d: a duration of %v s cannot be run", j.ID, j.Duration)
	}
	per := c.perNode(j)
	switch {
	case per == 0:
		return s, fmt.Errorf("job %d: no node has GPUs it can run on (%s)", j.ID, asks(j))
	case j.GPUs <= per:
		s.Nodes, s.GPUsPerNode = 1, j.GPUs
	case j.GPUs%per == 0:
		s.Nodes, s.GPUsPerNode = j.GPUs/per, per
	default:
		s.Nodes, s.GPUs = (j.GPUs+per-1)/per, j.GPUs
	}
	s.CPUs = (j.CPUs + s.Nodes - 1) / s.Nodes
	s.MemMB = (j.MemMB + int64(s.Nodes) - 1) / int64(s.Nodes)
	s.Speed = speed(j)
	s.Excluded = c.unfit(j)
	return s, nil
}

func (c *Config) cost(j *work.Job) time.Duration {
	if j.Checkpoint > 0 {
		return policy.Seconds(j.Checkpoint)
	}
	return c.Cost
}

// comment is what the owner tells us in --comment.
func comment(j *work.Job, cost time.Duration) string {
	var words []string
	if !j.Fixed {
		words = append(words, "preemptible")
		if cost > 0 {
			words = append(words, "ckpt="+cost.String())
		}
	}
	if j.Class != "" && !j.Silent {
		words = append(words, "class="+strings.NewReplacer(" ", "_", ",", "_").Replace(j.Class))
	}
	if j.Shareable {
		words = append(words, "shareable")
	}
	if j.MinGPUs > 0 && j.MaxGPUs > 0 {
		words = append(words, fmt.Sprintf("min=%d,max=%d", j.MinGPUs, j.MaxGPUs))
	}
	if len(words) == 0 {
		return ""
	}
	return "fairbridge:" + strings.Join(words, ",")
}

// runsOn reports whether the job can use GPUs of the type.
func runsOn(j *work.Job, typ string) bool {
	if j.GPUType != "" && j.GPUType != typ {
		return false
	}
	return j.Speeds == nil || j.Speeds[typ] > 0
}

// perNode returns the most GPUs the job can get on one node.
func (c *Config) perNode(j *work.Job) int {
	most := 0
	for i := range c.Nodes {
		for _, d := range c.Nodes[i].GPUs {
			if runsOn(j, d.Type) {
				most = max(most, d.Count-d.Sick)
			}
		}
	}
	return most
}

// unfit returns the nodes a job must keep off, because it cannot use their
// GPUs.
func (c *Config) unfit(j *work.Job) []string {
	if j.Speeds == nil || j.GPUType != "" {
		return nil
	}
	var out []string
	for i := range c.Nodes {
		fits := false
		for _, d := range c.Nodes[i].GPUs {
			fits = fits || runsOn(j, d.Type)
		}
		if !fits {
			out = append(out, c.Nodes[i].Name)
		}
	}
	return out
}

// speed says how fast the job goes on what it got.
func speed(j *work.Job) func(string, int) float64 {
	return func(typ string, n int) float64 {
		v := float64(n) / float64(j.GPUs)
		if j.Speeds != nil {
			v *= j.Speeds[typ]
		}
		return v
	}
}

// slowest is the longest the job runs, in seconds, if it is never stopped.
func slowest(j *work.Job) float64 {
	least := 1.0
	for _, v := range j.Speeds {
		if v > 0 {
			least = math.Min(least, v)
		}
	}
	return j.Duration / least
}

func asks(j *work.Job) string {
	return policy.GPUs{Type: j.GPUType, Count: j.GPUs}.String()
}
