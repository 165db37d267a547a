// Package live joins reading and writing to one Slurm cluster.
package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/writer"
)

// Cluster is a live Slurm, as the loop of package bridge wants it.
type Cluster struct {
	*rest.Client
	Writer *writer.Writer
	// Scontrol tells the cluster's name where REST does not, and sprio beside it site factors.
	Scontrol scontrol.Command
	// ReadsLimits has every view show the limits of associations and QOS, which stopping jobs needs to know.
	ReadsLimits bool
	// BackfillPatience is how long a view waits at most for a pass of backfill to end, so that the writes
	// that follow it are not undone by that; 0: not at all.
	BackfillPatience time.Duration

	nameProof  clusterNameProof
	topology   topology
	limits     limits
	firstView  time.Time // slurmctld's time of the first view
	needsNices bool      // the next view is to show every nice
}

// New joins a client and the writer made from it.
func New(c *rest.Client, d *writer.Writer) *Cluster { return &Cluster{Client: c, Writer: d} }

// Observe reads everything. Where lists show a job's nice only above 0, scontrol
// can read it before a write. Where REST does not tell whose cluster it is (22.05),
// scontrol is asked: the name is proven by a job that both know alike. That they
// speak for different clusters is an error; that it cannot be known is noted in
// the view. Site factors, which REST never shows, are read by sprio, and switches by scontrol.
func (c *Cluster) Observe(ctx context.Context) (*slurm.View, error) {
	c.awaitBackfill(ctx)
	v, err := c.Client.Observe(ctx)
	if err != nil {
		c.nameProof.store("", nil)
		return nil, err
	}
	if !v.RereadShowsNice {
		v.RereadShowsNice = c.Writer.CanReadNice()
		c.addHiddenNices(ctx, v)
	}
	if v.Cluster == "" {
		if err := c.nameProof.proveInView(ctx, c.Scontrol, v); err != nil {
			return nil, err
		}
	}
	if AddPriorities(ctx, c.Scontrol, v) && v.RereadShowsNice {
		c.needsNices = true
	}
	c.topology.addToView(ctx, c.Scontrol, v)
	if v.UnreadLimitsReason = "they are read only where jobs may be stopped"; c.ReadsLimits {
		v.UnreadLimitsReason = ""
		c.limits.addToView(ctx, c.Scontrol, v)
	}
	return v, nil
}

// awaitBackfill waits for the end of the pass of backfill that is under way. What cannot be read is left to
// the view to complain of.
func (c *Cluster) awaitBackfill(ctx context.Context) {
	const pause = 250 * time.Millisecond
	for left := c.BackfillPatience; left > 0; left -= pause {
		if d, err := c.ReadDiag(ctx); err != nil || !d.IsBackfilling {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// niceReadSpan is how long after a start of slurmctld, and after our own, views show every nice:
// slurmctld may have been started with an older state, in which other numbers of ours stand.
const niceReadSpan = 5 * time.Minute

// addHiddenNices adds the nices that lists do not show, by scontrol, while they may not be what
// the ledger says. Where they cannot be read they stay unknown.
func (c *Cluster) addHiddenNices(ctx context.Context, v *slurm.View) {
	if c.firstView.IsZero() {
		c.firstView = v.At
	}
	isEarly := v.At.Sub(v.ControllerStart) <= niceReadSpan || v.At.Sub(c.firstView) <= niceReadSpan
	if !v.RereadShowsNice || !isEarly && !c.needsNices {
		return
	}
	c.needsNices = false
	nices, err := c.Writer.ReadNices(ctx)
	if err != nil {
		return
	}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if nice, ok := nices[j.ID]; ok && j.IsPending() && !j.IsNiceKnown {
			j.Nice, j.IsNiceKnown = nice, true
		}
	}
}

// RequestFullRead makes the next view show the record of every job, and every nice.
func (c *Cluster) RequestFullRead() {
	c.Client.RequestFullRead()
	c.needsNices = true
}

// RereadJob reads one job afresh, its nice too: by scontrol where REST does not show
// it. A nice that cannot be read stays unknown.
func (c *Cluster) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	j, err := c.Client.RereadJob(ctx, id)
	if err != nil || j.IsNiceKnown || !j.IsPending() || c.API().ShowsNice {
		return j, err
	}
	if nice, err := c.Writer.ReadNice(ctx, id); err == nil {
		j.Nice, j.IsNiceKnown = nice, true
	}
	return j, nil
}

// HandBack carries out a hand-back and calls held between its two calls.
func (c *Cluster) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	err := c.Writer.HandBack(ctx, e, held)
	c.MarkStale(e.Run.Job, err)
	return err
}

// FinishHandBacks releases the jobs that hand-backs left held.
func (c *Cluster) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	return c.Writer.FinishHandBacks(ctx, begun)
}

// ApplyEdit carries out one edit, after which the next views show the job as read
// afresh, whatever the answer was.
func (c *Cluster) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	err := c.Writer.ApplyEdit(ctx, e)
	c.MarkStale(e.Run.Job, err)
	return err
}

// topologyAge is how long a topology that was read counts, and how long none is looked for after one could not be read.
const topologyAge = 10 * time.Minute

// topology keeps the switches of each node, which REST tells on no release as a tree.
type topology struct {
	mu       sync.Mutex
	switches map[string][]string
	readAt   time.Time // by slurmctld's clock; zero: never
}

// addToView adds to each node its switches. Where they cannot be read, those read before stay; without any, nodes are as
// REST shows them.
func (t *topology) addToView(ctx context.Context, s scontrol.Command, v *slurm.View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := v.At.Sub(t.readAt); len(s) > 0 && (t.readAt.IsZero() || age < 0 || age > topologyAge) {
		t.readAt = v.At
		read, err := s.ReadTopology(ctx)
		if err != nil {
			v.Warnings = append(v.Warnings, "switches are as they were read before, or not known: "+err.Error())
		} else {
			t.switches = read
		}
	}
	for i := range v.Nodes {
		v.Nodes[i].Switches = t.switches[v.Nodes[i].Name]
	}
}

// Limits that were read count for limitsMaxAge where they cannot be read again; they are read again after limitsAge.
const (
	limitsAge    = time.Minute
	limitsMaxAge = 10 * time.Minute
)

// limits keeps the limits of associations and QOS, which REST tells on no release together with their usage.
type limits struct {
	mu     sync.Mutex
	values slurm.Limits
	readAt time.Time // by slurmctld's clock; zero: never
}

// addToView adds the limits to the view, or why they are not known.
func (l *limits) addToView(ctx context.Context, s scontrol.Command, v *slurm.View) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := v.At.Sub(l.readAt); l.readAt.IsZero() || age < 0 || age >= limitsAge {
		read, err := s.ReadLimits(ctx, v.Cluster)
		switch {
		case err == nil:
			l.values, l.readAt = read, v.At
		case l.readAt.IsZero() || age < 0 || age > limitsMaxAge:
			v.UnreadLimitsReason = err.Error()
			return
		}
	}
	v.Limits = l.values
}

// maxNameProofAge is how long a proof of the cluster's name counts.
const maxNameProofAge = 5 * time.Minute

// clusterNameProof keeps the cluster's name where REST does not tell it.
type clusterNameProof struct {
	mu        sync.Mutex
	name      string    // as proven; "": not
	provenAt  time.Time // by slurmctld's clock
	ctldStart time.Time // when that slurmctld started
}

// proveInView puts the name, or why there is none, into the view.
func (n *clusterNameProof) proveInView(ctx context.Context, s scontrol.Command, v *slurm.View) error {
	if v.Cluster = n.validName(v); v.Cluster != "" {
		return nil
	}
	name, proven, err := s.ProveClusterName(ctx, v)
	switch {
	case errors.Is(err, scontrol.ErrOtherCluster):
		return err
	case err != nil:
		v.UnprovenClusterReason = fmt.Sprintf("Slurm %s does not tell by REST which cluster it is, and scontrol does not prove it: %v: set slurm.scontrol", v.Release, err)
		return nil
	case proven:
		n.store(name, v)
	}
	v.Cluster = name
	return nil
}

// validName returns the name as long as the last proof counts.
func (n *clusterNameProof) validName(v *slurm.View) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if age := v.At.Sub(n.provenAt); age < 0 || age > maxNameProofAge || !n.ctldStart.Equal(v.ControllerStart) {
		return ""
	}
	return n.name
}

// store notes a proof; "" forgets it.
func (n *clusterNameProof) store(name string, v *slurm.View) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.name = name
	if v != nil {
		n.provenAt, n.ctldStart = v.At, v.ControllerStart
	}
}

// AddPriorities adds to the view's jobs the site factors that sprio shows, which tell whether
// one is still ours, and their priorities of this moment: where lists of states are polled, a record
// is as old as the last whole list, and Slurm computes priorities anew meanwhile, by Fair Tree
// thousands higher or lower for a whole account. Where sprio cannot be asked the view says why.
//
// sprio adds up the factors; a fresh record shows the priority by which Slurm orders the job. They
// differ where backfill, at a job that was changed while it had yielded its locks, wrote back the
// priority of its pass's beginning (backfill.c:1977 of 22.05.8, 2365 of 24.11.5; 26.05.3 spares those
// set directly). That lasts until Slurm computes all priorities again, or the job is updated. They
// differ after scontrol top too, which changes nice and priority only: the record is right then.
// isUnclear is returned where a nice that is not shown would tell which of the two it was.
func AddPriorities(ctx context.Context, s scontrol.Command, v *slurm.View) (isUnclear bool) {
	priorities, err := s.ReadPriorities(ctx)
	if err != nil {
		if v.CanWriteSiteFactor {
			v.UnreadSiteFactorsReason = err.Error()
		}
		return false
	}
	for i := range v.Jobs {
		if p, ok := priorities[v.Jobs[i].ID]; ok && v.Jobs[i].IsPending() {
			isUnclear = !addPriority(v, &v.Jobs[i], p) || isUnclear
		}
	}
	return isUnclear
}

// priorityRounding is by how much a record and sprio may differ although neither is older: one
// rounds the sum of the factors, the other cuts it off.
const priorityRounding = 2

// addPriority adds what sprio shows of a job. ok is false where it is unclear which priority counts: the
// record's is left.
func addPriority(v *slurm.View, j *slurm.Job, p scontrol.JobPriority) (ok bool) {
	if v.CanWriteSiteFactor {
		j.SiteFactor, j.IsSiteFactorKnown = p.SiteFactor, true
	}
	differs := v.IsFresh(j.ID) && max(j.Priority-p.Priority, p.Priority-j.Priority) > priorityRounding
	switch {
	case p.Priority == 0 || j.IsHeld:
		return true
	case differs && !j.IsNiceKnown:
		return false
	case differs && p.Nice != j.Nice: // scontrol top
		return true
	}
	j.IsPriorityUndone, j.Priority = differs, p.Priority
	return true
}
