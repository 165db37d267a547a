package rest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/restconn"
)

// Config says where slurmrestd is and who we are to it.
type Config = restconn.Config

// Client reads one cluster. It is safe for concurrent use; polls wait for
// each other.
type Client struct {
	*session
	pollConfig PollConfig
	queueCache queueCache

	pollMutex        sync.Mutex // one poll at a time; it guards what follows
	lastPartitions   lastPartitions
	lastReservations lastReservations
}

// Open connects to slurmrestd and agrees on an API version. Errors of the
// configuration and the token come before anything is sent; others are
// *slurm.Error.
func Open(ctx context.Context, cfg Config, poll PollConfig) (*Client, error) {
	conn, err := restconn.NewConn(cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{pollConfig: poll.withDefaults()}
	c.session = &session{conn: conn, pinnedVersion: cfg.PinAPI, onVersionChange: c.queueCache.dropModel}
	if err := c.negotiateVersion(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Observe reads jobs, nodes, partitions and reservations. It returns everything
// or an error, never a part; only reservations may be older than the rest, and
// the view then says so.
func (c *Client) Observe(ctx context.Context) (*slurm.View, error) {
	c.pollMutex.Lock()
	defer c.pollMutex.Unlock()
	v := &slurm.View{}
	if err := c.readClock(ctx, v); err != nil {
		return nil, fmt.Errorf("reading slurmctld's clock: %w", err)
	}
	nodes, meta, err := c.readNodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the nodes: %w", err)
	}
	slices.SortFunc(nodes, func(a, b slurm.Node) int { return cmp.Compare(a.Name, b.Name) })
	v.Nodes, v.Warnings = nodes, append(v.Warnings, meta.Warnings...)
	if err := c.lastPartitions.readOrUseLast(ctx, c.session, v); err != nil {
		return nil, fmt.Errorf("reading the partitions: %w", err)
	}
	c.lastReservations.readOrUseLast(ctx, c.session, v)
	if err := c.readQueue(ctx, v); err != nil {
		return nil, fmt.Errorf("reading the jobs: %w", err)
	}
	api := c.API()
	v.APIVersion, v.CanWriteSiteFactor, v.RereadShowsNice = api.Name(), api.WritesSiteFactor, api.ShowsNice
	v.CanWriteAdminComment = api.WritesAdminComment
	if err := c.checkSameCtld(ctx, v); err != nil {
		return nil, err
	}
	slices.Sort(v.Warnings)
	v.Warnings = slices.Compact(v.Warnings)
	return v, nil
}

// CheckAccess makes sure that slurmctld answers us, whom it must know by our token,
// at the cost of one small request.
func (c *Client) CheckAccess(ctx context.Context) error {
	if err := c.readClock(ctx, &slurm.View{}); err != nil {
		return fmt.Errorf("reading slurmctld's clock: %w", err)
	}
	return nil
}

// ReadDiag returns slurmctld's own account of its work.
func (c *Client) ReadDiag(ctx context.Context) (slurm.Diag, error) {
	d, _, err := c.readDiag(ctx)
	if err != nil {
		return d, fmt.Errorf("reading slurmctld's counters: %w", err)
	}
	return d, nil
}

// readClock reads the time at slurmctld before anything else, so that the view is
// never older than it says.
func (c *Client) readClock(ctx context.Context, v *slurm.View) error {
	d, meta, err := c.readDiag(ctx)
	if err != nil {
		return err
	}
	if d.Now.IsZero() {
		return &slurm.Error{Class: slurm.ErrorGarbledReply, Text: "diag does not tell the time (req_time)"}
	}
	v.At, v.ReadAt, v.Release, v.Cluster = d.Now, c.pollConfig.Now(), meta.Release, meta.Cluster
	v.ControllerLoad = d.LoadBy(c.conn.User())
	v.ControllerStart = c.queueCache.estimateCtldStart(d.CountersStart, d.Now)
	return nil
}

// minRestartTime is the least time in which slurmctld can end and be there again. Requests wait
// for it meanwhile.
const minRestartTime = time.Second

// checkSameCtld makes sure that the lists of the view are from the slurmctld that told the time.
func (c *Client) checkSameCtld(ctx context.Context, v *slurm.View) error {
	if c.pollConfig.Now().Sub(v.ReadAt) < minRestartTime {
		return nil
	}
	again := &slurm.View{}
	if err := c.readClock(ctx, again); err != nil {
		return fmt.Errorf("reading slurmctld's clock again: %w", err)
	}
	if !again.ControllerStart.Equal(v.ControllerStart) {
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld was started while its lists were read: try again"}
	}
	return nil
}

// readQueue brings the model of the queue up to date and copies it into the view.
func (c *Client) readQueue(ctx context.Context, v *slurm.View) error {
	old, pollsLeft := c.queueCache.load()
	p := jobPoll{session: c.session, PollConfig: c.pollConfig, view: v, oldModel: old, pollsLeftByJob: pollsLeft, isFullReadRequested: c.queueCache.takeFullReadRequest()}
	next, err := p.readChanges(ctx)
	if err != nil {
		return err
	}
	v.Jobs = next.sortedJobs()
	c.queueCache.store(next, pollsLeft, v.ControllerLoad.IsBackfilling && len(pollsLeft) <= c.pollConfig.Few)
	return nil
}

// MarkStale makes the next polls read the job afresh, because we sent it a change, with that answer: three,
// ten after one that leaves the outcome open, which may be carried out for minutes and takes the place of what
// people set meanwhile. As long as a pass of backfill is under way, which may undo the change, and few jobs
// are marked, no poll counts.
func (c *Client) MarkStale(job int64, answer error) {
	polls := 3
	if slurm.OutcomeOf(answer) == slurm.OutcomeMaybeDone {
		polls = 10
	}
	c.queueCache.markStale(job, polls)
}

// RequestFullRead makes the next poll read the record of every job, unless the last whole list is
// younger than PollConfig.FullPause for each of its jobs: who still wants one then asks again.
func (c *Client) RequestFullRead() { c.queueCache.requestFullRead() }

// RereadJob reads one job afresh, and the next poll does so too: what it shows may
// be news to the model. A job Slurm does not know is a *slurm.Error of class
// ErrorJobGone; so is the id of an array of which only other tasks are left.
func (c *Client) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	c.queueCache.markStale(id, 1)
	return c.PeekJob(ctx, id)
}

// PeekJob is RereadJob for who only looks: the polls go on as they would.
func (c *Client) PeekJob(ctx context.Context, id int64) (slurm.Job, error) {
	jobs, err := c.readRecordsOfJob(ctx, id)
	if err != nil {
		return slurm.Job{}, fmt.Errorf("reading job %d again: %w", id, err)
	}
	for _, j := range jobs {
		if j.ID == id {
			return j, nil
		}
	}
	tasks := len(jobs) > 0 && !slices.ContainsFunc(jobs, func(j slurm.Job) bool { return j.ArrayJobID != id })
	if tasks {
		return slurm.Job{}, &slurm.Error{Class: slurm.ErrorJobGone, Text: fmt.Sprintf("of array %d only other tasks are left", id)}
	}
	return slurm.Job{}, &slurm.Error{Class: slurm.ErrorGarbledReply, Text: fmt.Sprintf("asked for job %d, got other jobs", id)}
}

// errnoNoSuchNode is Slurm's number for a node it does not know.
const errnoNoSuchNode = 2018

// HasNode asks about one node. False is Slurm's word that it does not know it:
// its number for that or, as releases from 23.11 on answer, an error without
// any number.
func (c *Client) HasNode(ctx context.Context, name string) (bool, error) {
	nodes, meta, err := c.readNode(ctx, name)
	switch {
	case err == nil && slices.ContainsFunc(nodes, func(n slurm.Node) bool { return n.Name == name }):
		return true, nil
	case err == nil:
		return false, &slurm.Error{Class: slurm.ErrorGarbledReply, Text: fmt.Sprintf("asked for node %s, got other nodes", name)}
	case len(meta.Errors) > 0 && !slices.ContainsFunc(meta.Errors, func(p slurm.Problem) bool { return p.ErrorNumber != errnoNoSuchNode && p.ErrorNumber != 0 }):
		return false, nil
	}
	return false, fmt.Errorf("reading node %s: %w", name, err)
}

// PollConfig says how much is read how often.
type PollConfig struct {
	// FullEvery is the longest time without reading the whole job list
	// (duration). Default 5 min; below 0 every poll reads it.
	FullEvery time.Duration `yaml:"full_every"`
	// Few is how many jobs are read one by one at most; when more have
	// changed, the whole list is read (jobs). Default 100.
	Few int `yaml:"few"`
	// FewPercent bounds the same by the share of the listed jobs: one by one
	// costs slurmrestd about five times as much a job as the list (percent).
	// Default 20.
	FewPercent int `yaml:"few_percent"`
	// FullPause is how long after a whole list the next one may be read before it is due, for
	// each job in it (duration). Default 6 ms.
	FullPause time.Duration `yaml:"full_pause"`
	// Now is our clock. Default time.Now.
	Now func() time.Time `yaml:"-"`
}

func (p PollConfig) withDefaults() PollConfig {
	rule := slurm.DefaultFullReadRule()
	p.FullEvery = cmp.Or(p.FullEvery, rule.Every)
	p.FullPause = cmp.Or(p.FullPause, rule.PausePerJob)
	if p.Few == 0 {
		p.Few = 100
	}
	if p.FewPercent == 0 {
		p.FewPercent = 20
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

// fullReadRule is when the whole list is read.
func (p *PollConfig) fullReadRule() slurm.FullReadRule {
	return slurm.FullReadRule{Every: p.FullEvery, PausePerJob: p.FullPause}
}

// lastReservations is the last list of reservations that was read.
type lastReservations struct {
	reservations []slurm.Reservation
	readAt       time.Time // slurmctld's clock
}

// readOrUseLast puts the reservations into the view. A failure is no reason to see
// nothing at all: the view then has what was read last, with its time, and says
// why.
func (r *lastReservations) readOrUseLast(ctx context.Context, s *session, v *slurm.View) {
	list, meta, err := s.readReservations(ctx)
	if err == nil {
		slices.SortFunc(list, func(a, b slurm.Reservation) int { return cmp.Compare(a.Name, b.Name) })
		r.reservations, r.readAt = list, v.At
		v.Warnings = append(v.Warnings, unreadableReservationWarnings(list)...)
		v.Warnings = append(v.Warnings, meta.Warnings...)
	} else {
		v.StaleReservationsReason = "reading the reservations: " + err.Error()
		v.Warnings = append(v.Warnings, v.StaleReservationsReason)
	}
	v.Reservations, v.ReservationsAt = r.reservations, r.readAt
}

// unreadableReservationWarnings says which reservations cannot be read as a whole.
func unreadableReservationWarnings(list []slurm.Reservation) (warnings []string) {
	for i := range list {
		if r := &list[i]; r.UnreadReason != "" {
			warnings = append(warnings, fmt.Sprintf("reservation %s: %s", r.Name, r.UnreadReason))
		}
	}
	return warnings
}
