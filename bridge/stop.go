package bridge

import (
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Stop is one stop of a job. It is worth recording: budgets are counted on it.
type Stop struct {
	Job     int64             `json:"job"`
	User    string            `json:"user"`
	Account string            `json:"account"`
	GPUs    float64           `json:"gpus"`          // whole GPUs it lost
	Lost    policy.GPUSeconds `json:"lost"`          // work expected to be lost
	At      time.Time         `json:"at"`            // Slurm's clock: Snapshot.Now of the cycle
	For     int64             `json:"for"`           // the job that got the room; itself when moved
	Sent    time.Time         `json:"sent,omitzero"` // when Slurm was told and said yes; zero: not, as far as known
}

// Notice is the warning that the script of a running job gets before the job is
// stopped.
type Notice struct {
	Signal slurm.Signal
	Grace  time.Duration // between the warning and the earliest requeue
}

// Warn is a warning to be sent.
type Warn struct {
	Stop
	Notice
	Why string
}
