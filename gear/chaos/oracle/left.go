package oracle

import (
	"fmt"
	"time"
)

// CheckLeftByDead: what we leave holds no job longer than a lease, with no process
// of ours alive.
func (o *Oracle) CheckLeftByDead(of ...Field) {
	for j, e := range o.waitingJobs() {
		for _, f := range of {
			m, isShort := e.stateByField[f], f == FieldBegin
			if e.hasOurValue(j, f, o.World.Now()) && (isShort || !j.IsHeld && !o.isUnknowable(m)) {
				o.addBreachOf(m.knownCause(), "dead: "+string(f)+e.inTask, j.ID,
					"a lease after our end its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatFieldRows(j.ID, f))
			}
		}
		if e.heldBy == "us" {
			o.AddBreach("dead: hold", j.ID, "it is held by us and nobody is there to release it")
		}
	}
}

// CheckLeftAfterRelease: nothing of ours stands in a job that waits and that nobody
// holds, and what people set last is what is set.
func (o *Oracle) CheckLeftAfterRelease() {
	for j, e := range o.waitingJobs() {
		for _, f := range allFields {
			m := e.stateByField[f]
			if f == FieldPriority || j.IsHeld {
				continue
			}
			if e.hasOurValue(j, f, o.World.Now()) && !o.isUnknowable(m) {
				o.addBreachOf(m.knownCause(), "released: "+string(f)+e.inTask, j.ID,
					"after release its %s is still %q, its owner's is %q: %s", f, m.ourValue, m.ownersValue, o.ledger.formatFieldRows(j.ID, f))
			}
			isShown := f != FieldSiteFactor && f != FieldBegin
			if v := shownValue(j, f); isShown && v != m.ownersValue && !o.isUnknowable(m) {
				o.addBreachOf(m.knownCause(), "lost: "+string(f)+e.inTask, j.ID, "its %s is %q, its owner had set %q", f, v, m.ownersValue)
			}
		}
	}
}

// CheckAllJobsEnded reports jobs that never came to an end because of what we left. Others never
// could: they ask for what the cluster has not.
func (o *Oracle) CheckAllJobsEnded() {
	for _, j := range o.World.Jobs() {
		e := o.jobBook.entryForJob(&j)
		for _, f := range []Field{FieldBegin, FieldRequiredNodes, FieldExcludedNodes, FieldGPUs} {
			if j.IsPending() && e.hasOurValue(&j, f, o.World.Now()) {
				o.AddBreach("lost job", j.ID, "60 days later it is %s (%s), and its %s is %q of ours", j.State, j.Reason, f, e.stateByField[f].ourValue)
			}
		}
	}
}

// CheckNoUsageMissing judges whether usage is missing, once all is well again: I17.
func (o *Oracle) CheckNoUsageMissing() {
	if why := o.usageCheck.checkNotUnderRecorded(); why != "" {
		o.AddBreach("I17", 0, "%s", why)
	}
}

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
