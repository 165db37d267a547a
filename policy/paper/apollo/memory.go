package apollo

import (
	"errors"
	"slices"
	"time"

	"fairbridge/policy"
)

// memory are the plans of jobs that wait.
type memory struct {
	Jobs  []policy.JobID `json:"jobs,omitempty"` // sorted
	Plans []plan         `json:"plans,omitempty"`
}

// plan is where a job is to run.
type plan struct {
	GPUType string    `json:"type"`
	Made    time.Time `json:"made"`
	Start   time.Time `json:"start"` // when it was to start, as thought then
}

var errGarbled = errors.New("jobs are not sorted, or plans are not as many")

func (m *memory) check() error {
	if len(m.Jobs) != len(m.Plans) || !slices.IsSorted(m.Jobs) {
		return errGarbled
	}
	return nil
}

// keep notes the plan of a job. Jobs are noted by id.
func (m *memory) keep(id policy.JobID, p plan) {
	m.Jobs, m.Plans = append(m.Jobs, id), append(m.Plans, p)
}
