package referee

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
)

// oneEach asks a policy once for each arrival and each end, as pyss does, the simulator of the published figures.
// The exact clock lets all of one second happen and then asks once. In pyss, those jobs end first that end when
// they were planned to; then jobs arrive, by number; then the others end, in the order in which they were started.
type oneEach struct {
	policy policy.Policy
	// gated: an arrival that has no room by itself is no reason to ask.
	gated bool
	// length is how long a job truly runs, and isPlanned whether that is how long it was planned to at the end.
	length    map[policy.JobID]time.Duration
	isPlanned func(j *policy.Job, length time.Duration) bool
	forecast  func(now time.Time) policy.Forecast // nil: none
	running   []policy.Job                        // in the order in which they were started
}

// moment is what happens within one second.
type moment struct {
	*oneEach
	policy.Snapshot
	all       *policy.Snapshot // after everything
	startedAt map[policy.JobID]policy.Alloc
}

// Decide implements policy.Policy.
func (o *oneEach) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	ended := o.takeEnded(s)
	var early []policy.Job // before their planned ends
	for i := range ended {
		if !o.isPlanned(&ended[i], o.length[ended[i].ID]) {
			early = append(early, ended[i])
		}
	}
	var arrived []policy.JobID
	for i := range s.Jobs {
		if s.Jobs[i].Submit.Equal(s.Now) {
			arrived = append(arrived, s.Jobs[i].ID)
		}
	}
	if len(arrived)+len(ended) <= 1 || len(early) == 0 && len(arrived) <= 1 { // who ends as planned ends before
		plan, err := o.policy.Decide(s)
		if err == nil {
			o.noteStarts(s, plan.Decisions)
		}
		return plan, err
	}
	return o.newMoment(s, early, arrived).decide(ended, arrived)
}

// takeEnded takes the jobs out of those that run which end now or did before.
func (o *oneEach) takeEnded(s *policy.Snapshot) (now []policy.Job) {
	o.running = slices.DeleteFunc(o.running, func(j policy.Job) bool {
		end := j.Start.Add(o.length[j.ID])
		if end.Equal(s.Now) {
			now = append(now, j)
		}
		return !end.After(s.Now)
	})
	return now
}

// noteStarts notes what a plan starts in the order of its ranks.
func (o *oneEach) noteStarts(s *policy.Snapshot, decisions []policy.Decision) {
	var starts []*policy.Decision
	for i := range decisions {
		if decisions[i].Verb == policy.Start {
			starts = append(starts, &decisions[i])
		}
	}
	slices.SortFunc(starts, func(a, b *policy.Decision) int {
		arrived := s.Job(a.Job).Arrive.Compare(s.Job(b.Job).Arrive)
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), arrived, cmp.Compare(a.Job, b.Job))
	})
	for _, d := range starts {
		j := *s.Job(d.Job)
		startOn(&j, s.Now, d.On)
		o.running = append(o.running, j)
	}
}

func startOn(j *policy.Job, now time.Time, on policy.Alloc) {
	j.State, j.On, j.Start = policy.Running, on, now
}

// newMoment is the snapshot before jobs arrive and others end early.
func (o *oneEach) newMoment(s *policy.Snapshot, early []policy.Job, arrived []policy.JobID) *moment {
	m := &moment{oneEach: o, Snapshot: *s, all: s, startedAt: map[policy.JobID]policy.Alloc{}}
	m.Jobs = slices.Clone(early)
	for i := range s.Jobs {
		if !slices.Contains(arrived, s.Jobs[i].ID) {
			m.Jobs = append(m.Jobs, s.Jobs[i])
		}
	}
	slices.SortFunc(m.Jobs, func(a, b policy.Job) int { return cmp.Compare(a.ID, b.ID) })
	if o.forecast != nil {
		m.Forecast = o.forecast(s.Now) // that of the simulation knows nothing of jobs that ended
	}
	return m
}

// decide lets one thing after the other happen and makes one plan of what is decided each time.
func (m *moment) decide(ended []policy.Job, arrived []policy.JobID) (*policy.Plan, error) {
	var plan *policy.Plan
	ask := func() (err error) {
		plan, err = m.policy.Decide(&m.Snapshot)
		if err == nil {
			m.carryOut(plan)
		}
		return err
	}
	for _, id := range arrived {
		i, _ := m.find(id)
		m.Jobs = slices.Insert(m.Jobs, i, *m.all.Job(id))
		if m.gated && m.free() < m.Jobs[i].Ask.GPUs.Count {
			continue
		}
		if err := ask(); err != nil {
			return nil, err
		}
	}
	for k := range ended {
		i, isThere := m.find(ended[k].ID)
		if isThere {
			m.Jobs = slices.Delete(m.Jobs, i, i+1)
		} else if plan != nil {
			continue // nothing changes
		}
		if err := ask(); err != nil {
			return nil, err
		}
	}
	return m.planForAll()
}

func (m *moment) find(id policy.JobID) (int, bool) {
	return slices.BinarySearchFunc(m.Jobs, id, func(j policy.Job, id policy.JobID) int { return cmp.Compare(j.ID, id) })
}

func (m *moment) free() int {
	n := m.Nodes[0].GPUs[0].Count
	for i := range m.Jobs {
		n -= m.Jobs[i].On.Count()
	}
	return n
}

// carryOut starts what the plan starts.
func (m *moment) carryOut(plan *policy.Plan) {
	m.noteStarts(&m.Snapshot, plan.Decisions)
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; d.Verb == policy.Start {
			startOn(&m.Jobs[i], m.Now, d.On)
			m.startedAt[d.Job] = d.On
		}
	}
}

// planForAll is the plan for the snapshot after everything.
func (m *moment) planForAll() (*policy.Plan, error) {
	if len(m.Jobs) != len(m.all.Jobs) {
		return nil, fmt.Errorf("%d jobs are left at %v, want %d", len(m.Jobs), m.Now, len(m.all.Jobs))
	}
	plan := &policy.Plan{SnapshotSeq: m.Seq, Policy: "easy"}
	for i := range m.all.Jobs {
		j := &m.all.Jobs[i]
		d := policy.Decision{Job: j.ID, Verb: policy.Wait}
		if on := m.startedAt[j.ID]; on != nil {
			d.Verb, d.On = policy.Start, on
		} else if j.HoldsGPUs() {
			d.Verb, d.On = policy.Keep, j.On
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}
