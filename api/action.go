package api

import (
	"time"

	"fairbridge/bridge"
)

// ActionKind is something that an operator may do.
type ActionKind string

// The kinds.
const (
	ActionStop       ActionKind = "stop"        // nothing is sent to Slurm any more, until resume
	ActionResume     ActionKind = "resume"      // ends all stops, or that a job is left alone
	ActionMode       ActionKind = "mode"        // lowers the mode of a partition below the configured one, or ends that
	ActionReleaseJob ActionKind = "release_job" // everything of ours in a job is given back, and it is left alone
	ActionUndo       ActionKind = "undo"        // one change of ours is given back, and its job is left alone
)

// ActionRequest asks for an action. First without Confirm: the answer says what it would do,
// and has what to send as Confirm to have it done.
type ActionRequest struct {
	Kind      ActionKind  `json:"kind"`
	Partition string      `json:"partition,omitempty"` // of mode
	Mode      bridge.Mode `json:"mode,omitempty"`      // of mode; the configured one ends the lowering
	Job       string      `json:"job,omitempty"`       // of release_job: its address; of resume: that is left alone, "" ends stops
	Change    int64       `json:"change,omitempty"`    // of undo: the id of the change
	Why       string      `json:"why"`                 // for the record; must not be empty
	// Until is when it ends by itself; zero: of mode and stop never, else after the time that a
	// job is left alone which somebody else changed.
	Until   time.Time `json:"until,omitzero"`
	Confirm string    `json:"confirm,omitempty"`
}

// Action is an action as it is recorded, or would be.
type Action struct {
	ID int64 `json:"id,omitempty"` // 0: it was not done yet
	ActionRequest
	Effect string    `json:"effect"`       // what it does, in a sentence
	By     string    `json:"by,omitempty"` // its author
	Origin string    `json:"origin,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Ended  time.Time `json:"ended,omitzero"`
	// EndedBy is who ended it; "": nobody did.
	EndedBy string `json:"ended_by,omitempty"`
	Stands  bool   `json:"stands,omitempty"` // it was done, and neither somebody nor its time ended it
}

// Actions are what operators did, newest first.
type Actions struct {
	Actions []Action `json:"actions"`
	Next    string   `json:"next,omitempty"`
}
