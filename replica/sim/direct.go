package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
)

// DirectCluster is a World as the control loop wants it (bridge.Cluster), without any
// HTTP in between. Its errors are *slurm.Error.
type DirectCluster struct {
	World            *World
	ActingUser       string // user who acts; OperatorUser when empty
	ShowsSiteFactors bool   // sprio can be asked
}

// Observe returns everything there is.
func (d DirectCluster) Observe(context.Context) (*slurm.View, error) {
	w := d.World
	v := &slurm.View{
		Cluster: w.config.ClusterName, Release: w.config.Release, APIVersion: "sim", At: w.Now(), ControllerStart: w.config.Start,
		CanWriteSiteFactor: !w.config.is2205(), CanWriteAdminComment: !w.config.is2205(), RereadShowsNice: true, IsFullRead: true, Jobs: w.Jobs(), Nodes: w.Nodes(), Partitions: w.Partitions(),
		Reservations: w.Reservations(), ReservationsAt: w.Now(),
	}
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if !j.IsNiceKnown {
			j.Nice = 0
		}
		if d.ShowsSiteFactors {
			j.SiteFactor, j.IsSiteFactorKnown = w.siteFactor(j.ID)
		}
	}
	slices.SortFunc(v.Nodes, func(a, b slurm.Node) int { return strings.Compare(a.Name, b.Name) })
	return v, nil
}

// RereadJob returns one job, with its nice as scontrol shows it on every release.
func (d DirectCluster) RereadJob(_ context.Context, id int64) (slurm.Job, error) {
	j, err := d.World.Job(id)
	j.IsNiceKnown = true
	return j, err
}

// HasNode reports whether the node exists.
func (d DirectCluster) HasNode(_ context.Context, name string) (bool, error) {
	return slices.ContainsFunc(d.World.Nodes(), func(n slurm.Node) bool { return n.Name == name }), nil
}

// ApplyEdit carries out one edit, fenced by the run's SLUID where it has one.
func (d DirectCluster) ApplyEdit(_ context.Context, e slurm.Edit) error {
	by, w := cmp.Or(d.ActingUser, OperatorUser), d.World
	u := JobUpdate{SLUID: e.Run.SLUID}
	switch e.Kind {
	case slurm.EditRequeue:
		return w.Requeue(by, requeueAddress(e), true)
	case slurm.EditWarn:
		e.Run.SLUID = "" // scancel knows no runs
		return w.Signal(by, requeueAddress(e), e.Signal)
	case slurm.EditHandBackPriority:
		u.Hold = Ptr(true)
		if err := w.Update(by, e.Run.Job, u); err != nil {
			return err
		}
		u.Hold = Ptr(false)
	case slurm.EditHardHold:
		u.Hold = Ptr(true)
	case slurm.EditSiteFactor:
		u.SiteFactor = &e.Value
	case slurm.EditNice:
		u.Nice = &e.Value
	case slurm.EditPriority:
		u.Priority = &e.Value
	case slurm.EditLease, slurm.EditUnlease:
		u.BeginTime = &e.Until
	case slurm.EditRequireNodes:
		u.RequiredNodes = &e.Nodes
	case slurm.EditExcludeNodes:
		u.ExcludedNodes = &e.Nodes
	case slurm.EditSetGPUs:
		u.GPUs, u.GPUType = w.gpusOf(e)
	case slurm.EditSetShards:
		u.Shards = Ptr(int(e.Value))
	case slurm.EditAdminComment:
		u.AdminComment = &e.Text
	default:
		return &slurm.Error{Class: slurm.ErrorBadRequest, Text: fmt.Sprintf("unknown edit %q", e.Kind)}
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

// gpusOf returns the GPUs of an edit in the form in which its job asks for some.
func (w *World) gpusOf(e slurm.Edit) (count *int, gpuType *string) {
	j, _ := w.Job(e.Run.Job)
	asks, _ := j.RequestedGPUs()
	if count = Ptr(int(e.Value)); j.GresPerNode.Text != "" {
		*count /= max(j.NodeCount, 1)
	}
	return count, Ptr(cmp.Or(e.Text, asks.Type))
}
