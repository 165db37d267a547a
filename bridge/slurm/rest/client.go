package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/wire"
)

// Config says where slurmrestd is and who we are to it.
type Config = wire.Config

// Client reads one cluster. It is safe for concurrent use; polls wait for
// each other.
type Client struct {
	cfg  Config
	poll Poll
	conn *wire.Conn

	polling sync.Mutex // one poll at a time

	mu      sync.Mutex // what follows
	api     API
	warning string
	model   model
	touched map[int64]int // jobs changed by us → polls that still re-read them
}

// Open connects to slurmrestd and agrees on an API version. Errors of the
// configuration and the token come before anything is sent; others are
// *slurm.Error.
func Open(ctx context.Context, cfg Config, poll Poll) (*Client, error) {
	conn, err := wire.Dial(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, poll: poll.complete(), conn: conn, touched: map[int64]int{}}
	if err := c.negotiate(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// API returns the version in use and what it can do.
func (c *Client) API() API {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.api
}

// Warning says what people should know about the version in use; "" when
// there is nothing.
func (c *Client) Warning() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.warning
}

// Conn returns the connection, for package door.
func (c *Client) Conn() *wire.Conn { return c.conn }

// Touch makes the next polls read the job afresh, because we changed it.
// Three polls, since a call without an answer can be carried out late.
func (c *Client) Touch(job int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.touched[job] = 3
}

// get reads one path of the version in use. When slurmrestd no longer serves
// the version, another is agreed on and the read is done again.
func (c *Client) get(ctx context.Context, path string, read wire.Reader) (slurm.Meta, error) {
	meta, err := c.conn.Get(ctx, "/slurm/"+c.API().Name()+"/"+path, read)
	var e *slurm.Error
	if !errors.As(err, &e) || e.Class != slurm.NoVersion {
		return meta, err
	}
	if err := c.negotiate(ctx); err != nil {
		return meta, err
	}
	return c.conn.Get(ctx, "/slurm/"+c.API().Name()+"/"+path, read)
}

// Reread reads one job afresh, and the next poll does so too: what it shows may
// be news to the model. A job Slurm does not know is a *slurm.Error of class
// Gone.
func (c *Client) Reread(ctx context.Context, id int64) (slurm.Job, error) {
	c.mu.Lock()
	c.touched[id] = max(c.touched[id], 1)
	c.mu.Unlock()
	jobs, err := c.details(ctx, id)
	if err != nil {
		return slurm.Job{}, fmt.Errorf("reading job %d again: %w", id, err)
	}
	for _, j := range jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return slurm.Job{}, &slurm.Error{Class: slurm.Garbled, Text: fmt.Sprintf("asked for job %d, got other jobs", id)}
}

// details reads the records Slurm answers with for one id: of an array's id,
// those of all its tasks.
func (c *Client) details(ctx context.Context, id int64) ([]slurm.Job, error) {
	var jobs []slurm.Job
	_, err := c.get(ctx, fmt.Sprintf("job/%d", id), func(r io.Reader) (m slurm.Meta, err error) {
		jobs, m, err = new(slurm.Decoder).Jobs(r, nil)
		return m, err
	})
	return jobs, err
}
