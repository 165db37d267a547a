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
		Limit: c.limit(j), Comment: c.comment(j), Work: max(policy.Seconds(j.Duration), time.Millisecond),
		Checkpoint: !j.Fixed, Overhead: c.cost(j), NoRequeue: j.Fixed,
	}
	per, all := c.room(j)
	switch {
	case !(j.Duration >= 0) || math.IsInf(j.Duration, 0):
		return s, fmt.Errorf("job %d (line %d): a run time of %g s", j.ID, j.Line, j.Duration)
	case j.GPUs <= 0 || j.GPUs > all:
		return s, fmt.Errorf("job %d (line %d): asks for %d GPUs; the cluster has %d that it can run on", j.ID, j.Line, j.GPUs, all)
	case j.Nodes > 1 && j.GPUs%j.Nodes == 0 && j.GPUs/j.Nodes <= per && j.Nodes <= len(c.Nodes):
		s.Nodes, s.GPUsPerNode = j.Nodes, j.GPUs/j.Nodes
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

// limit is the time limit its owner gives: no job is killed for running on
// slow GPUs, or for a restart. 0: the partition's.
func (c *Config) limit(j *work.Job) time.Duration {
	if j.Limit <= 0 {
		return 0
	}
	long := policy.Seconds(slowest(j)) + c.cost(j)
	if long <= j.Limit {
		return j.Limit
	}
	return (long + time.Minute).Truncate(time.Minute)
}

func (c *Config) cost(j *work.Job) time.Duration {
	if j.Checkpoint > 0 {
		return policy.Seconds(j.Checkpoint)
	}
	return c.Cost
}

// comment is what the owner tells us in --comment.
func (c *Config) comment(j *work.Job) string {
	var words []string
	if !j.Fixed {
		words = append(words, "preemptible")
		if cost := c.cost(j); cost > 0 {
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
	if j.Deadline > 0 {
		words = append(words, "deadline="+c.start().Add(policy.Seconds(j.Deadline)).Format(time.RFC3339))
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

// room returns the most GPUs of one type that the job can get on one node, and
// on all.
func (c *Config) room(j *work.Job) (most, all int) {
	for i := range c.Nodes {
		for _, d := range c.Nodes[i].GPUs {
			if c.Nodes[i].Down == "" && runsOn(j, d.Type) {
				most = max(most, d.Count-d.Sick)
				all += d.Count - d.Sick
			}
		}
	}
	return most, all
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
