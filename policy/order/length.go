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
	KeysBefore    ByKeys        // is compared before the lengths
	UnknownLength time.Duration // what a job without an estimate has left
	UseGPUTime    bool          // GPU time in place of time
}

// LengthLeft returns what the job has left in seconds, or GPU-seconds by service.
func (b ByLength) LengthLeft(e *engine.Entry) float64 {
	d := e.Estimate().TimeLeft
	if e.Estimate().Source == "" {
		d = b.UnknownLength
	}
	if b.UseGPUTime {
		return float64(policy.ServiceForTime(e.Ask.GPUs.WholeGPUs(), d))
	}
	return d.Seconds()
}

// Order implements engine.Orderer.
func (b ByLength) Order(r *engine.Round) ([]*engine.Entry, error) {
	if !r.OmitReasons {
		for _, e := range r.Entries {
			e.Note = b.noteFor(e)
		}
	}
	return append(slices.Clip(b.KeysBefore), func(_ *engine.Round, x, y *engine.Entry) int {
		return cmp.Compare(b.LengthLeft(x), b.LengthLeft(y))
	}).Order(r)
}

// noteFor says what the job was judged by.
func (b ByLength) noteFor(e *engine.Entry) string {
	from := "its " + e.Estimate().Source
	if e.Estimate().Source == "" {
		from = "what is usual here"
	}
	if b.UseGPUTime {
		return fmt.Sprintf("%v left by %s", policy.GPUSeconds(b.LengthLeft(e)), from)
	}
	return fmt.Sprintf("%s left by %s", policy.FormatSeconds(b.LengthLeft(e)), from)
}
