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
}

// DemandForecast is what is needed from a time on.
type DemandForecast struct {
	From time.Time `json:"from"`
	GPUs int       `json:"gpus"`
}

func (s InferenceService) clone() InferenceService {
	s.Forecast = slices.Clone(s.Forecast)
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
