package rest

import (
	"context"
	"errors"
	"io"
	"maps"
	"strings"

	"fairbridge/bridge/slurm"
)

// jobs brings the model up to date and copies it into v.
func (c *Client) jobs(ctx context.Context, v *slurm.View) error {
	c.mu.Lock()
	old, touched, states := c.model, maps.Clone(c.touched), c.api.States
	c.mu.Unlock()
	next, err := c.advance(ctx, v, old, touched, states)
	if err != nil {
		return err
	}
	v.Jobs = next.list()
	c.mu.Lock()
	defer c.mu.Unlock()
	next.started = c.model.started
	c.model = next
	for id, n := range touched {
		if c.touched[id] != n { // touched again meanwhile
			continue
		}
		if c.touched[id]--; c.touched[id] <= 0 {
			delete(c.touched, id)
		}
	}
	return nil
}

// advance reads what is needed: little, or everything.
func (c *Client) advance(ctx context.Context, v *slurm.View, old model, touched map[int64]int, states bool) (model, error) {
	if !states {
		return c.full(ctx, v, old, nil)
	}
	// The states come first: what moves after them is found by the next poll.
	marks, err := c.states(ctx, v)
	var bad *slurm.Error
	if errors.As(err, &bad) && bad.Class == slurm.Garbled { // a form we do not know: the long way works still
		v.Warnings = append(v.Warnings, "the whole job list was read because: "+err.Error())
		return c.full(ctx, v, old, nil)
	}
	if err != nil {
		return old, err
	}
	if old.full.IsZero() || v.At.Sub(old.full) >= c.poll.FullEvery || v.At.Before(old.full) {
		return c.full(ctx, v, old, marks)
	}
	ids := old.stale(marks, touched)
	if len(ids) > min(c.poll.Few, len(marks)*c.poll.FewPercent/100+10) {
		return c.full(ctx, v, old, marks)
	}
	found, err := c.some(ctx, ids)
	if err != nil {
		return old, err
	}
	v.AddGone(unknown(ids, found)...)
	return old.with(marks, ids, found), nil
}

// full reads the whole list, and asks about what it leaves out.
func (c *Client) full(ctx context.Context, v *slurm.View, old model, marks map[int64]string) (model, error) {
	about := max(len(old.jobs), len(marks))
	dec := slurm.Decoder{Limits: slurm.Limits{Bytes: c.conn.MaxBytes()}}
	var jobs []slurm.Job
	m, err := c.get(ctx, "jobs", func(r io.Reader) (m slurm.Meta, err error) {
		jobs, m, err = dec.Jobs(r, make([]slurm.Job, 0, about+about/16))
		return m, err
	})
	if err != nil {
		return model{}, err
	}
	v.Full = true
	for _, w := range m.Warnings {
		if !strings.HasPrefix(w, "Zero jobs") { // an empty queue is no fault of the request
			v.Warnings = append(v.Warnings, w)
		}
	}
	next := model{jobs: make(map[int64]*slurm.Job, len(jobs)), marks: marks, full: v.At}
	for i := range jobs {
		next.jobs[jobs[i].ID] = &jobs[i]
	}
	return next, c.missing(ctx, v, old, next)
}

// states reads the cheap list.
func (c *Client) states(ctx context.Context, v *slurm.View) (map[int64]string, error) {
	dec := slurm.Decoder{Limits: slurm.Limits{Bytes: c.conn.MaxBytes()}}
	var lines []slurm.TaskState
	m, err := c.get(ctx, "jobs/state/", func(r io.Reader) (m slurm.Meta, err error) {
		lines, m, err = dec.States(r, nil)
		return m, err
	})
	if err != nil {
		return nil, err
	}
	v.Warnings = append(v.Warnings, m.Warnings...)
	return marksOf(lines), nil
}

// some reads single jobs. One that Slurm says it does not know is left out:
// that is the proof of its absence.
func (c *Client) some(ctx context.Context, ids []int64) (map[int64]*slurm.Job, error) {
	found := make(map[int64]*slurm.Job, len(ids))
	for _, id := range ids {
		if _, have := found[id]; have {
			continue // came with its array
		}
		jobs, err := c.details(ctx, id)
		var e *slurm.Error
		if errors.As(err, &e) && e.Class == slurm.Gone {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			found[jobs[i].ID] = &jobs[i]
		}
	}
	return found, nil
}
