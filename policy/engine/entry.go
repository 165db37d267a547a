package engine

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
)

// Entry is one job's line in a round: what the stages found out about it.
type Entry struct {
	*policy.Job
	RefusedBecause    error          // by Admit: why it may not enter; nil: it may
	DueGPUs           float64        // by Share: GPUs it is entitled to now
	WantedDeviceCount int            // by Size or Allocate: devices it should run on
	IsUnstoppable     bool           // before Lease and Allocate: it runs and the Rules do not let it be stopped now
	Grant             Grant          // by Lease or Allocate
	WantedAlloc       policy.Alloc   // by Allocate: the very devices it should run on; nil: any
	WantedAmounts     policy.Amounts // by Allocate: cores and memory it should run with; 0: what it asks
	BesideJob         policy.JobID   // by Allocate: the job whose devices it may share; 0: none
	Note              string         // by Order or Allocate: why it stands where it stands, for Decision.Why
	PlannedAlloc      policy.Alloc   // by the walk: what it holds as the plan stands so far; nil: nothing
	SharesWith        policy.JobID   // by the walk: it was packed on the devices of this job; 0: of none
	Index             int            // its place in Round.Entries

	round         *Round
	estimate      TimeLeftEstimate // see Estimate
	isPredicted   bool
	gpuTypesToTry []string // see deviceFinder.orderGPUTypes
	verdict       verdict
	cachedFacts   cachedGangFacts // see Round.gangFacts
	isInLine      bool            // the Orderer has it
}

// Estimate is what the Predictor says of the job. It is asked when that is first wanted in a round.
func (e *Entry) Estimate() TimeLeftEstimate {
	if !e.isPredicted && e.round != nil && e.round.predictor != nil {
		e.SetEstimate(e.round.predictor.Predict(e.round, e))
	}
	return e.estimate
}

// SetEstimate replaces what the Predictor says of the job.
func (e *Entry) SetEstimate(t TimeLeftEstimate) { e.estimate, e.isPredicted = t, true }

// IsElastic reports whether the job may run on a number of devices other than
// what it asks.
func (e *Entry) IsElastic() bool { return e.MinGPUs > 0 && e.MaxGPUs > e.MinGPUs }

// DeviceCount returns the devices the job holds, or asks when it holds none.
func (e *Entry) DeviceCount() int {
	if n := e.On.Count(); n > 0 {
		return n
	}
	return e.Ask.GPUs.Count
}

// GangAsk returns what is to be placed: the ask, at the size WantedDeviceCount, with the cores and memory
// it should have, on the type it has a lease for.
func (e *Entry) GangAsk() policy.Ask {
	a := e.Job.AskWithLimit().Resized(e.WantedDeviceCount).WithAmounts(e.WantedAmounts)
	if leased := e.leasedType(); leased != "" {
		a.GPUs.Type = leased
	}
	a.TypesToTry = e.gpuTypesToTry
	return a
}

// wantsOtherAmounts reports whether a running job should have other cores or memory than it holds.
func (e *Entry) wantsOtherAmounts() bool {
	ask := e.Ask.Resized(e.WantedDeviceCount).WithAmounts(e.WantedAmounts)
	return e.WantedAmounts != policy.Amounts{} && ask.Amounts() != e.HeldAmounts()
}

// leasedType is the GPU type the job has a lease for, of those it may run on; "": none in
// particular.
func (e *Entry) leasedType() string {
	if !e.Grant.HasLease || !e.AcceptsType(e.Grant.GPUType) {
		return ""
	}
	return e.Grant.GPUType
}

// checkDeviceCount says why the job cannot run on the number of devices. 0 means not now
// and suits every job.
func (e *Entry) checkDeviceCount(devices int) error {
	switch {
	case devices == 0 || devices == e.DeviceCount() || devices == e.Ask.GPUs.Count:
		return nil
	case !e.IsElastic():
		return fmt.Errorf("job %d asks for %s and cannot run on %d", e.ID, policy.FormatCount(e.Ask.GPUs.Count, "GPU"), devices)
	case devices < e.MinGPUs || devices > e.MaxGPUs:
		return fmt.Errorf("job %d runs on %d to %d GPUs, not on %d", e.ID, e.MinGPUs, e.MaxGPUs, devices)
	}
	return nil
}

// queueDemand is what a job queues for. A job of any GPU type queues for every type of
// its partition.
type queueDemand struct{ partition, gpuType string }

func (e *Entry) demand() queueDemand { return queueDemand{e.Partition, e.Ask.GPUs.Type} }

func (d queueDemand) overlaps(o queueDemand) bool {
	return d.partition == o.partition && (d.gpuType == o.gpuType || d.gpuType == "" || o.gpuType == "")
}

// turnGuard protects the turn of a blocked job.
type turnGuard struct {
	queueDemand
	blockedJob  *Entry
	blockReason string                           // it is blocked
	checkPass   func(*Entry, policy.Alloc) error // to another job on devices; nil: no job may pass
}

// turnGuards protect the turns of blocked jobs against the jobs behind them.
type turnGuards struct {
	*Round
	pipeline *Pipeline
	list     []turnGuard
	sizes    sizeTurns
}

// add protects the job, where it is the first blocked one with its demand.
func (g *turnGuards) add(e *Entry, why string) {
	if slices.ContainsFunc(g.list, func(o turnGuard) bool { return o.queueDemand == e.demand() }) {
		return
	}
	p := g.pipeline
	if p.Backfill == nil {
		g.list = append(g.list, turnGuard{e.demand(), e, why, nil})
		return
	}
	if _, some := p.Backfill.(Reserver); !some || p.reservesSelectivelyFor(g.Round, e) {
		g.list = append(g.list, turnGuard{e.demand(), e, why, p.Backfill.NewPassCheck(g.Round, e)})
	}
	if e.verdict.isOverdue {
		reserved := Reserve(g.Round, e, p.Rules.ReservationRunLength(g.Round, e))
		g.list = append(g.list, turnGuard{e.demand(), e, why, reserved.CheckPass})
	}
}

// areBefore reports whether the turn of a job is guarded that shares GPUs with this one.
func (g *turnGuards) areBefore(e *Entry) bool {
	return slices.ContainsFunc(g.list, func(o turnGuard) bool { return o.overlaps(e.demand()) })
}

// strictGuard returns the guard that no job with such a demand may pass; nil: there is
// none.
func (g *turnGuards) strictGuard(e *Entry) *turnGuard {
	if g.pipeline.Backfill != nil {
		return nil
	}
	for i := range g.list {
		if g.list[i].overlaps(e.demand()) {
			return &g.list[i]
		}
	}
	return nil
}

// findObjection returns the first objection to the job on the devices; nil: it may
// have them.
func (g *turnGuards) findObjection(e *Entry, on policy.Alloc) error {
	for i := range g.list {
		if g.list[i].checkPass == nil {
			continue // strict: such jobs were turned away before
		}
		if err := g.list[i].checkPass(e, on); err != nil {
			return err
		}
	}
	return g.sizes.findObjection(e, on)
}

// String says whose turn it is.
func (g *turnGuard) String() string {
	return fmt.Sprintf("job %s is ahead, blocked, and may not be passed: it %s", g.blockedJob.Label(), g.blockReason)
}

// orderGPUTypes returns the types of GPU to try for a job that takes any, in their
// order: the fastest for it first. A type that waiting jobs demand by name, and of
// which they leave it too few, comes after those that serve it as well. nil: as
// the pool has them.
func (f *deviceFinder) orderGPUTypes(e *Entry) []string {
	whole := f.FreePool.WholeGPUTypes()
	if len(whole) < 2 || e.GangAsk().GPUs.Type != "" {
		return nil
	}
	if f.demandByType == nil {
		f.demandByType = f.CountTypeDemand(f.entryLine)
	}
	return f.OrderGPUTypes(e, f.demandByType)
}

// OrderGPUTypes returns all types of whole GPUs in the order in which a job that takes any would
// best have them: the fastest for it first, those of which a demand leaves it too few last.
func (r *Round) OrderGPUTypes(e *Entry, demand map[string]int) []string {
	order := slices.Clone(r.FreePool.WholeGPUTypes())
	r.SortFastestFirst(e.Job, order)
	scarcity := func(gpuType string) int {
		if n := demand[gpuType]; n > 0 && r.FreePool.TotalFree(gpuType)-n < e.WantedDeviceCount {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(scarcity(a), scarcity(b)) })
	return order
}

// CountTypeDemand counts, by type, the devices (Entry.WantedDeviceCount) that waiting jobs of the
// line that could start demand by name.
func (r *Round) CountTypeDemand(line []*Entry) map[string]int {
	demand := map[string]int{}
	for _, e := range line {
		if t := e.Ask.GPUs.Type; t != "" && e.WantedDeviceCount > 0 && !e.HoldsGPUs() && e.verdict.verb != policy.Start && r.MayRun(e) && r.CheckEverFits(e) == nil {
			demand[t] += e.WantedDeviceCount
		}
	}
	return demand
}

// subtractDemand takes a job that starts off the demand.
func (f *deviceFinder) subtractDemand(e *Entry) {
	if f.demandByType != nil {
		f.demandByType[e.Ask.GPUs.Type] -= e.WantedDeviceCount
	}
}

// CompareArrival compares by first submission, then by id.
func CompareArrival(a, b *Entry) int {
	if c := a.Arrive.Compare(b.Arrive); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// ThenArrival is the comparison of two entries by something else, or where that finds them alike by arrival.
func ThenArrival(compared int, a, b *Entry) int {
	if compared != 0 {
		return compared // arrivals are all over the memory
	}
	return CompareArrival(a, b)
}

// CompareTenure is the order of jobs within one account: those that run and must
// not be stopped, the other running ones by start, pending ones by arrival.
// What has to give way is taken from its end.
func CompareTenure(a, b *Entry) int {
	return ThenArrival(cmp.Or(cmp.Compare(a.tenureRank(), b.tenureRank()), a.Start.Compare(b.Start)), a, b)
}

func (e *Entry) tenureRank() int {
	switch {
	case !e.HoldsGPUs():
		return 2
	case e.UnstoppableReason == "":
		return 1
	}
	return 0
}
