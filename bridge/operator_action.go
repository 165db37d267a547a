package bridge

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
)

// OperatorActionKind is what an operator did.
type OperatorActionKind string

// The kinds.
const (
	OperatorStop    OperatorActionKind = "stop"        // nothing is sent to Slurm
	OperatorResume  OperatorActionKind = "resume"      // ended a stop, or that a job is left alone
	OperatorMode    OperatorActionKind = "mode"        // lowered the mode of a partition: a Demotion
	OperatorRelease OperatorActionKind = "release_job" // everything of ours in a job is given back, and the job left alone
	OperatorUndo    OperatorActionKind = "undo"        // one change of ours is given back, and its job left alone
)

// OperatorAction is something that an operator did. It stands until it is ended or its time
// has come.
type OperatorAction struct {
	ID        int64              `json:"id"`
	Kind      OperatorActionKind `json:"kind"`
	Partition string             `json:"partition,omitempty"` // of mode
	Mode      Mode               `json:"mode,omitempty"`      // of mode
	// Jobs are those that are left alone, of release_job, undo, and a resume that ended one of them.
	Jobs   JobTarget `json:"jobs,omitzero"`
	Change int64     `json:"change,omitempty"` // of undo: the id of the intent
	By     string    `json:"by"`
	Why    string    `json:"why"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody ends it
}

// OperatorActions say what operators did.
type OperatorActions interface {
	// StandingActions returns the actions that stand now, but for those of kind mode, which are
	// Demotions, oldest first.
	StandingActions(ctx context.Context, cluster string) ([]OperatorAction, error)
}

// JobTarget is a job as an operator means it: one record of Slurm's, one task of an array, or a whole array.
type JobTarget struct {
	Address string `json:"address"`        // as the operator wrote it
	Job     int64  `json:"job"`            // the id of the record, or of the array
	IsTask  bool   `json:"task,omitempty"` // one task of the array is meant,
	Task    int64  `json:"index,omitempty"`
	// Submit is the latest second of submission of its records when it was chosen, and Restarts the least
	// count of restarts: what was submitted later and not restarted since is another job under its id.
	Submit   int64 `json:"submit"`
	Restarts int   `json:"restarts"`
}

// Has reports whether a record is of the jobs that are meant.
func (t *JobTarget) Has(j *slurm.Job) bool {
	if run := j.CurrentRun(); run.Submit > t.Submit && run.Restarts <= t.Restarts {
		return false
	}
	if t.IsTask {
		return j.ArrayJobID == t.Job && j.IsArrayTask && j.ArrayTaskID == t.Task
	}
	return j.ID == t.Job || j.ArrayJobID == t.Job
}

// LeavesAlone reports whether the action keeps jobs from being changed.
func (a *OperatorAction) LeavesAlone() bool {
	return a.Kind == OperatorRelease || a.Kind == OperatorUndo
}

// Text says the action that stands in a sentence or two.
func (a *OperatorAction) Text() string {
	if a.LeavesAlone() {
		return a.LeftAloneText()
	}
	text := fmt.Sprintf("stopped by %s since %s", a.By, FormatUTC(a.At))
	if a.Until.IsZero() {
		return text + ", until fairbridge operate resume. " + a.Why
	}
	return text + ", until " + FormatUTC(a.Until) + " or fairbridge operate resume. " + a.Why
}

// LeftAloneText says why the jobs of the action are left alone.
func (a *OperatorAction) LeftAloneText() string {
	until := ""
	if !a.Until.IsZero() {
		until = " until " + FormatUTC(a.Until)
	}
	return fmt.Sprintf("job %s is left alone%s by %s: %s", a.Jobs.Address, until, a.By, a.Why)
}

// FindStop returns the stop that stands; nil: none does.
func FindStop(standing []OperatorAction) *OperatorAction {
	for i := range standing {
		if standing[i].Kind == OperatorStop {
			return &standing[i]
		}
	}
	return nil
}

// FormatUTC prints a moment in a sentence, to the minute. It names UTC: times beside it may be local.
func FormatUTC(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// CountStanding counts what operators did that stands, with each kind that may stand.
func CountStanding(standing []OperatorAction, demotions []Demotion) map[OperatorActionKind]int {
	count := map[OperatorActionKind]int{OperatorStop: 0, OperatorMode: 0, OperatorRelease: 0, OperatorUndo: 0}
	for i := range standing {
		count[standing[i].Kind]++
	}
	for i := range demotions {
		if demotions[i].Action != 0 {
			count[OperatorMode]++
		}
	}
	return count
}
