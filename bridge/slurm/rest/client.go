package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
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

	polling sync.Mutex // one poll at a time; it guards parts
	parts   partitionList

	mu      sync.Mutex // what follows
	api     API
	warning string
	model   model
	aside   known         // reservations
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

// Token returns what the current token says of itself.
func (c *Client) Token() (wire.Token, error) { return c.conn.Token() }

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
// Gone; so is the id of an array of which only other tasks are left.
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
	tasks := len(jobs) > 0 && !slices.ContainsFunc(jobs, func(j slurm.Job) bool { return j.ArrayJob != id })
	if tasks {
		return slurm.Job{}, &slurm.Error{Class: slurm.Gone, Text: fmt.Sprintf("of array %d only other tasks are left", id)}
	}
	return slurm.Job{}, &slurm.Error{Class: slurm.Garbled, Text: fmt.Sprintf("asked for job %d, got other jobs", id)}
}

// noSuchNode is Slurm's number for a node it does not know.
const noSuchNode = 2018

// HasNode asks about one node. False is Slurm's word that it does not know it:
// its number for that or, as releases from 23.11 on answer, an error without
// any number.
func (c *Client) HasNode(ctx context.Context, name string) (bool, error) {
	var nodes []slurm.Node
	meta, err := c.get(ctx, "node/"+url.PathEscape(name), func(r io.Reader) (m slurm.Meta, err error) {
		nodes, m, err = new(slurm.Decoder).Nodes(r, nil)
		return m, err
	})
	switch {
	case err == nil && slices.ContainsFunc(nodes, func(n slurm.Node) bool { return n.Name == name }):
		return true, nil
	case err == nil:
		return false, &slurm.Error{Class: slurm.Garbled, Text: fmt.Sprintf("asked for node %s, got other nodes", name)}
	case len(meta.Errors) > 0 && !slices.ContainsFunc(meta.Errors, func(p slurm.Problem) bool { return p.Number != noSuchNode && p.Number != 0 }):
		return false, nil
	}
	return false, fmt.Errorf("reading node %s: %w", name, err)
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
