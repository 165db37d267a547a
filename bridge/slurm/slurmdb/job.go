package slurmdb

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Job is one row of slurmdbd's job table. A requeue ends a row and begins
// another with a later submit time; so does a change of a running job's size.
// Times that are absent are zero.
type Job struct {
	ID            int64
	SLUID         string // 25.11 and later
	Name          string
	User          string
	Account       string
	QOS           string
	Partition     string
	Cluster       string
	State         string // one word: REQUEUED and RESIZING stand for the row's end, whatever else it says
	Reason        string
	Submit        time.Time
	Eligible      time.Time
	Start         time.Time
	End           time.Time
	SuspendedTime time.Duration // between Start and End
	TimeLimit     time.Duration // 0: none or unlimited
	Nodes         slurm.Hosts   // none when it never had any
	AllocatedTRES slurm.TRES
	RequestedTRES slurm.TRES
	Restarts      int // -1: Slurm does not say
	ArrayJob      int64
	ArrayTask     int64
}

// HasEnded reports whether the row is a run that is over. Others are still
// changing.
func (j *Job) HasEnded() bool {
	switch j.State {
	case "PENDING", "RUNNING", "SUSPENDED", "":
		return false
	}
	return !j.End.IsZero()
}

// states that end a row while the job goes on, in the order in which they
// count when several are said.
var rowEndStates = []string{"RESIZING", "REQUEUED"}

// mainStateWord returns the one word that matters of a row's state words.
func mainStateWord(words []string) string {
	base := ""
	for _, w := range words {
		for _, e := range rowEndStates {
			if w == e {
				return e
			}
		}
		if base == "" {
			base = w
		}
	}
	return base
}
