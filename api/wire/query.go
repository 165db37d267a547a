package wire

import (
	"fmt"

	"fairbridge/api"
)

// NewQueueParams binds the parameters of QueuePath.
func NewQueueParams(q *api.QueueQuery) []Param {
	return append([]Param{
		{"partition", "Jobs in this partition; may be repeated, as may those below.", &q.Partitions},
		{"user", "Jobs of this user.", &q.Users},
		{"account", "Jobs of this account.", &q.Accounts},
		{"state", "Jobs in this state: PENDING or RUNNING, in any case.", &q.States},
		{"job", "The job of this address as squeue writes it: 4711, 47_3, 47 for all of the array.", &q.Jobs},
		{"node", "Jobs that hold GPUs on this node.", &q.Nodes},
		{"estimates", "With when jobs are thought to start, and how starts of 7 days were planned.", &q.Estimates},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewWhenParams binds the parameters of WhenPath.
func NewWhenParams(q *api.WhenQuery) []Param {
	return []Param{
		{"partition", "Partition; may be left out where there is one only.", &q.Partition},
		{"gpu_type", "Type of GPU; left out: any.", &q.GPUType},
		{"gpus", "GPUs over all nodes.", &q.GPUs},
		{"nodes", "On so many nodes, as many GPUs on each; left out: any.", &q.Nodes},
		{"time_limit", "Time limit, such as 90m or 8h.", &q.Limit},
		{"user", "Whose job it would be; left out: of who asks.", &q.User},
		{"account", "Account; left out: that of the user's last job.", &q.Account},
		{"deadline", "By when it is to be done, to be told how likely that is.", &q.Deadline},
	}
}

// NewChangeParams binds the parameters of ChangesPath.
func NewChangeParams(q *api.ChangeQuery) []Param {
	return append([]Param{
		{"job", "Changes of the job of this address; may be repeated, as may those below.", &q.Jobs},
		{"user", "Changes of jobs of this user.", &q.Users},
		{"kind", "Changes of this kind.", &q.Kinds},
		{"state", "Changes in this state.", &q.States},
		{"since", "Made then or later; left out: in the last day.", &q.Since},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewNodeParams binds the parameters of NodesPath.
func NewNodeParams(q *api.NodeQuery) []Param {
	return append([]Param{
		{"partition", "Nodes of this partition; may be repeated, as may those below.", &q.Partitions},
		{"node", "The node of this name.", &q.Names},
	}, newPageParams(&q.Limit, &q.After)...)
}

// NewReportParams binds the parameters of ReportPath.
func NewReportParams(q *api.ReportQuery) []Param {
	return []Param{
		{"since", "From then on.", &q.Since},
		{"until", "Until then.", &q.Until},
		{"account", "Of this account only.", &q.Account},
		{"user", "Of this user only.", &q.User},
	}
}

// ActionQuery says which actions are wanted.
type ActionQuery struct {
	Limit int
	After string
}

// NewActionParams binds the parameters of ActionsPath.
func NewActionParams(q *ActionQuery) []Param { return newPageParams(&q.Limit, &q.After) }

func newPageParams(limit *int, after *string) []Param {
	return []Param{
		{LimitName, fmt.Sprintf("Most rows of the page; left out: %d, at most %d.", api.DefaultLimit, api.MaxLimit), limit},
		{"after", "Where the page begins: next of the page before; left out: with the first row.", after},
	}
}

// LimitName is the parameter that says how many rows a page has at most.
const LimitName = "limit"
