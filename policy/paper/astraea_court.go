package paper

import (
	"errors"
	"fmt"
	"slices"

	"fairbridge/policy"
)

// court is one round of Astraea. It answers four questions of the pipeline
// from one hearing, held when the first is asked.
type court struct {
	*Astraea
	past      *deserved
	deserved  *deserved
	quota     map[string]float64
	petitions map[*policy.Entry]*petition
	line      []*policy.Entry
}

func newCourt(a *Astraea, s *policy.Snapshot, past *deserved) *court {
	c := &court{Astraea: a, quota: quotas(s), past: past, petitions: make(map[*policy.Entry]*petition, len(s.Jobs))}
	r := policy.Round{Snapshot: s}
	count := map[string]float64{}
	for i := range s.Jobs {
		if e := (policy.Entry{Job: &s.Jobs[i]}); r.Startable(&e) {
			count[e.Account] += float64(e.Count())
		}
	}
	c.deserved = past.next(s, func(j *policy.Job) float64 {
		if e := (policy.Entry{Job: j}); !r.Startable(&e) {
			return 0
		}
		return min(j.Ask.GPUs.Whole(), c.quota[j.Account]/count[j.Account])
	})
	return c
}

// Share implements policy.Sharer: what the jobs were granted for a lease.
func (c *court) Share(r *policy.Round) ([]float64, error) {
	c.hear(r)
	due := make([]float64, len(r.Entries))
	for i, e := range r.Entries {
		if p := c.petitions[e]; p != nil && p.granted {
			due[i] = p.gpus()
		}
	}
	return due, nil
}

// Order implements policy.Orderer: jobs within their lease, then those granted
// one now, then the others as they would be granted one next.
func (c *court) Order(*policy.Round) ([]*policy.Entry, error) { return c.line, nil }

// Tier implements policy.Preempter: who was granted a lease goes before who
// was not.
func (c *court) Tier(_ *policy.Round, e *policy.Entry) int {
	if p := c.petitions[e]; p != nil && p.granted {
		return 0
	}
	return 1
}

var errLeased = errors.New("its lease has not ended")

// MayStop implements policy.Preempter.
func (c *court) MayStop(_ *policy.Round, victim *policy.Entry) error {
	if p := c.petitions[victim]; p == nil || p.granted {
		return errLeased
	}
	return nil
}

// Behind implements policy.Backfiller: nobody takes devices that a blocked job
// could use.
func (c *court) Behind(r *policy.Round, blocked *policy.Entry) func(*policy.Entry, policy.Alloc) error {
	p := c.petitions[blocked]
	if c.Block != "all" && (p == nil || !p.starved) {
		return func(*policy.Entry, policy.Alloc) error { return nil }
	}
	return func(_ *policy.Entry, on policy.Alloc) error {
		if !usable(r.Snapshot, blocked.Job, on) {
			return nil
		}
		return fmt.Errorf("job %d is ahead and could use them: %w", blocked.ID, policy.ErrPlace)
	}
}

// usable reports whether the job could use any of the devices.
func usable(s *policy.Snapshot, j *policy.Job, on policy.Alloc) bool {
	return slices.ContainsFunc(on, func(slot policy.Slot) bool {
		n := s.Node(slot.Node)
		return n != nil && n.In(j.Partition) && !slices.Contains(j.Ask.Exclude, n.Name) &&
			(len(j.Ask.Require) == 0 || slices.Contains(j.Ask.Require, n.Name)) &&
			(j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == slot.Type)
	})
}
