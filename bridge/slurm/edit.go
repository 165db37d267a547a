package slurm

import (
	"fmt"
	"strings"
	"time"
)

// Edit is one wanted change of one run.
type Edit struct {
	Run   Run       `json:"run"`
	Kind  EditKind  `json:"kind"`
	Value int64     `json:"value,omitempty"`
	Until time.Time `json:"until,omitzero"`
	Nodes []string  `json:"nodes,omitempty"` // sorted
	Array string    `json:"array,omitempty"` // address "47_4" of an array task, for requeues and warnings
	Tasks int       `json:"tasks"`           // tasks affected, for budgets; at least 1
	Why   string    `json:"why"`

	Signal Signal `json:"signal,omitempty"` // of a warning
}

// Grace is the time between a warning and the earliest requeue.
func (e Edit) Grace() time.Duration { return time.Duration(e.Value) * time.Second }

// String prints the edit for logs and tables, without its reason.
func (e Edit) String() string {
	f, ok := e.Kind.Form()
	switch {
	case f.HasUntil:
		return fmt.Sprintf("%s job %v until %s", e.Kind, e.Run, e.Until.UTC().Format(time.RFC3339))
	case f.HasNodes:
		return fmt.Sprintf("%s job %v nodes [%s]", e.Kind, e.Run, strings.Join(e.Nodes, ","))
	case f.HasSignal:
		return fmt.Sprintf("%s job %v by %s, %v ahead of a requeue", e.Kind, e.Run, e.Signal, e.Grace())
	case f.SetsValue || !ok:
		return fmt.Sprintf("%s job %v to %d", e.Kind, e.Run, e.Value)
	}
	return fmt.Sprintf("%s job %v", e.Kind, e.Run)
}
