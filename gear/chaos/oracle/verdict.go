package oracle

import (
	"fmt"
	"time"
)

// Breach is a sentence that was not true.
type Breach struct {
	Rule    string // I1 to I27, or the name of an end condition
	Job     int64  // 0: none
	Elapsed time.Duration
	Why     string
	Cause   string // what is known to lead to such breaches, and happened before; "": nothing
}

// The causes of breaches, as of the job and field of each.
const (
	CauseLostAnswer    = "a lost answer"
	CauseChangedAtOnce = "a change by somebody within a minute of our write"
	CauseSameValue     = "a person set a value that had been ours"
	CauseSplitTask     = "a split of the task off its array"
	CauseOldView       = "a record of an old view by a process that had stood still"
	CauseHiddenRequeue = "a requeue of a job that no list showed"
)

// String prints the breach in a line.
func (b Breach) String() string {
	rule := b.Rule
	if b.Cause != "" {
		rule += " after " + b.Cause
	}
	return fmt.Sprintf("%s at %v, job %d: %s", rule, b.Elapsed.Truncate(time.Millisecond), b.Job, b.Why)
}

// Verdict is what the oracle saw and found.
type Verdict struct {
	Breaches          []Breach       // in order, the first ten
	KnownCountByCause map[string]int // breaches that are known, by cause
	ExcuseCountByName map[string]int // breaches that were let pass, since nobody could have known
	SentCountByKind   map[string]int // writes, by kind of edit
	DoubtCountByCause map[string]int // cycles in doubt, by cause
	JobCount          int            // submitted
	StopCount         int            // requeues of ours that Slurm carried out
	IdleStopCount     int            // of requeues that were sent, those of jobs whose GPUs did no work
	SharedCount       int            // GPUs on which jobs were together by shards of ours, summed over the cycles
}

func newVerdict() Verdict {
	return Verdict{KnownCountByCause: map[string]int{}, ExcuseCountByName: map[string]int{}, SentCountByKind: map[string]int{}, DoubtCountByCause: map[string]int{}}
}

// maxKeptBreaches is how many breaches are kept.
const maxKeptBreaches = 10

// Verdict returns what was found so far.
func (o *Oracle) Verdict() Verdict {
	v := o.verdict
	v.JobCount, v.StopCount = len(o.jobBook.entryByJob), len(o.stops)
	return v
}

// HasBreach reports whether a sentence was broken.
func (o *Oracle) HasBreach() bool { return len(o.verdict.Breaches) > 0 }

// AddBreach notes that a rule was broken: for a job, 0 for none, and why.
func (o *Oracle) AddBreach(rule string, job int64, format string, a ...any) {
	o.addBreachOf("", rule, job, format, a...)
}

// addBreachOf notes that a rule was broken, and the cause of it that is known.
func (o *Oracle) addBreachOf(cause, rule string, job int64, format string, a ...any) {
	b := Breach{rule, job, o.World.Now().Sub(o.startTime), fmt.Sprintf(format, a...), cause}
	if o.IsKnownBreach != nil && o.IsKnownBreach(b) {
		o.verdict.KnownCountByCause[cause]++
		return
	}
	if len(o.verdict.Breaches) < maxKeptBreaches {
		o.verdict.Breaches = append(o.verdict.Breaches, b)
	}
	o.OnBreach(b)
}
