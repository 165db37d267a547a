package engine

import (
	"fmt"

	"fairbridge/policy"
)

// A Pipeline makes most policies: ten questions about a round, each with a
// plain answer when nil, and Rules that hold for all of them. The zero
// Pipeline is first come, first served, in strict order. An Allocator answers
// three of the questions at once.
//
// The line is walked once, first to last. A running job keeps its very
// devices. A pending job starts if it finds room and no job blocked before it
// is delayed; otherwise running jobs may give way: those of a larger tier with
// Preempt, those without a lease with Lease or Allocate.
type Pipeline struct {
	Name     string     // Plan.Policy; "": "fifo"
	Predict  Predictor  // nil: nothing is predicted
	Admit    Admitter   // nil: every job may enter
	Share    Sharer     // nil: every job is due what it asks
	Order    Orderer    // nil: by Arrive, then ID
	Size     Sizer      // nil: what is asked; what is held, for those that run
	Lease    Leaser     // nil: what runs, runs on
	Allocate Allocator  // nil: Order, Size and Lease are asked one after the other
	Place    Placer     // nil: pool.Fit
	Pack     Packer     // nil: no job gets a neighbour
	Backfill Backfiller // nil: no job passes a blocked one of its partition and GPU type
	Preempt  Preempter  // nil: no job is stopped
	Rules    Rules
	// PassOrder compares two jobs behind a blocked one with which they share GPUs: who may pass it first;
	// nil: as they stand in line.
	PassOrder func(r *Round, a, b *Entry) int
	// LeavesBackfillToSlurm says that jobs it keeps back although they have room are those
	// that Slurm keeps back by itself: they wait, and are not held.
	LeavesBackfillToSlurm bool
}

// Decide implements Policy. Its errors are those of the stages, or a stage
// that broke its contract.
func (p Pipeline) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if p.Name == "" {
		p.Name = "fifo"
	}
	p.Rules = p.Rules.withDefaults()
	r := newRound(s, p.Predict)
	line, err := p.askStages(r)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", p.Name, err)
	}
	newWalk(&p, r, line).run()
	plan := r.newPlan(p.Name)
	r.leave()
	return plan, nil
}

// askStages asks the stages that come before any job is placed, and returns the
// line.
func (p *Pipeline) askStages(r *Round) ([]*Entry, error) {
	for _, e := range r.Entries {
		if p.Admit != nil && !e.HoldsGPUs() {
			e.RefusedBecause = p.Admit.Admit(r, e)
		}
	}
	if err := p.askSharer(r); err != nil {
		return nil, fmt.Errorf("sharing: %w", err)
	}
	if p.Allocate != nil {
		line, err := p.askAllocator(r)
		if err != nil {
			return nil, fmt.Errorf("allocating: %w", err)
		}
		return p.moveLeasedFirst(r, line), nil
	}
	line, err := p.askOrderer(r)
	if err != nil {
		return nil, fmt.Errorf("ordering: %w", err)
	}
	if err := p.askSizer(r, line); err != nil {
		return nil, fmt.Errorf("sizing: %w", err)
	}
	if line, err = p.askLeaser(r, line); err != nil {
		return nil, fmt.Errorf("leasing: %w", err)
	}
	return line, nil
}

func (p *Pipeline) askSharer(r *Round) error {
	if p.Share == nil {
		for _, e := range r.Entries {
			e.DueGPUs = float64(e.Ask.GPUs.Count)
		}
		return nil
	}
	due, err := p.Share.Share(r)
	if err != nil {
		return err
	}
	if len(due) != len(r.Entries) {
		return fmt.Errorf("%d shares for %d jobs", len(due), len(r.Entries))
	}
	for i, e := range r.Entries {
		e.DueGPUs = due[i]
	}
	return nil
}

func (p *Pipeline) askOrderer(r *Round) ([]*Entry, error) {
	if p.Order == nil {
		return r.Line(CompareArrival), nil
	}
	line, err := p.Order.Order(r)
	if err != nil {
		return nil, err
	}
	return line, r.checkLine(line)
}

// checkLine says so where the line does not hold each entry of the round once.
func (r *Round) checkLine(line []*Entry) error {
	for _, e := range line {
		e.isInLine = true
	}
	for _, e := range r.Entries {
		if len(line) != len(r.Entries) || !e.isInLine {
			return fmt.Errorf("the line of %d must hold each of the %d jobs once; job %d", len(line), len(r.Entries), e.ID)
		}
	}
	return nil
}

func (p *Pipeline) askSizer(r *Round, line []*Entry) error {
	if p.Size == nil {
		for _, e := range line {
			e.WantedDeviceCount = e.DeviceCount()
		}
		return nil
	}
	want, err := p.Size.Size(r, line)
	if err != nil {
		return err
	}
	if len(want) != len(line) {
		return fmt.Errorf("%d sizes for %d jobs", len(want), len(line))
	}
	for i, e := range line {
		if err := e.checkDeviceCount(want[i]); err != nil {
			return err
		}
		e.WantedDeviceCount = want[i]
	}
	return nil
}
