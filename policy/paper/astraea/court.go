package astraea

import (
	"errors"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// court is one round of Astraea. It answers four questions of the pipeline
// from one hearing, held when the first is asked.
type court struct {
	*Policy
	past      *deserved
	deserved  *deserved
	quota     map[string]float64
	petitions map[*engine.Entry]*petition
	line      []*engine.Entry
}

func newCourt(a *Policy, s *policy.Snapshot, past *deserved) *court {
	c := &court{Policy: a, quota: quotas(s), past: past, petitions: make(map[*engine.Entry]*petition, len(s.Jobs))}
	r := engine.Round{Snapshot: s}
	count := map[string]float64{}
	for i := range s.Jobs {
		if e := (engine.Entry{Job: &s.Jobs[i]}); r.Startable(&e) {
			count[e.Account] += float64(e.Count())
		}
	}
	c.deserved = past.next(s, func(j *policy.Job) float64 {
		if e := (engine.Entry{Job: j}); !r.Startable(&e) {
			return 0
		}
		return min(j.Ask.GPUs.Whole(), c.quota[j.Account]/count[j.Account])
	})
	return c
}

// Share implements engine.Sharer: what the jobs were granted for a lease.
func (c *court) Share(r *engine.Round) ([]float64, error) {
	c.hear(r)
	due := make([]float64, len(r.Entries))
	for i, e := range r.Entries {
		if p := c.petitions[e]; p != nil && p.granted {
			due[i] = p.gpus()
		}
	}
	return due, nil
}

// Order implements engine.Orderer: jobs within their lease, then those granted
// one now, then the others as they would be granted one next.
func (c *court) Order(*engine.Round) ([]*engine.Entry, error) { return c.line, nil }

// Tier implements engine.Preempter: who was granted a lease goes before who
// was not.
func (c *court) Tier(_ *engine.Round, e *engine.Entry) int {
	if p := c.petitions[e]; p != nil && p.granted {
		return 0
	}
	return 1
}

var errLeased = errors.New("its lease has not ended")

// MayStop implements engine.Preempter.
func (c *court) MayStop(_ *engine.Round, victim *engine.Entry) error {
	if p := c.petitions[victim]; p == nil || p.granted {
		return errLeased
	}
	return nil
}

// Behind implements engine.Backfiller: nobody takes devices that a blocked job
// could use.
func (c *court) Behind(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	p := c.petitions[blocked]
	if c.Block != "all" && (p == nil || !p.starved) {
		return func(*engine.Entry, policy.Alloc) error { return nil }
	}
	return func(_ *engine.Entry, on policy.Alloc) error {
		if !usable(r.Snapshot, blocked.Job, on) {
			return nil
		}
		return fmt.Errorf("job %d is ahead and could use them: %w", blocked.ID, engine.ErrPlace)
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
