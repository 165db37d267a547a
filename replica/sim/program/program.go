// Package program is what a simulated job really does, of which Slurm sees
// nothing: how fast its work goes, and what of it is kept when it is stopped.
package program

import (
	"time"
)

// Program is the work of one job, and how much of it is done.
type Program struct {
	WorkTime           time.Duration // run time on so many GPUs, without any stop
	ReferenceGPUs      int           // that WorkTime is measured on
	Fails              bool          // it ends FAILED instead of COMPLETED
	Checkpoints        bool          // a stopped run keeps its work, else the next starts from zero
	CheckpointInterval time.Duration // saved work is a multiple of it; 0: saved to the moment of the stop
	RestoreOverhead    time.Duration // restore time at each restart with a checkpoint

	// Speed says how fast the work goes on n GPUs of a type over nodes, 1 being the speed
	// that WorkTime is measured at. Nil: in proportion to GPUs.
	Speed func(gpuType string, n, nodes int) float64

	savedWork time.Duration // work done and kept
}

// noProgressTime is the length of a run that makes no progress.
const noProgressTime = 100 * 365 * 24 * time.Hour

// speedOn returns how fast its work goes where it runs.
func (p *Program) speedOn(gpuType string, n, nodes int) float64 {
	switch {
	case p.Speed != nil:
		return p.Speed(gpuType, n, nodes)
	case p.ReferenceGPUs == 0:
		return 1
	}
	return float64(n) / float64(p.ReferenceGPUs)
}

// restoreTime is the time the current run spends on restoring.
func (p *Program) restoreTime() time.Duration {
	if p.Checkpoints && p.savedWork > 0 {
		return p.RestoreOverhead
	}
	return 0
}

// RunTime returns how long a run on n GPUs of a type over nodes will last, and Slurm's word
// for how it will end. limit is the job's time limit; 0: none.
func (p *Program) RunTime(gpuType string, n, nodes int, limit time.Duration) (time.Duration, string) {
	state := "COMPLETED"
	if p.Fails {
		state = "FAILED"
	}
	length := noProgressTime
	if v := p.speedOn(gpuType, n, nodes); v > 0 {
		length = min(length, p.restoreTime()+time.Duration(float64(p.WorkTime-p.savedWork)/v))
	}
	if limit > 0 && length > limit {
		return limit, "TIMEOUT"
	}
	return length, state
}

// WorkTimeLeft returns how long it would still run, at the speed WorkTime is measured at,
// if it began to run now.
func (p *Program) WorkTimeLeft() time.Duration { return p.restoreTime() + p.WorkTime - p.savedWork }

// StopRun keeps what is to be kept of a run on n GPUs of a type over nodes that ends in a state
// after a time, and returns how much of the time brought no progress.
func (p *Program) StopRun(gpuType string, n, nodes int, state string, ran time.Duration) (lost time.Duration) {
	switch {
	case state == "COMPLETED":
		return p.restoreTime()
	case !p.Checkpoints:
		return ran
	}
	speed, restoring := p.speedOn(gpuType, n, nodes), p.restoreTime()
	done := max(time.Duration(float64(ran-restoring)*speed), 0)
	kept := done
	if p.CheckpointInterval > 0 {
		kept = (p.savedWork+done)/p.CheckpointInterval*p.CheckpointInterval - p.savedWork
	}
	kept = max(min(kept, p.WorkTime-p.savedWork), 0)
	if done > 0 {
		lost = time.Duration(float64(done-kept) / speed)
	}
	p.savedWork += kept
	return lost + min(restoring, ran)
}

// Restart makes it begin anew: without a checkpoint, from nothing.
func (p *Program) Restart() {
	if !p.Checkpoints {
		p.savedWork = 0
	}
}
