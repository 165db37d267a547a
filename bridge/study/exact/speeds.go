package exact

import (
	"cmp"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// speeds is how fast jobs go on the GPU types of a cluster.
type speeds struct {
	tables *workload.Tables
	types  []string // sorted
	shared float64  // relative to being alone, beside a job for which there is no table
}

func newSpeeds(c *Config, types []string) *speeds {
	return &speeds{tables: c.Tables, types: types, shared: cmp.Or(c.Shared, 0.6)}
}

// lookUp looks up the speeds of a training job at a batch size. It reports whether
// any type has one, and changes nothing otherwise.
func (s *speeds) lookUp(j *job, batch int) bool {
	class, known := j.Job.Class, false
	if batch > 0 {
		class = workload.ClassOf(j.Training.Model, batch)
	}
	rates := make([]float64, len(s.types))
	for k, typ := range s.types {
		rates[k], _ = s.tables.Alone(typ, class, j.GPUs)
		known = known || rates[k] > 0 && (j.GPUType == "" || j.GPUType == typ)
	}
	if known {
		j.rates, j.class = rates, class
	}
	return known
}

// homeType is the type whose speed is the job's reference: the one it asks for, or
// the first of the cluster that can run it; -1: none.
func (s *speeds) homeType(j *job) int {
	for k, typ := range s.types {
		if j.rates[k] > 0 && (j.GPUType == "" || j.GPUType == typ) {
			return k
		}
	}
	return -1
}

// epochSeconds is how many seconds an epoch takes the job alone at a batch size on its
// home type; 0: not known.
func (s *speeds) epochSeconds(j *job, batch int) float64 {
	speed, err := s.tables.Speed(j.Job, s.types[max(s.homeType(j), 0)], batch)
	if err != nil {
		return 0
	}
	return j.Training.EpochSeconds(batch, speed)
}

// neighbours lists the speeds beside others, for jobs that share.
func (s *speeds) neighbours(j *job) []policy.SharedRate {
	var out []policy.SharedRate
	for _, typ := range s.types {
		for _, other := range s.tables.Neighbours(typ, j.class, j.GPUs) {
			v, _ := s.tables.Beside(typ, j.class, j.GPUs, other)
			out = append(out, policy.SharedRate{Type: typ, NeighbourClass: other, StepsPerSecond: v})
		}
	}
	return out
}

// speedOf works out how fast the job goes on what it holds: as fast as the slowest
// of its devices, in proportion to their number where no table says how fast it
// is on that many.
func (s *speeds) speedOf(j *job, c *cluster) float64 {
	pace := 0.0
	n := j.on.Count()
	for _, slot := range j.on {
		r := c.devicesOf(slot)
		v := j.rates[r.typ]
		if n != j.GPUs {
			v = s.resizedSpeed(j, r.typ, n)
		}
		if c.shares {
			v = s.speedBeside(j, r, v)
		}
		if pace == 0 || v < pace {
			pace = v
		}
	}
	return pace
}

func (s *speeds) resizedSpeed(j *job, typ, n int) float64 {
	if j.Training != nil {
		if v, ok := s.tables.Alone(s.types[typ], j.class, n); ok {
			return v
		}
	}
	return j.rates[typ] * float64(n) / float64(j.GPUs)
}

// speedBeside is the speed of the job with its neighbours of the row.
func (s *speeds) speedBeside(j *job, r *deviceGroup, alone float64) float64 {
	least := alone
	for _, u := range r.users {
		if u[1] == nil || u[0] != j && u[1] != j {
			continue
		}
		other := u[0]
		if other == j {
			other = u[1]
		}
		v, known := 0.0, false
		if j.Training != nil && other.Training != nil {
			v, known = s.tables.Beside(s.types[r.typ], j.class, j.GPUs, other.class)
		}
		if !known {
			v = alone * s.shared
		}
		least = min(least, v)
	}
	return least
}
