package fairbridge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/flowtime"
)

// shareClassFactor is how many times as much the work of a job of an account counts as that of
// one of the next class of use.
const shareClassFactor = 4

// leasedWeight puts rigid jobs with a lease before all sizes of others.
const leasedWeight = 1e6

// elasticWork is what a job has to do, and where it may do it.
type elasticWork struct {
	*engine.Entry
	homes    []home  // the GPU types it may have, that of its group first
	left     float64 // work to do, in a unit of its own
	weight   float64 // for its account
	isLeased bool    // and rigid: it must have its GPUs

	worth        float64 // of a unit of work; see flowtime
	longer, jobs int     // how many have more work to do, of how many
}

// home is a GPU type for a job.
type home struct {
	group *sizing.Group
	sizes []int
	speed func(devices, nodes int) float64 // units of work a second
}

// packed is the speed on as few nodes as can be.
func (h *home) packed(devices int) float64 { return h.speed(devices, fewestNodes(h.group, devices)) }

// least is the speed per GPU on the smallest size.
func (h *home) least() float64 {
	if len(h.sizes) == 0 {
		return 0
	}
	return h.packed(h.sizes[0]) / float64(h.sizes[0])
}

func fewestNodes(g *sizing.Group, devices int) int {
	return (devices + g.MostOnNode - 1) / max(g.MostOnNode, 1)
}

// newWork returns the work of a job of a group. A rigid one does on each of its GPUs a second in a
// second.
func (a *elasticAllocator) newWork(groups []*sizing.Group, g *sizing.Group, e *engine.Entry) *elasticWork {
	left, devices := predict.OnFastestType(g.Round, e).Seconds(), e.DeviceCount()
	w := &elasticWork{Entry: e, left: left * float64(devices), isLeased: a.leases[e.Index],
		weight: math.Pow(shareClassFactor, -float64(a.line.shareClass(e.Account)))}
	if isSized(e) {
		w.homes = sizedHomes(groups, g, e)
	}
	if len(w.homes) == 0 {
		w.homes = []home{{g, []int{devices}, func(devices, _ int) float64 { return float64(devices) }}}
		return w
	}
	fastest := 0.
	for i := range w.homes {
		fastest = max(fastest, w.homes[i].packed(e.Ask.GPUs.Count))
	}
	w.left = left * fastest
	return w
}

// sizedHomes are the homes of a job whose size is chosen; none where its speed on the least it may
// have is not known.
func sizedHomes(groups []*sizing.Group, g *sizing.Group, e *engine.Entry) []home {
	curve := scaling.New(e.Job)
	most := min(curve.MostDevices(), e.MaxGPUs)
	homes := []home{{g, g.Sizes(e, e.MinGPUs, most), g.GoodputOf(e.Job)}}
	if homes[0].least() <= 0 {
		return nil
	}
	for _, other := range groups {
		if other == g || !mayMove(other, e) {
			continue
		}
		h := home{other, other.Sizes(e, e.MinGPUs, most), other.GoodputOf(e.Job)}
		if !curve.TellsType(g.GPUType) || !curve.TellsType(other.GPUType) {
			ratio := speedRatio(g.Round, e.Job, other.GPUType, g.GPUType)
			h.speed = func(devices, nodes int) float64 { return ratio * homes[0].speed(devices, nodes) }
		}
		if h.least() > 0 {
			homes = append(homes, h)
		}
	}
	return homes
}

// speedRatio is how much faster the job is on a type than on another, on equally many GPUs: by what
// it reports, else by data sheets; 0: that is not known.
func speedRatio(r *engine.Round, j *policy.Job, gpuType, than string) float64 {
	if t := j.Training; t != nil {
		here, known := t.Rate(gpuType)
		if there, both := t.Rate(than); known && both && there > 0 {
			return here / there
		}
	}
	here, known := r.SpeedOf(gpuType)
	if there, both := r.SpeedOf(than); known && both && there > 0 {
		return here / there
	}
	return 0
}

// gpuSeconds is the GPU time of what is left where that is least, a second of a dear type counting
// for more.
func (w *elasticWork) gpuSeconds(prices map[*sizing.Group]float64) float64 {
	best := 0.
	for i := range w.homes {
		best = max(best, w.homes[i].least()/prices[w.homes[i].group])
	}
	if best <= 0 {
		return w.left
	}
	return w.left / best
}

// valueWork says what work is worth to jobs that share the GPUs of some types, dear ones counting for more
// than one.
func valueWork(works []*elasticWork, prices map[*sizing.Group]float64) {
	seconds := make(map[*elasticWork]float64, len(works))
	for _, w := range works {
		seconds[w] = w.gpuSeconds(prices)
	}
	slices.SortStableFunc(works, func(a, b *elasticWork) int { return cmp.Compare(seconds[b], seconds[a]) })
	capacity := 0.
	for g, price := range prices {
		capacity += price * float64(g.Free())
	}
	jobs := make([][]flowtime.Option, len(works))
	for i, w := range works {
		for k := range w.homes {
			h := &w.homes[k]
			for _, n := range h.sizes {
				jobs[i] = append(jobs[i], flowtime.Option{Amount: prices[h.group] * float64(n), Speed: h.packed(n)})
			}
		}
	}
	for i, worth := range flowtime.Worths(capacity, jobs) {
		works[i].worth, works[i].longer, works[i].jobs = worth*works[i].weight, i, len(works)
	}
}

// Judge implements sizing.Judge.
func (a *elasticAllocator) Judge(g *sizing.Group) []sizing.Worth {
	all := make([]sizing.Worth, len(g.Jobs))
	for i, e := range g.Jobs {
		w := a.works[e.Index]
		all[i] = w.judge(&w.homes[slices.IndexFunc(w.homes, func(h home) bool { return h.group == g })])
	}
	return all
}

// judge says what places of one type are worth to the job.
func (w *elasticWork) judge(h *home) sizing.Worth {
	of := func(devices, nodes int) float64 { return w.worth * h.speed(devices, nodes) }
	if w.isLeased {
		of = func(devices, _ int) float64 { return leasedWeight * float64(devices) }
	}
	full := math.SmallestNonzeroFloat32
	for _, k := range h.sizes {
		full = max(full, of(k, fewestNodes(h.group, k)), of(k, 1))
	}
	return sizing.Worth{Options: h.sizes, Of: of, Full: full, Change: w.restartFactor(), Note: func(devices, nodes int) string {
		return fmt.Sprintf("by work left it is number %d of %d, the longest first; on %s it goes %.2f times as fast as on %d", w.longer+1, w.jobs,
			policy.FormatCount(devices, "GPU"), h.speed(devices, nodes)/max(h.speed(h.sizes[0], 1), math.SmallestNonzeroFloat32), h.sizes[0])
	}}
}

// assumedRestart is what a restart costs a job of which that is not known, in seconds.
const assumedRestart = 30

// restartFactor is what a job keeps of its worth in another place: the part of its time that is no
// restart. That is the less of two: of the time since it arrived, with one restart more, and of what
// it has left where it runs. A restart near the end gains nothing, and one that many came before little.
func (w *elasticWork) restartFactor() float64 {
	if !w.HoldsGPUs() {
		return 1
	}
	cost, age := cmp.Or(w.CheckpointCost.Seconds(), assumedRestart), w.homes[0].group.Round.Now.Sub(w.Arrive).Seconds()
	factor := max(age-float64(w.StopCount)*cost, 0) / (max(age, 0) + cost)
	if i := slices.IndexFunc(w.homes, func(h home) bool { return h.group.GPUType == w.On.FirstType() }); i >= 0 {
		if speed := w.homes[i].speed(w.On.Count(), len(w.On.Nodes())); speed > 0 {
			factor = min(factor, w.left/(w.left+cost*speed))
		}
	}
	return factor
}
