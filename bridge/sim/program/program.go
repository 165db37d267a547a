// Package program is what a simulated job really does, of which Slurm sees
// nothing: how fast its work goes, and what of it is kept when it is stopped.
package program

import (
	"time"
)

// Program is the work of one job, and how much of it is done.
type Program struct {
	Work            time.Duration // run time on so many GPUs, without any stop
	GPUs            int           // that Work is measured on
	Fails           bool          // it ends FAILED instead of COMPLETED
	Checkpoint      bool          // a stopped run keeps its work, else the next starts from zero
	CheckpointEvery time.Duration // saved work is a multiple of it; 0: saved to the moment of the stop
	Overhead        time.Duration // restore time at each restart with a checkpoint

	// Speed says how fast the work goes on n GPUs of a type, 1 being the speed
	// that Work is measured at. Nil: in proportion to GPUs.
	Speed func(gpuType string, n int) float64

	saved time.Duration // work done and kept
}

// noProgressTime is the length of a run that makes no progress.
const noProgressTime = 100 * 365 * 24 * time.Hour

// speed returns how fast its work goes where it runs.
func (p *Program) speed(gpuType string, n int) float64 {
	switch {
	case p.Speed != nil:
		return p.Speed(gpuType, n)
	case p.GPUs == 0:
		return 1
	}
	return float64(n) / float64(p.GPUs)
}

// restoreTime is the time the current run spends on restoring.
func (p *Program) restoreTime() time.Duration {
	if p.Checkpoint && p.saved > 0 {
		return p.Overhead
	}
	return 0
}

// RunTime returns how long a run on n GPUs of a type will last, and Slurm's word
// for how it will end. limit is the job's time limit; 0: none.
func (p *Program) RunTime(gpuType string, n int, limit time.Duration) (time.Duration, string) {
	state := "COMPLETED"
	if p.Fails {
		state = "FAILED"
	}
	length := noProgressTime
	if v := p.speed(gpuType, n); v > 0 {
		length = min(length, p.restoreTime()+time.Duration(float64(p.Work-p.saved)/v))
	}
	if limit > 0 && length > limit {
		return limit, "TIMEOUT"
	}
	return length, state
}

// Stop keeps what is to be kept of a run on n GPUs of a type that ends in a state
// after a time, and returns how much of the time brought no progress.
func (p *Program) Stop(gpuType string, n int, state string, ran time.Duration) (lost time.Duration) {
	switch {
	case state == "COMPLETED":
		return p.restoreTime()
	case !p.Checkpoint:
		return ran
	}
	speed, restoring := p.speed(gpuType, n), p.restoreTime()
	done := max(time.Duration(float64(ran-restoring)*speed), 0)
	kept := done
	if p.CheckpointEvery > 0 {
		kept = (p.saved+done)/p.CheckpointEvery*p.CheckpointEvery - p.saved
	}
	kept = max(min(kept, p.Work-p.saved), 0)
	if done > 0 {
		lost = time.Duration(float64(done-kept) / speed)
	}
	p.saved += kept
	return lost + min(restoring, ran)
}

// Restart makes it begin anew: without a checkpoint, from nothing.
func (p *Program) Restart() {
	if !p.Checkpoint {
		p.saved = 0
	}
}
