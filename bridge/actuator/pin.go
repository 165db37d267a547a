package actuator

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// A pin names the nodes of a job that is about to start, an exclusion those it
// must not have.
var (
	require = Row{
		Kind: slurm.Require, Field: required, Needs: bridge.Steer, Turn: TurnRest,
		Shows: valueShown(required),
		Undo: func(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
			return listBack(e, in.Before.Required, j)
		},
	}
	exclude = Row{
		Kind: slurm.Exclude, Field: excluded, Needs: bridge.Steer, Turn: TurnRest,
		Shows: valueShown(excluded),
		Undo: func(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, _ time.Time) bool {
			return listBack(e, in.Before.Excluded, j)
		},
	}
)

var (
	required = nodeList(slurm.FieldRequired, "required nodes",
		func(j *slurm.Job) slurm.Hosts { return j.Required }, func(b *bridge.Before) *slurm.Hosts { return &b.Required })
	excluded = nodeList(slurm.FieldExcluded, "excluded nodes",
		func(j *slurm.Job) slurm.Hosts { return j.Excluded }, func(b *bridge.Before) *slurm.Hosts { return &b.Excluded })
)

// nodeList is what there is to know of a field that is a list of nodes.
func nodeList(name slurm.Field, what string, of func(*slurm.Job) slurm.Hosts, noted func(*bridge.Before) *slurm.Hosts) *Field {
	return &Field{
		Name:  name,
		Whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(of(j).Same(in.Edit.Nodes)) },
		Foreign: func(in *bridge.Intent, j *slurm.Job) string {
			return fmt.Sprintf("%s are now %q, we had set %q", what, of(j), in.Edit.Nodes)
		},
		GivesBack: func(e *slurm.Edit, own *bridge.Before) bool { return own != nil && noted(own).Same(e.Nodes) },
		Touched: func(was *bridge.Before, j *slurm.Job) string {
			if of(j).Text == noted(was).Text || of(j).Same(noted(was).Names) {
				return ""
			}
			return fmt.Sprintf("its %s are %s now", what, of(j))
		},
		Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
			if in != nil {
				*noted(b) = *noted(&in.Before)
			}
		},
		Outlives: NotAtAll,
	}
}

// listBack gives a list of nodes back as its owner wrote it.
func listBack(e *slurm.Edit, own slurm.Hosts, j *slurm.Job) bool {
	e.Nodes = own.Names
	return j.Pending() && own.Unread == ""
}
