package through

import (
	"fmt"
	"slices"

	"fairbridge/bridge/sim/work"
)

// known returns the job with its run time and its speeds. A training job goes
// at its mean speed through all its batch sizes: Slurm sees nothing of them,
// and no job reports them.
func (c *Config) known(j work.Job) (work.Job, error) {
	if j.Training == nil {
		return j, nil
	}
	if c.Tables == nil {
		return j, fmt.Errorf("job %d (line %d): trains %s, and there are no throughput tables", j.ID, j.Line, j.Training.Model)
	}
	j.Duration, j.Speeds = 0, map[string]float64{}
	for _, typ := range c.types() {
		if j.GPUType != "" && j.GPUType != typ {
			continue
		}
		t, ok := c.alone(&j, typ)
		switch {
		case !ok:
		case j.Duration == 0: // the first type that can run it is its reference
			j.Duration, j.Speeds[typ] = t, 1
		default:
			j.Speeds[typ] = j.Duration / t
		}
	}
	if j.Duration == 0 {
		return j, fmt.Errorf("job %d (line %d): no speed of %s with %d GPUs in the throughput tables for the types %v", j.ID, j.Line, j.Training.Model, j.GPUs, c.types())
	}
	return j, nil
}

// alone returns how long a training job takes on GPUs of one type.
func (c *Config) alone(j *work.Job, typ string) (seconds float64, ok bool) {
	if j.Training.Epochs() > 0 {
		plan, err := work.Plan(j, c.Tables, typ)
		t := work.Alone(plan)
		return t, err == nil && t > 0
	}
	class := j.Class
	if j.Training.Batch > 0 {
		class = work.ClassOf(j.Training.Model, j.Training.Batch)
	}
	rate, ok := c.Tables.Alone(typ, class, j.GPUs)
	if !ok || rate <= 0 {
		return 0, false
	}
	return float64(j.Training.Steps) / rate, true
}

// types lists the GPU types of the cluster, sorted.
func (c *Config) types() []string {
	var out []string
	for i := range c.Nodes {
		for _, d := range c.Nodes[i].GPUs {
			out = append(out, d.Type)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
