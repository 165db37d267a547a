package slurm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Edit is one wanted change of one run.
type Edit struct {
	Run     Run       `json:"run"`
	Kind    EditKind  `json:"kind"`
	Value   int64     `json:"value,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Nodes   []string  `json:"nodes,omitempty"`   // sorted
	Text    string    `json:"text,omitempty"`    // of an admin_comment, none: clear; of a number of GPUs, and of a requeue for one, the GPU type, none: as it is asked for
	Array   string    `json:"array,omitempty"`   // address "47_4" of an array task, for requeues and warnings
	Address string    `json:"address,omitempty"` // the job as squeue writes it where that is not its id: 47_[5-9]; for people, never sent
	Tasks   int       `json:"tasks"`             // tasks affected, for budgets; at least 1
	Why     string    `json:"why"`

	Signal Signal `json:"signal,omitempty"` // of a warning
}

// Grace is the time between a warning and the earliest requeue.
func (e Edit) Grace() time.Duration { return time.Duration(e.Value) * time.Second }

// String prints the edit for logs and tables, without its reason.
func (e Edit) String() string {
	f, ok := e.Kind.Form()
	switch {
	case f.HasUntil:
		return fmt.Sprintf("%s job %s until %s", e.Kind, e.runText(), e.Until.UTC().Format(time.RFC3339))
	case f.HasText:
		return fmt.Sprintf("%s job %s %q", e.Kind, e.runText(), e.Text)
	case f.HasNodes && f.SetsValue:
		return fmt.Sprintf("%s job %s to %d on %s", e.Kind, e.runText(), e.Value, strings.Join(e.Nodes, ","))
	case f.HasNodes:
		return fmt.Sprintf("%s job %s nodes [%s]", e.Kind, e.runText(), strings.Join(e.Nodes, ","))
	case f.HasSignal:
		return fmt.Sprintf("%s job %s by %s, %v ahead of a requeue", e.Kind, e.runText(), e.Signal, e.Grace())
	case e.Kind == EditRequeue && e.Value > 0:
		return fmt.Sprintf("%s job %s to resume on %d %s", e.Kind, e.runText(), e.Value, cmp.Or(e.Text, "GPUs"))
	case f.HasGPUType && f.SetsValue && e.Text != "":
		return fmt.Sprintf("%s job %s to %d %s", e.Kind, e.runText(), e.Value, e.Text)
	case f.SetsValue || !ok:
		return fmt.Sprintf("%s job %s to %d", e.Kind, e.runText(), e.Value)
	}
	return fmt.Sprintf("%s job %s", e.Kind, e.runText())
}

// JobLabel returns the job as squeue writes it: 4711, 47_4, 47_[0-9], 7+1.
func (e Edit) JobLabel() string { return cmp.Or(e.Address, strconv.FormatInt(e.Run.Job, 10)) }

func (e Edit) runText() string { return e.Run.TextOf(e.JobLabel()) }
