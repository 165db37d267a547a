package bridge

import (
	"time"

	"fairbridge/bridge/slurm"
)

// JobBefore is what stood in the job when the intent was made, so that it can be
// given back and a foreign change be noticed.
type JobBefore struct {
	Eligible        time.Time   `json:"eligible,omitzero"`
	Begin           time.Time   `json:"begin,omitzero"` // the owner's own --begin, kept through every lease
	Priority        int64       `json:"priority"`
	Nice            int64       `json:"nice"`
	Required        slurm.Hosts `json:"required,omitzero"`  // the owner's own list, kept through every pin
	Excluded        slurm.Hosts `json:"excluded,omitzero"`  // the owner's own list
	GPUs            int64       `json:"gpus,omitempty"`     // the owner's own number of GPUs in all, kept through every size of ours; 0: none, or not read
	GPUType         string      `json:"gpu_type,omitempty"` // the type of GPU that the owner asks for; "": any, or not noted
	OurValue        int64       `json:"ours,omitempty"`     // the number of ours that stood in the field, 0: none
	OurHighestValue int64       `json:"most,omitempty"`     // the highest number of ours that may have stood, where that is in doubt
	SlurmPriority   int64       `json:"own,omitempty"`      // Slurm's own priority before one of ours was set directly
	Restarts        int         `json:"restarts"`
	State           string      `json:"state"`
	User            string      `json:"user,omitempty"`            // whose job it is
	IsTopped        bool        `json:"topped,omitempty"`          // of a nice: scontrol top mixed ours with the owner's
	HeldByUsAt      time.Time   `json:"held,omitzero"`             // of a hand-back only: when our hold was accepted, or seen so soon that it is ours
	Rewritten       string      `json:"rewritten,omitempty"`       // what else of the job was seen changed right after the edit
	RewrittenField  string      `json:"rewritten_field,omitempty"` // which field that is
	Stop            *StopCost   `json:"stop,omitempty"`            // of a requeue or warning only
}

// OwnNice is the job's nice without what we added to it.
func (b *JobBefore) OwnNice() int64 { return b.Nice - b.OurValue }
