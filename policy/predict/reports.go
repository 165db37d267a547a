package predict

import (
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// When what a job reports of its rest is held against what it reported before.
const (
	// leastPace is the part of a second by which the rest must fall for each second run: who is
	// off by no more than a factor of two is believed.
	leastPace = .5
	// worstPace bounds the factor by which a report is corrected: 20.
	worstPace = .05
	// leastWatched is run before anything is said, and restPart of the rest reported at first.
	leastWatched = 5 * time.Minute
	restPart     = .5
	// recordWeight is that of the last job that ended in its owner's record.
	recordWeight = .5
	// provenJobs ended as reported make an owner known; others' first reports are held against
	// what is learnt.
	provenJobs = 3
)

// CheckedReports is the Ladder with what jobs report of themselves held against how earlier
// reports proved: of the job itself, whose rest must fall as it runs, and of the jobs of
// its owner that ended, which must not have run far longer than they first said. A report that is
// contradicted is corrected by the pace or the record. Until either is known, it is
// believed down to what one in six such jobs have left, as learnt. After the ratio of schedule
// performance by which project control extrapolates (PMI, Practice Standard for Earned
// Value Management: what is to come takes as much longer as what was).
type CheckedReports struct {
	before ReportMemory
	after  *ReportMemory
	rows   []int                 // of the snapshot's jobs in before
	worst  map[[2]string]float64 // by account and user: the largest factor of a job that is there
}

// ReportMemory is what is kept of reports from one decision to the next. The zero value
// knows nothing.
type ReportMemory struct {
	Jobs   []policy.JobID `json:"report_jobs,omitempty"` // sorted
	Looks  []ReportLooks  `json:"report_looks,omitempty"`
	Owners []OwnerRecord  `json:"report_owners,omitempty"` // sorted by account and user
}

// ReportLooks is what a running job reported, at two moments that divide its run about
// evenly, and what came of it.
type ReportLooks struct {
	Account string    `json:"account"`
	User    string    `json:"user"`
	Run     time.Time `json:"run"` // start of the run that is watched
	Batch   int       `json:"batch,omitempty"`
	Promise float64   `json:"promise"` // seconds in all it would run, as first reported
	Ran     float64   `json:"ran"`     // seconds, when last seen
	Earlier [2]Look   `json:"looks"`   // the older first
	Factor  float64   `json:"factor"`  // by which its reports are too short; 1: they are believed
}

// Look is a report: what the job had run and said it had left, in seconds.
type Look struct {
	Ran  float64 `json:"ran"`
	Left float64 `json:"left"`
}

// OwnerRecord is how the first reports of a user's jobs proved.
type OwnerRecord struct {
	Account string  `json:"account"`
	User    string  `json:"user"`
	Jobs    int     `json:"jobs"`   // that reported and ended
	Factor  float64 `json:"factor"` // by which they ran longer than first reported, recent ones counting most
}

// NewCheckedReports makes the predictor of one decision. Records of owners grow by the jobs
// that are gone.
func NewCheckedReports(before ReportMemory, s *policy.Snapshot) *CheckedReports {
	c := &CheckedReports{before: before, after: &ReportMemory{Owners: slices.Clone(before.Owners)},
		rows: s.JobIndexes(before.Jobs), worst: map[[2]string]float64{}}
	here := make([]bool, len(before.Jobs))
	for _, row := range c.rows {
		if row >= 0 {
			here[row] = true
		}
	}
	for row, l := range before.Looks {
		owner := [2]string{l.Account, l.User}
		c.worst[owner] = max(c.worst[owner], l.Factor)
		if !here[row] && l.Promise > 0 {
			c.after.noteEnd(l)
		}
	}
	return c
}

// Memory returns what is to be remembered, once all jobs were predicted.
func (c *CheckedReports) Memory() ReportMemory { return *c.after }

// IsTimeless reports whether time alone leaves the memory as it is: while no running job of the
// snapshot reports, or did.
func (m *ReportMemory) IsTimeless(s *policy.Snapshot) bool {
	isTimeless := len(m.Jobs) == 0
	for i := 0; isTimeless && i < len(s.Jobs); i++ {
		j := &s.Jobs[i]
		isTimeless = !j.HoldsGPUs() || j.Training == nil && !j.Progress.Known
	}
	return isTimeless
}

// noteEnd adds a job that ended to its owner's record.
func (m *ReportMemory) noteEnd(l ReportLooks) {
	i, found := m.findOwner(l.Account, l.User)
	if !found {
		m.Owners = slices.Insert(m.Owners, i, OwnerRecord{Account: l.Account, User: l.User})
	}
	o := &m.Owners[i]
	proved := min(max(l.Ran/l.Promise, worstPace), 1/worstPace)
	if o.Jobs++; o.Jobs > 1 {
		proved = math.Pow(o.Factor, 1-recordWeight) * math.Pow(proved, recordWeight)
	}
	o.Factor = proved
}

func (m *ReportMemory) findOwner(account, user string) (int, bool) {
	return slices.BinarySearchFunc(m.Owners, OwnerRecord{Account: account, User: user}, func(a, b OwnerRecord) int {
		if c := strings.Compare(a.Account, b.Account); c != 0 {
			return c
		}
		return strings.Compare(a.User, b.User)
	})
}

// Predict implements engine.Predictor.
func (c *CheckedReports) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	est := Ladder(nil).Predict(r, e)
	if est.Source != FromTraining && est.Source != FromProgress {
		c.keepLooks(e)
		return est
	}
	owner := OwnerRecord{Factor: 1}
	if i, found := c.after.findOwner(e.Account, e.User); found {
		owner = c.after.Owners[i]
	}
	factor, isProven := c.look(e, est.TimeLeft.Seconds(), owner)
	left := time.Duration(float64(est.TimeLeft) * factor)
	if !isProven && owner.Jobs < provenJobs {
		left = max(left, leastLearnt(r.PredictedTimeLeft(e.Job)))
	}
	if left > est.TimeLeft {
		est.TimeLeft, est.TimeLeftSigma, est.Trust = left, left, est.Trust*float64(est.TimeLeft)/float64(left)
	}
	return est
}

// keepLooks keeps what is known of a job that reports nothing now, or that nothing is left: when
// it ends, that counts.
func (c *CheckedReports) keepLooks(e *engine.Entry) {
	if row := c.rows[e.Index]; row >= 0 {
		l := c.before.Looks[row]
		l.Ran = e.TotalRunTime().Seconds()
		c.after.Jobs, c.after.Looks = append(c.after.Jobs, e.ID), append(c.after.Looks, l)
	}
}

// leastLearnt is what one in six of such jobs have left: as far below the median, on a
// scale of factors, as the standard error reaches above it; 0 where nothing is learnt.
func leastLearnt(left, sigma time.Duration) time.Duration {
	if left <= 0 {
		return 0
	}
	p := float64(left)
	return time.Duration(p * p / (p + max(float64(sigma), 0)))
}

// look notes what the job reports, and returns the factor by which that is too short, and
// whether its own earlier reports say so.
func (c *CheckedReports) look(e *engine.Entry, left float64, owner OwnerRecord) (factor float64, isProven bool) {
	byRecord := max(owner.Factor, c.worst[[2]string{e.Account, e.User}])
	if byRecord < 1/leastPace {
		byRecord = 1
	}
	row := c.rows[e.Index]
	if row < 0 && !e.HoldsGPUs() {
		return byRecord, false
	}
	l := newReportLooks(e, left)
	if row >= 0 {
		l = c.before.Looks[row]
	}
	if e.HoldsGPUs() {
		l.update(e, left)
	}
	c.after.Jobs, c.after.Looks = append(c.after.Jobs, e.ID), append(c.after.Looks, l)
	if l.Factor > 0 {
		return l.Factor, true
	}
	return byRecord, false
}

func newReportLooks(e *engine.Entry, left float64) ReportLooks {
	l := ReportLooks{Account: e.Account, User: e.User}
	l.beginWatch(e, left)
	return l
}

// beginWatch begins anew: another run may have lost work, and another batch size goes at
// another speed, which is no lie. The factor stays.
func (l *ReportLooks) beginWatch(e *engine.Entry, left float64) {
	at := Look{e.TotalRunTime().Seconds(), left}
	if l.Promise == 0 || l.Batch != batchSize(e) {
		l.Promise = at.Ran + left
	}
	l.Run, l.Batch, l.Earlier = e.Start, batchSize(e), [2]Look{at, at}
}

func batchSize(e *engine.Entry) int {
	if e.Training == nil {
		return 0
	}
	return e.Training.BatchSize
}

// update takes a report of the running job.
func (l *ReportLooks) update(e *engine.Entry, left float64) {
	if !l.Run.Equal(e.Start) || l.Batch != batchSize(e) {
		l.beginWatch(e, left)
	}
	at := Look{e.TotalRunTime().Seconds(), left}
	l.Ran = at.Ran
	if later := l.Earlier[1]; at.Ran >= 2*later.Ran && isWatchedEnough(later, at) {
		l.Earlier = [2]Look{later, at}
	}
	if from := l.Earlier[0]; isWatchedEnough(from, at) {
		pace := (from.Left - left) / (at.Ran - from.Ran)
		if l.Factor = 1; pace < leastPace {
			l.Factor = 1 / max(pace, worstPace)
		}
	}
}

func isWatchedEnough(from, to Look) bool {
	return to.Ran-from.Ran >= max(leastWatched.Seconds(), restPart*from.Left)
}
