package policy

import (
	"slices"
	"time"
)

// InferenceService answers requests on GPUs that are its own, and needs more of them at some times
// than at others. What runs of it are jobs, its replicas (Job.ReplicaOf): those that hold GPUs and
// those that wait are what it needs now. How many there should be is decided elsewhere;
// a policy that lends its idle GPUs only sees to it that they are back in time.
//
// A lender keeps three promises: what is lent goes to jobs that may be stopped, and to no others;
// a replica that waits gets GPUs of its service before any lent job does; and where a lent job
// has to leave for it, the GPUs are free within RecallWithin. A service that cannot wait so long
// keeps spare GPUs, which lenders call a guard.
type InferenceService struct {
	Name      string `json:"name"`
	Partition string `json:"partition"`
	GPUType   string `json:"type,omitempty"` // of its GPUs; "": any whole ones of the partition
	OwnGPUs   int    `json:"own"`            // how many are its own, wherever they are; what it needs beyond is asked for as by any job
	// Forecast is how many GPUs it will need at most, but for one time in twenty, from each
	// time on until the next, ascending; nil: no more is known than what it needs now.
	Forecast []DemandForecast `json:"forecast,omitempty"`
	// RecallWithin is how long it takes to have a lent GPU back: the time a job has to end
	// in, and what the node needs to be clean; 0: at once, as in simulations.
	RecallWithin time.Duration `json:"recall,omitempty"`
	// Scaling is what a policy must know to say how many replicas there should be; nil: that is decided elsewhere.
	Scaling *ReplicaScaling `json:"scaling,omitempty"`
}

// DemandForecast is what is needed from a time on.
type DemandForecast struct {
	From time.Time `json:"from"`
	GPUs int       `json:"gpus"`
}

func (s InferenceService) clone() InferenceService {
	s.Forecast = slices.Clone(s.Forecast)
	if s.Scaling != nil {
		scaling := *s.Scaling
		scaling.Rates, scaling.Usual = slices.Clone(scaling.Rates), slices.Clone(scaling.Usual)
		s.Scaling = &scaling
	}
	return s
}

// PeakGPUs returns the most GPUs that the service is thought to need at any time from a moment on
// for a length; 0 where there is no forecast for it.
func (s *InferenceService) PeakGPUs(from time.Time, length time.Duration) int {
	most := 0
	for i, f := range s.Forecast {
		isOver := i+1 < len(s.Forecast) && !s.Forecast[i+1].From.After(from)
		if !isOver && !f.From.After(from.Add(length)) {
			most = max(most, f.GPUs)
		}
	}
	return most
}

// CountReplicaGPUs returns the GPUs that the service's replicas hold, and those that they wait for
// and could have now.
func (s *Snapshot) CountReplicaGPUs(service string) (held, waiting int) {
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; {
		case service == "" || j.ReplicaOf != service:
		case j.HoldsGPUs():
			held += j.On.Count()
		case j.CanStart(s.Now):
			waiting += j.Ask.GPUs.Count * j.TaskCount()
		}
	}
	return held, waiting
}

// ReplicaScaling is what its owner promises of an inference service, and how many requests it has. Its
// replicas are jobs that are all alike: as many as it may ever need are submitted, of which those that are not needed
// wait.
type ReplicaScaling struct {
	Least int `json:"least"`           // replicas that it always has
	Most  int `json:"most,omitempty"`  // replicas that it may have; 0: as many as there are jobs
	Spare int `json:"spare,omitempty"` // replicas that run beyond those needed
	// ResponseWithin is the time in which the part ResponsePart (0 to 1) of all requests is to be answered,
	// counted from when they came.
	ResponseWithin time.Duration `json:"within"`
	ResponsePart   float64       `json:"part"`
	ServiceTime    time.Duration `json:"service_time"` // that one request takes on a replica, in the mean; 0: not known
	SetupTime      time.Duration `json:"setup"`        // from when it is decided that a replica starts until it answers
	// Rates are the requests a second that came in the last stretches of time, each as long as RateWindow, the
	// last one last; nil: not known.
	Rates      []float64     `json:"rates,omitempty"`
	RateWindow time.Duration `json:"rate_window,omitempty"`
	Usual      []UsualRate   `json:"usual,omitempty"` // ascending; nil: not known
	// UnknownReason says why its requests are not known although its replicas are to report them, "" where
	// nothing was expected or they are known. Silence proves nothing: all replicas are wanted then.
	UnknownReason string `json:"unknown,omitempty"`
}

// UsualRate is how many requests a second come from a time on until the next, as a rule: the median of that hour
// in the days before.
type UsualRate struct {
	From      time.Time `json:"from"`
	PerSecond float64   `json:"per_second"`
}

// GreatestUsualRate returns the greatest usual rate between two times, both included; 0: none is known.
func (s *ReplicaScaling) GreatestUsualRate(from, to time.Time) (most float64) {
	for i, u := range s.Usual {
		isOver := i+1 < len(s.Usual) && !s.Usual[i+1].From.After(from)
		if !isOver && !u.From.After(to) {
			most = max(most, u.PerSecond)
		}
	}
	return most
}
