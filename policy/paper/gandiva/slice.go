package gandiva

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pack"
)

// slicer hands out the turns of one round. Two jobs that share GPUs take one
// turn together: the host holds the lease, the guest goes with it.
type slicer struct {
	*Policy
	past, now *slicesMemo
	guests    pack.With               // by guest, its host
	leave     map[policy.JobID]string // guests of pairs that are undone
	hosted    map[policy.JobID]bool   // guests whose host holds a lease
}

// Order implements engine.Orderer: who had the least turns first.
func (s *slicer) Order(r *engine.Round) ([]*engine.Entry, error) {
	s.now = s.past.next(r)
	s.judge(r)
	s.pair(r)
	rows := make([]int, len(r.Entries))
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(a, b int) int {
		x, y := r.Entries[a], r.Entries[b]
		return cmp.Or(cmp.Compare(s.now.Ran[a], s.now.Ran[b]), cmp.Compare(y.Ask.GPUs.Count, x.Ask.GPUs.Count), cmp.Compare(x.ID, y.ID))
	})
	line := make([]*engine.Entry, len(rows))
	for i, row := range rows {
		line[i] = r.Entries[row]
		if !r.Terse {
			line[i].Note = fmt.Sprintf("it has had turns of %v, fewest first", policy.Seconds(s.now.Ran[row]).Round(time.Minute))
		}
	}
	return line, nil
}

// Lease implements engine.Leaser.
func (s *slicer) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	left, grants := grant.NewCounts(r), make([]engine.Grant, len(line))
	holds := map[policy.JobID]bool{}
	for i, e := range line {
		switch _, guest := s.guests[e.ID]; {
		case s.leave[e.ID] != "":
			grants[i].Leave = s.leave[e.ID]
		case !guest:
			grants[i].Run = grant.Competes(r, e) && left.Take(e.Gang().GPUs.Type, e.Want)
			holds[e.ID] = grants[i].Run
		}
	}
	s.hosted = map[policy.JobID]bool{}
	for guest, host := range s.guests {
		s.hosted[guest] = holds[host]
	}
	return grants, nil
}

var errHosted = errors.New("it shares the GPUs of a job that has a turn")

// MayStop implements engine.Preempter: a guest stays while its host has a turn.
func (s *slicer) MayStop(_ *engine.Round, victim *engine.Entry) error {
	if s.hosted[victim.ID] {
		return errHosted
	}
	return nil
}

// Tier implements engine.Preempter; leases decide.
func (s *slicer) Tier(*engine.Round, *engine.Entry) int { return 0 }
