package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
)

// Direct is a World as the control loop wants it (bridge.Cluster), without any
// HTTP in between. Its errors are *slurm.Error.
type Direct struct {
	World *World
	By    string // user who acts; Operator when empty
}

// Observe returns everything there is.
func (d Direct) Observe(context.Context) (*slurm.View, error) {
	w := d.World
	v := &slurm.View{
		Cluster: w.cfg.Cluster, Release: w.cfg.Release, API: "sim", At: w.Now(), Started: w.cfg.Start,
		SiteFactor: !w.cfg.is2205(), NiceRead: true, Full: true, Jobs: w.Jobs(), Nodes: w.Nodes(), Partitions: w.Partitions(),
		Reservations: w.Reservations(), ReservedAt: w.Now(),
	}
	slices.SortFunc(v.Nodes, func(a, b slurm.Node) int { return strings.Compare(a.Name, b.Name) })
	return v, nil
}

// Reread returns one job, with its nice as scontrol shows it on every release.
func (d Direct) Reread(_ context.Context, id int64) (slurm.Job, error) {
	j, err := d.World.Job(id)
	j.NiceKnown = true
	return j, err
}

// HasNode reports whether the node exists.
func (d Direct) HasNode(_ context.Context, name string) (bool, error) {
	return slices.ContainsFunc(d.World.Nodes(), func(n slurm.Node) bool { return n.Name == name }), nil
}

// Apply carries out one edit, fenced by the run's SLUID where it has one.
func (d Direct) Apply(_ context.Context, e slurm.Edit) error {
	by, w := d.By, d.World
	if by == "" {
		by = Operator
	}
	u := Update{SLUID: e.Run.SLUID}
	switch e.Kind {
	case slurm.Requeue:
		return w.Requeue(by, requeueAddress(e), true)
	case slurm.Warn:
		e.Run.SLUID = "" // scancel knows no runs
		return w.Signal(by, requeueAddress(e), e.Signal)
	case slurm.HandBack:
		u.Hold = Ptr(true)
		if err := w.Update(by, e.Run.Job, u); err != nil {
			return err
		}
		u.Hold = Ptr(false)
	case slurm.HardHold:
		u.Hold = Ptr(true)
	case slurm.SiteFactor:
		u.SiteFactor = &e.Value
	case slurm.Nice:
		u.Nice = &e.Value
	case slurm.Priority:
		u.Priority = &e.Value
	case slurm.Lease, slurm.Unlease:
		u.Begin = &e.Until
	case slurm.Require:
		u.Required = &e.Nodes
	case slurm.Exclude:
		u.Excluded = &e.Nodes
	case slurm.SetGPUs:
		u.GPUs = Ptr(int(e.Value))
	default:
		return &slurm.Error{Class: slurm.Rejected, Text: fmt.Sprintf("unknown edit %q", e.Kind)}
	}
	return w.Update(by, e.Run.Job, u)
}

// requeueAddress is how a requeue names its run.
func requeueAddress(e slurm.Edit) string {
	switch {
	case e.Run.SLUID != "":
		return e.Run.SLUID
	case e.Array != "":
		return e.Array
	}
	return strconv.FormatInt(e.Run.Job, 10)
}
