package exact

import (
	"cmp"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// speedTable is how fast jobs go on the GPU types of a cluster.
type speedTable struct {
	speedTables        *workload.SpeedTables
	gpuTypes           []string // sorted
	defaultSharedSpeed float64  // relative to being alone, beside a job for which there is no table
}

func newSpeedTable(c *Config, types []string) *speedTable {
	return &speedTable{speedTables: c.SpeedTables, gpuTypes: types, defaultSharedSpeed: cmp.Or(c.DefaultSharedSpeed, 0.6)}
}

// setBatchRates looks up the speeds of a training job at a batch size. It reports whether
// any type has one, and changes nothing otherwise.
func (s *speedTable) setBatchRates(j *job, batch int) bool {
	class, known := j.Job.Class, false
	if batch > 0 {
		class = workload.ClassOf(j.Training.Model, batch)
	}
	rates := make([]float64, len(s.gpuTypes))
	for k, typ := range s.gpuTypes {
		rates[k], _ = s.speedTables.StepsAlone(typ, class, j.GPUs)
		known = known || rates[k] > 0 && (j.GPUType == "" || j.GPUType == typ)
	}
	if known {
		j.unitRatesByType, j.batchClass = rates, class
	}
	return known
}

// referenceGPUType is the type whose speed is the job's reference: the one it asks for, or
// the first of the cluster that can run it; -1: none.
func (s *speedTable) referenceGPUType(j *job) int {
	for k, typ := range s.gpuTypes {
		if j.unitRatesByType[k] > 0 && (j.GPUType == "" || j.GPUType == typ) {
			return k
		}
	}
	return -1
}

// epochSeconds is how many seconds an epoch takes the job alone at a batch size on its
// home type; 0: not known.
func (s *speedTable) epochSeconds(j *job, batch int) float64 {
	speed, err := s.speedTables.SpeedOf(j.Job, s.gpuTypes[max(s.referenceGPUType(j), 0)], batch)
	if err != nil {
		return 0
	}
	return j.Training.EpochSeconds(batch, speed)
}

// listSharedRates lists the speeds beside others, for jobs that share.
func (s *speedTable) listSharedRates(j *job) []policy.SharedRate {
	var out []policy.SharedRate
	for _, typ := range s.gpuTypes {
		for _, other := range s.speedTables.Neighbours(typ, j.batchClass, j.GPUs) {
			v, _ := s.speedTables.StepsBeside(typ, j.batchClass, j.GPUs, other)
			out = append(out, policy.SharedRate{Type: typ, NeighbourClass: other, StepsPerSecond: v})
		}
	}
	return out
}

// speedOf works out how fast the job goes on what it holds: as fast as the slowest
// of its devices, in proportion to their number where no table says how fast it
// is on that many.
func (s *speedTable) speedOf(j *job, c *cluster) float64 {
	pace := 0.0
	n := j.heldAlloc.Count()
	for _, slot := range j.heldAlloc {
		r := c.findDeviceGroup(slot)
		v := j.unitRatesByType[r.typeIndex]
		if n != j.GPUs {
			v = s.resizedSpeed(j, r.typeIndex, n)
		}
		if c.hasShareableJobs {
			v = s.speedBeside(j, r, v)
		}
		if pace == 0 || v < pace {
			pace = v
		}
	}
	return pace
}

func (s *speedTable) resizedSpeed(j *job, typ, n int) float64 {
	if j.Training != nil {
		if v, ok := s.speedTables.StepsAlone(s.gpuTypes[typ], j.batchClass, n); ok {
			return v
		}
	}
	return j.unitRatesByType[typ] * float64(n) / float64(j.GPUs)
}

// speedBeside is the speed of the job with its neighbours of the row.
func (s *speedTable) speedBeside(j *job, r *deviceGroup, alone float64) float64 {
	least := alone
	for _, u := range r.jobsByDevice {
		if u[1] == nil || u[0] != j && u[1] != j {
			continue
		}
		other := u[0]
		if other == j {
			other = u[1]
		}
		v, known := 0.0, false
		if j.Training != nil && other.Training != nil {
			v, known = s.speedTables.StepsBeside(s.gpuTypes[r.typeIndex], j.batchClass, j.GPUs, other.batchClass)
		}
		if !known {
			v = alone * s.defaultSharedSpeed
		}
		least = min(least, v)
	}
	return least
}
