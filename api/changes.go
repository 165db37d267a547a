package api

import (
	"time"

	"fairbridge/bridge"
)

// ChangeQuery says which changes in Slurm are wanted; an empty field matches every change.
type ChangeQuery struct {
	Jobs   []string // addresses
	Users  []string
	Kinds  []string
	States []string
	Since  time.Time // made then or later; zero: the last day
	Limit  int       // as of QueueQuery
	After  string    // as of QueueQuery
}

// Changes is what was changed in Slurm, or was to be, and what came of it, newest first.
type Changes struct {
	Changes []Change `json:"changes"`
	Next    string   `json:"next,omitempty"`
}

// Change is one change with whose job it is about.
type Change struct {
	bridge.Intent
	Address string `json:"address"`
	User    string `json:"user"`
	Account string `json:"account"`
}

// ReportQuery narrows a report.
type ReportQuery struct {
	Since, Until  time.Time
	Account, User string // "": all that may be seen
}
