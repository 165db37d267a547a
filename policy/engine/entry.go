package engine

import (
	"fmt"

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
