package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// ByLength serves the job first that has least left to run, and notes how much
// that is.
type ByLength struct {
	CompareFirst  By            // is compared before the lengths
	UnknownLength time.Duration // what a job without an estimate has left
	ByService     bool          // GPU time in place of time
}

// Left returns what the job has left in seconds, or GPU-seconds by service.
func (b ByLength) Left(e *engine.Entry) float64 {
	d := e.Estimate.TimeLeft
	if e.Estimate.Source == "" {
		d = b.UnknownLength
	}
	if b.ByService {
		return float64(policy.ServiceForTime(e.Ask.GPUs.WholeGPUs(), d))
	}
	return d.Seconds()
}

// Order implements engine.Orderer.
func (b ByLength) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !r.OmitReasons {
		for _, e := range r.Entries {
			e.Note = b.note(e)
		}
	}
	return append(slices.Clip(b.CompareFirst), func(_ *engine.Round, x, y *engine.Entry) int {
		return cmp.Compare(b.Left(x), b.Left(y))
	}).Order(r)
}

// note says what the job was judged by.
func (b ByLength) note(e *engine.Entry) string {
	from := "its " + e.Estimate.Source
	if e.Estimate.Source == "" {
		from = "what is usual here"
	}
	if b.ByService {
		return fmt.Sprintf("%v left by %s", policy.GPUSeconds(b.Left(e)), from)
	}
	return fmt.Sprintf("%v left by %s", policy.DurationFromSeconds(b.Left(e)).Round(time.Second), from)
}
