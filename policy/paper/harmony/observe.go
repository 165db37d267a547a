package harmony

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// memo is what is remembered from one decision to the next.
type memo struct {
	Model model     `json:"model"`
	Jobs  []stretch `json:"jobs,omitempty"` // running jobs that tell how fast they are, by id
}

// stretch is a time in which a job ran beside the same others, and what was measured of it before.
type stretch struct {
	Job        policy.JobID       `json:"job"`
	Start      time.Time          `json:"start"` // of the job's run
	Since      time.Time          `json:"since"`
	Work       float64            `json:"work"`       // what it had done then
	SecondsRun float64            `json:"ran"`        // how long it had run then, in all
	BusySum    float64            `json:"busy"`       // of what was measured of its GPUs since, where it reports no work
	BusyCount  float64            `json:"busy_count"` // how often
	Neighbours []policy.JobID     `json:"ids,omitempty"`
	Others     map[string]float64 `json:"others,omitempty"` // what others hold beside it, by class
	IsTaken    bool               `json:"taken,omitempty"`  // its speed was taken in
	// OwnSpeed is how fast the job was where it was measured first, and BesideThen what others held beside it there; 0:
	// it was measured nowhere yet.
	OwnSpeed   float64            `json:"speed,omitempty"`
	BesideThen map[string]float64 `json:"then,omitempty"`
}

const (
	// settleTime is how long a job runs before it is measured: it loads its data and its checkpoint first.
	settleTime = 2 * time.Minute
	// mostWatched is how many jobs are watched at a time, so that what is remembered stays short.
	mostWatched = 256
	// mostBelieved is the largest change of a speed that is believed, as ln.
	mostBelieved = 2
)

func recallMemo(s *policy.Snapshot) (*memo, error) {
	m, err := policy.Recall[*memo](s.Memo)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return &memo{}, nil
	}
	if err := m.Model.check(); err != nil {
		return nil, fmt.Errorf("reading what was remembered: %w", err)
	}
	return m, nil
}

// observe takes in how fast jobs were since the last decision. A job is compared with itself where it had other
// neighbours: how fast it would be alone need not be known.
func (p *Policy) observe(s *policy.Snapshot, last *memo) *memo {
	next := &memo{Model: last.Model}
	nodes, room := newNodeParts(s), mostWatched-len(last.Jobs)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.State != policy.Running || len(j.On) == 0 || s.Now.Sub(j.Start) < settleTime || !tellsSpeed(j) {
			continue
		}
		was := last.find(j)
		if was == nil {
			if room--; room < 0 {
				continue
			}
		}
		now := newStretch(s, j, nodes)
		if was != nil {
			now.OwnSpeed, now.BesideThen = was.OwnSpeed, was.BesideThen
			if slices.Equal(was.Neighbours, now.Neighbours) {
				now = p.goOn(&next.Model, j, was, &now)
			}
		}
		next.Jobs = append(next.Jobs, now)
	}
	return next
}

// find returns what is remembered of a job's run; nil: nothing.
func (m *memo) find(j *policy.Job) *stretch {
	at, found := slices.BinarySearchFunc(m.Jobs, j.ID, func(x stretch, id policy.JobID) int { return cmp.Compare(x.Job, id) })
	if !found || !m.Jobs[at].Start.Equal(j.Start) {
		return nil
	}
	return &m.Jobs[at]
}

// goOn returns a stretch that lasts, and takes in the job's speed once it has lasted long enough.
func (p *Policy) goOn(m *model, j *policy.Job, was, now *stretch) stretch {
	on := *was
	if j.Utilisation.Known {
		on.BusySum, on.BusyCount = was.BusySum+j.Utilisation.Value, was.BusyCount+1
	}
	ran := now.SecondsRun - was.SecondsRun
	if was.IsTaken || ran < p.Window.Seconds() {
		return on
	}
	speed := (now.Work - was.Work) / ran
	if !reportsWork(j) {
		speed = on.BusySum / max(on.BusyCount, 1)
	}
	if on.IsTaken = true; !(speed > 0) || math.IsInf(speed, 0) {
		return on
	}
	if on.OwnSpeed == 0 {
		on.OwnSpeed, on.BesideThen = speed, was.Others
		return on
	}
	if more := subtract(was.Others, on.BesideThen); len(more) > 0 {
		*m = m.observe(p, classOf(j), more, max(min(math.Log(on.OwnSpeed/speed), mostBelieved), -mostBelieved))
	}
	return on
}

// reportsWork reports whether a job says how much of its work is done.
func reportsWork(j *policy.Job) bool { return j.Training.TellsWork() && j.Training.Steps > 0 }

// tellsSpeed reports whether anything of a job says how fast it is: its steps, else how busy its GPUs are, of which only
// changes count.
func tellsSpeed(j *policy.Job) bool { return reportsWork(j) || j.Utilisation.Known }

func newStretch(s *policy.Snapshot, j *policy.Job, nodes nodeParts) stretch {
	x := stretch{Job: j.ID, Start: j.Start, Since: s.Now, SecondsRun: j.Ask.GPUs.SecondsForService(j.Attained)}
	if reportsWork(j) {
		x.Work = j.Training.StepsDone
	} else {
		x.BusySum, x.BusyCount = j.Utilisation.Value, 1
	}
	x.Neighbours, x.Others = nodes.beside(j)
	return x
}

// subtract returns what of a is more than in b, by class, without those that are alike.
func subtract(a, b map[string]float64) map[string]float64 {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]float64{}
	}
	for class, v := range b {
		if out[class] -= v; math.Abs(out[class]) < 1e-9 {
			delete(out, class)
		}
	}
	return out
}

func sortedKeys(m map[string]float64) []string { return slices.Sorted(maps.Keys(m)) }
