package sizing

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
)

// Contest is the GPUs of one type that can be divided, and the jobs that compete for them. How many
// each gets, a policy says: by a tournament, by queues. Jobs that declare no range get all they ask or nothing.
type Contest struct {
	GPUType string
	Count   int          // devices that are free, or held by jobs that may be stopped
	Idle    int          // those of them that are free
	Jobs    []*Contender // in order of arrival

	mostPerNode int
	asked       int // devices that jobs listed so far need at least
}

// Contender is a job that competes for the devices of a Contest.
type Contender struct {
	*engine.Entry
	Curve scaling.Curve
	Size  int // devices it gets; set by the policy

	contest *Contest
}

// ListContests lists the contests of a round, in order of nodes and types, with the jobs that could
// start, or run and may be stopped. A job of any type competes for the one it holds, else for
// the fastest for it that is not asked for in full yet, else for the one where least is asked
// for each GPU.
func ListContests(r *engine.Round) []*Contest {
	contests, jobs := listDevices(r), make([]Contender, len(r.Entries)) // one piece of memory for all
	for _, e := range sortByArrival(r.Entries) {
		if e.IsUnstoppable || !r.MayRun(e) {
			continue
		}
		if p := contestFor(r, contests, e); p != nil {
			jobs[e.Index] = Contender{Entry: e, Curve: scaling.New(e.Job), contest: p}
			p.Jobs = append(p.Jobs, &jobs[e.Index])
			p.asked += Least(e)
		}
	}
	return contests
}

// contestFor is the contest that the job takes part in; nil: none.
func contestFor(r *engine.Round, contests []*Contest, e *engine.Entry) *Contest {
	var types []string
	for _, p := range contests {
		if p.takes(r, e) {
			types = append(types, p.GPUType)
		}
	}
	r.SortFastestFirst(e.Job, types)
	var best *Contest
	for _, typ := range types {
		p := findContest(contests, typ)
		if p.asked+Least(e) <= p.Count {
			return p
		}
		if best == nil || p.asked*best.Count < best.asked*p.Count {
			best = p
		}
	}
	return best
}

func listDevices(r *engine.Round) []*Contest {
	var contests []*Contest
	for _, c := range r.ListCapacities(nil) {
		if c.Grantable() > 0 {
			contests = append(contests, &Contest{GPUType: c.GPUType, Count: c.Grantable(), Idle: c.Free, mostPerNode: c.PerNode})
		}
	}
	return contests
}

func findContest(contests []*Contest, gpuType string) *Contest {
	if i := slices.IndexFunc(contests, func(p *Contest) bool { return p.GPUType == gpuType }); i >= 0 {
		return contests[i]
	}
	return nil
}

// takes reports whether the job may run on its devices.
func (p *Contest) takes(r *engine.Round, e *engine.Entry) bool {
	if e.HoldsGPUs() {
		return e.On.FirstType() == p.GPUType
	}
	wantedType := e.Ask.GPUs.Type
	if wantedType != p.GPUType && (wantedType != "" || !slices.Contains(r.FreePool.WholeGPUTypes(), p.GPUType)) {
		return false
	}
	if e.Training != nil && len(e.Training.Rates) > 0 {
		if rate, known := e.Training.Rate(p.GPUType); !known || rate <= 0 {
			return false
		}
	}
	return EverFits(r, e, p.GPUType, Least(e))
}

// Least is the least number of devices the job can have.
func (j *Contender) Least() int { return j.sizeFrom(1) }

// Most is the largest number of devices the job can use of those there are.
func (j *Contender) Most() int {
	if !HasRange(j.Entry) {
		return j.DeviceCount()
	}
	for n := min(j.MaxGPUs, j.contest.Count); n > 0; n-- {
		if j.isLegal(n) {
			return n
		}
	}
	return 0
}

// Next returns the smallest number of devices above one that the job can have; 0: none.
func (j *Contender) Next(devices int) int { return j.sizeFrom(devices + 1) }

func (j *Contender) sizeFrom(least int) int {
	if !HasRange(j.Entry) {
		if n := j.DeviceCount(); n >= least {
			return n
		}
		return 0
	}
	for n := max(least, j.MinGPUs); n <= min(j.MaxGPUs, j.contest.Count); n++ {
		if j.isLegal(n) {
			return n
		}
	}
	return 0
}

// isLegal reports whether an elastic job may have so many: any number on one node, whole nodes
// beyond, and what its owner named.
func (j *Contender) isLegal(n int) bool {
	return n <= j.contest.mostPerNode || n%j.contest.mostPerNode == 0 || n == j.MinGPUs || n == j.Ask.GPUs.Count || n == j.On.Count()
}

// SecondsOn is how long the rest of the job takes on so many devices, at least a second on what
// it asks: of a job of which nothing is known so little is said.
func (j *Contender) SecondsOn(devices int) float64 {
	left := max(j.Estimate().TimeLeft.Seconds(), 1)
	if devices == j.Ask.GPUs.Count {
		return left
	}
	return left / max(j.Curve.Speed(scaling.Size{Type: j.contest.GPUType, Devices: devices})/j.Curve.Speed(scaling.Size{Type: j.contest.GPUType, Devices: j.Ask.GPUs.Count}), 1e-9)
}

// Pace is one over SecondsOn.
func (j *Contender) Pace(devices int) float64 { return 1 / j.SecondsOn(devices) }

// EfficientMost is the most devices up to which each does at least so much of what each does on
// the least the job can have.
func (j *Contender) EfficientMost(efficiency float64) float64 {
	best, first := j.Least(), 0.0
	for n := best; n > 0; n = j.Next(n) {
		perDevice := j.Pace(n) / float64(n)
		if first == 0 {
			first = perDevice
		}
		if perDevice < efficiency*first {
			break
		}
		best = n
	}
	return float64(best)
}

// AssignContests makes the assignments of a round: jobs with devices have a lease, those that run
// first and then the shortest, and the others stand by arrival and take what idles.
func AssignContests(r *engine.Round, contests []*Contest) []engine.Assignment {
	out, has := make([]engine.Assignment, 0, len(r.Entries)), make([]bool, len(r.Entries))
	var leased []*Contender
	seconds := map[*Contender]float64{} // once for each: where the batch follows the size, it is searched
	for _, p := range contests {
		for _, j := range p.Jobs {
			if j.Size > 0 {
				leased, has[j.Index], seconds[j] = append(leased, j), true, j.SecondsOn(j.Size)
			}
		}
	}
	slices.SortStableFunc(leased, func(a, b *Contender) int {
		holdersFirst := -compareBools(a.HoldsGPUs(), b.HoldsGPUs())
		return engine.ThenArrival(cmp.Or(holdersFirst, cmp.Compare(seconds[a], seconds[b])), a.Entry, b.Entry)
	})
	for _, j := range leased {
		a := j.AssignmentWithoutLease()
		a.DeviceCount, a.Grant.HasLease = j.Size, true
		out = append(out, a)
	}
	for _, e := range sortByArrival(r.Entries) {
		if !has[e.Index] {
			a := LeastWithoutLease(e) // not more than it asks: what idles now may be given to others in the next round
			a.DeviceCount = min(a.DeviceCount, e.DeviceCount())
			out = append(out, a)
		}
	}
	return out
}

// sortByArrival returns the entries in order of arrival.
func sortByArrival(entries []*engine.Entry) []*engine.Entry {
	line := slices.Clone(entries)
	slices.SortFunc(line, engine.CompareArrival)
	return line
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Speed is how fast the job goes on so many devices, relative to what it asks.
func Speed(e *engine.Entry, devices int) float64 {
	return scaling.New(e.Job).Speed(scaling.Size{Type: TypeOf(e), Devices: devices})
}

// SortFastestFirst sorts types of whole GPUs, which have the order of Round.GPUTypes, as the job
// would best have them: by its curve on what it asks where that tells of them all, else by what it
// reports, as the engine sorts them for all jobs. The engine does not know curves.
func SortFastestFirst(r *engine.Round, e *engine.Entry, types []string) {
	r.SortFastestFirst(e.Job, types)
	curve := scaling.New(e.Job)
	if len(types) < 2 || slices.ContainsFunc(types, func(t string) bool { return !curve.TellsType(t) }) {
		return
	}
	speeds := make(map[string]float64, len(types))
	for _, t := range types {
		speeds[t] = curve.Speed(scaling.Size{Type: t, Devices: e.Ask.GPUs.Count})
	}
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(speeds[b], speeds[a]) })
}
