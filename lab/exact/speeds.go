package exact

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/workload"
)

// defaultSharedSpeed is how fast a job is, relative to being alone, beside one for which nothing says it.
const defaultSharedSpeed = .6

// speedTable is how fast jobs go on the GPU types of a cluster.
type speedTable struct {
	speedTables    *workload.SpeedTables
	gpuTypes       []string // sorted
	interference   workload.Interference
	mixedTypesCost float64
}

func newSpeedTable(c *Config, types []string) *speedTable {
	return &speedTable{
		speedTables: c.SpeedTables, gpuTypes: types, interference: c.Interference, mixedTypesCost: max(cmp.Or(c.MixedTypesCost, .05), 0),
	}
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
	if j.run != nil {
		if !j.run.Place(j.heldAlloc) {
			return 0
		}
		return j.run.Goodput()
	}
	pace := j.speedByAmounts()
	if c.nodeInterference != nil {
		pace *= c.speedBesideOnNodes(j)
	}
	if j.AcceptsMixedTypes && j.heldAlloc.HasSeveralTypes() {
		return s.mixedSpeed(j, c) * pace
	}
	slowest := 0.0
	for _, slot := range j.heldAlloc {
		if v := s.speedOnType(j, slot, c); slowest == 0 || v < slowest {
			slowest = v
		}
	}
	return slowest * pace
}

// speedOnType is how fast the job would go if all its devices were as those of the slot.
func (s *speedTable) speedOnType(j *job, slot policy.Slot, c *cluster) float64 {
	r, n := c.findDeviceGroup(slot), j.heldAlloc.Count()
	v := j.unitRatesByType[r.typeIndex]
	if n != j.GPUs || j.Scaling != nil {
		v = s.resizedSpeed(j, r.typeIndex, n, c)
	}
	if c.hasShareableJobs {
		v = s.speedBeside(j, r, v)
	}
	return v
}

// mixedSpeed is the speed on devices of several types, of which each does its share of the batch: the
// one that it was recommended, else one as large as any other's. A step takes as long as the device that
// is last, and what exchanging adds. With shares in proportion to speeds that is the sum of what the devices do
// by themselves, less the exchange.
func (s *speedTable) mixedSpeed(j *job, c *cluster) float64 {
	last, fastest, all := 0.0, 0.0, float64(j.heldAlloc.Count())
	for _, slot := range j.heldAlloc {
		v := s.speedOnType(j, slot, c)
		if v <= 0 {
			return 0
		}
		share := cmp.Or(j.batchShares.ShareOf(slot.Type), 1/all)
		last, fastest = max(last, share*all/v), max(fastest, v)
	}
	return 1 / (last + s.mixedTypesCost/fastest)
}

// resizedSpeed is the speed on n devices of a type, of which the job may ask for others.
func (s *speedTable) resizedSpeed(j *job, typ, n int, c *cluster) float64 {
	if j.Scaling != nil {
		size := scaling.Size{Type: s.gpuTypes[typ], Devices: n}
		if nodes := len(j.heldAlloc.Nodes()); nodes > c.fewestNodes(typ, n) {
			size.Nodes = nodes
		}
		asked := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: size.Type, Count: j.GPUs}}, Scaling: j.Scaling}
		return j.unitRatesByType[typ] * scaling.New(&asked).Speed(size)
	}
	if j.Training != nil {
		if v, ok := s.speedTables.StepsAlone(s.gpuTypes[typ], j.batchClass, n); ok {
			return v
		}
	}
	return j.unitRatesByType[typ] * float64(n) / float64(j.GPUs)
}

// speedBeside is the speed of the job with its neighbours of the group: that on its slowest
// device.
func (s *speedTable) speedBeside(j *job, r *deviceGroup, alone float64) float64 {
	least := alone
	for _, jobs := range r.jobsByDevice {
		if at := slices.Index(jobs, j); at >= 0 && len(jobs) > 1 {
			least = min(least, s.speedOnDevice(jobs, at, r.typeIndex, alone))
		}
	}
	return least
}

// speedOnDevice is the speed of one of the jobs of a device: as the tables have it for two,
// else as Interference says, else the default.
func (s *speedTable) speedOnDevice(jobs []*job, at, typ int, alone float64) float64 {
	j := jobs[at]
	if other := jobs[(at+1)%len(jobs)]; len(jobs) == 2 && j.Training != nil && other.Training != nil {
		if v, known := s.speedTables.StepsBeside(s.gpuTypes[typ], j.batchClass, j.GPUs, other.batchClass); known {
			return v
		}
	}
	if s.interference == nil {
		return alone * defaultSharedSpeed
	}
	together := make([]*workload.Job, len(jobs))
	for i, o := range jobs {
		together[i] = o.Job
	}
	return alone * s.interference.RelativeSpeeds(together, s.gpuTypes[typ])[at]
}

// trainingReports are what training jobs tell of themselves.
type trainingReports struct {
	speeds      *speedTable
	reportsPlan bool // they tell their plan; see plannedProfile
}

// newReport sets up what a job tells.
func (r *trainingReports) newReport(j *job) {
	t := &policy.Training{BatchSize: j.batchSize}
	j.trainingReport = t
	if j.Training == nil && j.Speeds == nil {
		t.Rates = []policy.Rate{{StepsPerSecond: 1}}
	} else {
		r.setReportRates(j)
	}
	r.setSharedRates(j)
	if j.plannedRegimes == nil {
		return
	}
	t.SeenRegimes = []policy.Regime{{BatchSize: j.batchSize, SecondsPerEpoch: r.speeds.epochSeconds(j, j.batchSize)}}
	for _, b := range j.Training.BatchSizes(j.GPUs) {
		if s := r.speeds.epochSeconds(j, b); s > 0 {
			t.PossibleRegimes = append(t.PossibleRegimes, policy.Regime{BatchSize: b, SecondsPerEpoch: s})
		}
	}
	if r.reportsPlan {
		j.profile = newPlannedProfile(j)
	}
}

func (r *trainingReports) setReportRates(j *job) {
	t := j.trainingReport
	t.Rates = t.Rates[:0]
	for k, typ := range r.speeds.gpuTypes {
		if j.unitRatesByType[k] > 0 {
			t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: j.unitRatesByType[k]})
		}
	}
}

func (r *trainingReports) setSharedRates(j *job) {
	if j.IsShareable && j.Training != nil {
		j.trainingReport.SharedRates = r.speeds.listSharedRates(j)
	}
}

// changeBatchSize gives the job the batch size it asked for. The number of epochs stays:
// those begun count as completed. Without a speed at that size nothing changes.
// It reports whether the job's speeds changed.
func (r *trainingReports) changeBatchSize(j *job) bool {
	if j.wantedBatchSize == j.batchSize {
		return false
	}
	old, next := float64(j.Training.EpochSteps(j.batchSize)), float64(j.Training.EpochSteps(j.wantedBatchSize))
	if !r.speeds.setBatchRates(j, j.wantedBatchSize) {
		j.wantedBatchSize = j.batchSize
		return false
	}
	begun := math.Ceil(j.doneUnits / old)
	epochs := math.Ceil(j.totalUnits / old)
	j.totalUnits = stepsAfterBatchChange(j.totalUnits, j.batchSize, j.wantedBatchSize, epochs, next)
	j.doneUnits = begun * next
	j.batchSize = j.wantedBatchSize
	r.noteRegime(j, begun)
	return true
}

// stepsAfterBatchChange returns the steps in all after a change of the batch size: in
// proportion if that leaves the number of epochs as it is, else whole epochs.
func stepsAfterBatchChange(steps float64, old, batch int, epochs, per float64) float64 {
	if n := math.Ceil(steps * float64(old) / float64(batch)); math.Ceil(n/per) == epochs {
		return n
	}
	return epochs * per
}

// noteRegime notes a change of the batch size after so many epochs.
func (r *trainingReports) noteRegime(j *job, epochs float64) {
	t := j.trainingReport
	if t == nil {
		return
	}
	r.setReportRates(j)
	r.setSharedRates(j)
	before := 0.0
	for _, x := range t.SeenRegimes[:len(t.SeenRegimes)-1] {
		before += x.Epochs
	}
	t.SeenRegimes[len(t.SeenRegimes)-1].Epochs = epochs - before
	t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: j.batchSize, SecondsPerEpoch: r.speeds.epochSeconds(j, j.batchSize)})
	t.BatchSize = j.batchSize
}
