package learn

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/recurrence"
)

// MethodVersion is that of the method: a stored model of another one is fitted again.
const MethodVersion = 2

// Model is what was learnt. It is not changed by being asked.
type Model struct {
	Version       int       `json:"version"`
	FirstRunStart time.Time `json:"from"`    // start of the first run it was fitted from
	LastRunEnd    time.Time `json:"through"` // end of the last
	RunCount      int       `json:"runs"`    // how many
	Texts         []string  `json:"texts"`   // by the numbers that stand for them; filled by Compact
	Levels        []Level   `json:"levels"`  // the most general first
	// Speeds are those of GPU types, as far as the runs tell; see CompareSpeeds.
	Speeds []policy.Speed `json:"speeds,omitempty"`
	// Trust is how far the order of the last runs by what was predicted of them when they
	// began was their true order; see RunOrderTrust.
	Trust float64 `json:"trust,omitempty"`

	textTable textTable
}

// Level is one way to group jobs, and what is known of each group.
type Level struct {
	Name string `json:"name"`
	levelParameters
	Groups []*jobGroup `json:"groups"` // by key, once Compact was called

	groupsByKey map[groupKey]*jobGroup
}

// New returns a model that knows nothing.
func New() *Model {
	m := &Model{Version: MethodVersion, Levels: make([]Level, levelCount), textTable: newTextTable()}
	for i := range groupings {
		m.Levels[i] = Level{Name: groupings[i].name, levelParameters: groupings[i].startParameters, groupsByKey: map[groupKey]*jobGroup{}}
	}
	return m
}

// AddRun counts one more run. Runs are to be added in the order in which they end.
func (m *Model) AddRun(r *Run) {
	seconds, limit := r.limitedSeconds(), r.Limit.Seconds()
	if !(seconds > 0) {
		return
	}
	numbers, bin, ratioBin := m.textTable.numberNewJob(&r.Job), binOfSeconds(seconds), binOfRatio(seconds, limit)
	for i := range groupings {
		k, l := &groupings[i], &m.Levels[i]
		at, ok := k.keyOfJob(&numbers)
		if !ok {
			continue
		}
		g := l.groupsByKey[at]
		if g == nil {
			g = &jobGroup{Key: at}
			l.groupsByKey[at] = g
			l.Groups = append(l.Groups, g)
		}
		if k.usesLimitRatio {
			g.addRun(ratioBin, k.decayPerRun)
		} else {
			g.addRun(bin, k.decayPerRun)
		}
		g.LastEndUnix = r.End.Unix()
	}
	if m.FirstRunStart.IsZero() || r.Start.Before(m.FirstRunStart) {
		m.FirstRunStart = r.Start.UTC()
	}
	if r.End.After(m.LastRunEnd) {
		m.LastRunEnd = r.End.UTC()
	}
	m.RunCount++
}

// RunTimeDistOf returns the distribution of the run time of a job.
func (m *Model) RunTimeDistOf(j *Job) *RunTimeDist {
	var massByBin [binCount]float64
	var groups [levelCount]*jobGroup
	var shares [levelCount]float64
	rest := 1.0
	numbers := m.textTable.numberKnownJob(j)
	for i := levelCount - 1; i >= 0 && rest > minTailShare; i-- {
		at, ok := groupings[i].keyOfJob(&numbers)
		if !ok || m.Levels[i].MaxShare == 0 {
			continue
		}
		if g := m.Levels[i].groupsByKey[at]; g != nil {
			s := m.Levels[i].shareForRuns(g.RunCount)
			groups[i], shares[i] = g, rest*s
			rest *= 1 - s
		}
	}
	for b, p := range priorMassByBin {
		massByBin[b] = p * rest
	}
	var k bellKernel
	for i, g := range groups {
		if g == nil || shares[i] < minTailShare {
			continue
		}
		by := 0
		if groupings[i].usesLimitRatio {
			by = ratioBinShift(j.Limit.Seconds())
		}
		k.setSigma(kernelSigma(m.Levels[i].KernelWidth, g.RunCount))
		k.addGroup(&massByBin, g, shares[i], by)
	}
	return newRunTimeDist(&massByBin, j.Limit.Seconds())
}

// EarlierSummary is what earlier runs of a job that comes again, on as many GPUs as it asks for, say of it.
type EarlierSummary struct {
	RunTimes []time.Duration // ascending, one at least
	Since    time.Time       // end of the first
	// EnoughLimit is a time limit that would have done for all of them with a quarter to spare, where the job asks for more than
	// twice that and enough runs are known; 0: none is advised.
	EnoughLimit time.Duration
}

// What a shorter time limit is advised by.
const (
	leastRunsForLimit = 5
	limitToSpare      = 1.25
	limitStep         = 10 * time.Minute
)

// SummarizeEarlier sums up the runs on as many GPUs as the job asks for; ok is false where there are none.
func SummarizeEarlier(runs []EarlierRun, j *policy.Job) (s EarlierSummary, ok bool) {
	var ran []time.Duration
	isCutOff := false
	for _, r := range runs {
		if r.GPUs != j.Ask.GPUs.Count || r.Ran <= 0 {
			continue
		}
		if len(ran) == 0 {
			s.Since = r.End
		}
		ran = append(ran, r.Ran)
		isCutOff = isCutOff || r.Limit > 0 && r.Ran >= r.Limit
	}
	if len(ran) == 0 {
		return s, false
	}
	slices.Sort(ran)
	s.RunTimes = ran
	enough := time.Duration(limitToSpare*float64(s.Longest())) + limitStep - 1
	if enough = enough.Truncate(limitStep); len(ran) >= leastRunsForLimit && !isCutOff && j.Limit > 2*enough {
		s.EnoughLimit = enough
	}
	return s, true
}

// Median is how long half of the runs took at most.
func (s *EarlierSummary) Median() time.Duration { return s.RunTimes[(len(s.RunTimes)-1)/2] }

// Longest is how long the longest of the runs took.
func (s *EarlierSummary) Longest() time.Duration { return s.RunTimes[len(s.RunTimes)-1] }

// CountWithin is how many of the runs took no longer than a time.
func (s *EarlierSummary) CountWithin(most time.Duration) int {
	n, _ := slices.BinarySearch(s.RunTimes, most+1)
	return n
}

// Recurring is what became of jobs that come again, by recurrence.Keys: of each key its last runs. The zero
// Recurring knows none.
type Recurring struct {
	Most int // runs that are kept of each key; 0: 32

	runs map[recurrence.Key][]EarlierRun
}

// EarlierRun is an earlier run of a job that came again.
type EarlierRun struct {
	GPUs  int           // that it ran on
	Limit time.Duration // it asked for; 0: none
	Ran   time.Duration // in all its runs
	End   time.Time
}

const mostEarlierRuns = 32

// AddRun notes a run. Runs are to be added in the order in which they end. It reports whether the run can be recognised.
func (c *Recurring) AddRun(r *Run) bool {
	keys := recurrence.Keys(r.User, r.Name)
	if c.runs == nil {
		c.runs = map[recurrence.Key][]EarlierRun{}
	}
	most := c.Most
	if most == 0 {
		most = mostEarlierRuns
	}
	for _, key := range keys {
		list := append(c.runs[key], EarlierRun{r.GPUs, r.Limit, r.Ran, r.End})
		c.runs[key] = slices.Clip(list[max(len(list)-most, 0):])
	}
	return len(keys) > 0
}

// EarlierRuns returns the earlier runs of the job, the oldest first: those of its very name, else of names that differ from it in
// counters; nil: none is known. They must not be changed.
func (c *Recurring) EarlierRuns(j *policy.Job) []EarlierRun {
	runs, _, _ := recurrence.Find(c.runs, j.User, j.Name)
	return runs
}

// Job is what is known of a job before it starts.
type Job struct {
	User    string
	Account string
	Name    string
	GPUType string // of its GPUs; "": not known yet
	GPUs    int
	Limit   time.Duration // of one run; 0: none
}

// Run is how long a job ran that ended by itself, or by its limit.
type Run struct {
	Job
	Start time.Time     // of its first run
	End   time.Time     // of its last
	Ran   time.Duration // in all its runs
}

// limitedSeconds is the run time, at most the limit: Slurm takes a while to kill.
func (r *Run) limitedSeconds() float64 {
	if r.Limit > 0 {
		return min(r.Ran, r.Limit).Seconds()
	}
	return r.Ran.Seconds()
}

// JobFromPolicy returns what the model looks at of a job of a snapshot.
func JobFromPolicy(j *policy.Job) Job {
	typ := j.Ask.GPUs.Type
	if len(j.On) > 0 {
		typ = j.On.FirstType()
	}
	return Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: typ, GPUs: j.Ask.GPUs.Count, Limit: j.Limit}
}

// TimeLeft returns the predicted remaining time of a job of a snapshot and its
// standard error, as RunTimeDist.MedianLeft does; 0 where nothing can be said.
func (m *Model) TimeLeft(j *policy.Job) (left, sigma time.Duration) {
	job := JobFromPolicy(j)
	return m.RunTimeDistOf(&job).MedianLeft(j.TotalRunTime())
}
