package packs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// Config is one simulation.
type Config struct {
	System         System
	Nodes          []policy.Node // alike; see NewCluster
	Jobs           []workload.Job
	Seed           int64
	ReportProgress func(done, of int) // is told from time to time how many jobs are done; nil: none is
}

// endGroup are jobs that end at one event.
type endGroup struct {
	at   float64
	jobs []*Job
}

// simulation is one under way.
type simulation struct {
	Config
	Moment
	future  []*Job // by arrival
	ends    []endGroup
	ended   int
	choices int // of the rule so far
	run     *measure.Run
}

// Run simulates until all jobs have ended. Its errors name a job that cannot run there, or the
// rule's own.
func Run(c Config) (*measure.Run, error) {
	started := time.Now()
	s, err := newSimulation(c)
	if err != nil {
		return nil, err
	}
	for len(s.future)+len(s.Active) > 0 {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.run.JobOutcomes, func(a, b measure.JobOutcome) int { return cmp.Compare(a.ID, b.ID) })
	s.run.WallSeconds = time.Since(started).Seconds()
	return s.run, nil
}

func newSimulation(c Config) (*simulation, error) {
	cluster, err := NewCluster(c.Nodes)
	if err != nil {
		return nil, err
	}
	if c.System.Rule == nil {
		return nil, errors.New("a simulation in packs needs a rule that says who runs")
	}
	s := &simulation{Config: c, Moment: Moment{Cluster: cluster}}
	s.run = &measure.Run{PolicyName: c.System.Name, Seed: c.Seed, ClusterGPUs: cluster.GPUCount(), FillableIdleGPUSeconds: -1, ShareDeficit: -1}
	for i := range c.Jobs {
		j, err := newJob(&c.Jobs[i], cluster.GPUType)
		if err != nil {
			return nil, err
		}
		if cluster.Clear(); j.GPUs <= 0 || !cluster.Place(j.GPUs) {
			return nil, fmt.Errorf("%s: %d GPUs do not fit on %d nodes of %d", j.Location(), j.GPUs, cluster.NodeCount(), cluster.GPUsPerNode)
		}
		s.future = append(s.future, j)
	}
	slices.SortStableFunc(s.future, func(a, b *Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	for i, j := range s.future {
		j.Order = i
	}
	return s, nil
}

// step handles the next event: who ends leaves, who arrives comes, all that ran are settled, and
// the rule says who runs on. When only the rule wants to be asked, nobody leaves or comes.
func (s *simulation) step() error {
	end, arrival := math.Inf(1), math.Inf(1)
	if len(s.ends) > 0 {
		end = s.ends[0].at
	}
	if len(s.future) > 0 {
		arrival = s.future[0].Arrive
	}
	isOne := math.Abs(end-arrival) <= s.System.SameEventSeconds
	next := min(end, arrival)
	if isOne {
		next = arrival
	}
	if w, is := s.System.Rule.(Waker); is && len(s.Active) > 0 && w.WakeAt() < next {
		return s.choose(w.WakeAt())
	}
	if math.IsInf(next, 1) {
		return exact.DeadlockError(s.Now, len(s.Active), s.Active[0].Job, s.Cluster.GPUCount())
	}
	if end <= next || isOne {
		s.leave(next)
	}
	for len(s.future) > 0 && s.future[0].Arrive <= next {
		s.future[0].settledAt = s.future[0].Arrive
		s.Active = append(s.Active, s.future[0])
		s.future = s.future[1:]
	}
	return s.choose(next)
}

// leave lets the jobs of the earliest end leave.
func (s *simulation) leave(at float64) {
	for _, j := range s.ends[0].jobs {
		j.settle(at)
		i := slices.Index(s.Active, j)
		s.Active = slices.Delete(s.Active, i, i+1)
		j.outcome.Finish = at
		s.run.JobOutcomes = append(s.run.JobOutcomes, j.outcome)
		s.run.BusyGPUSeconds += j.outcome.Service - j.outcome.LostService
		if l, is := s.System.Rule.(Leaver); is {
			l.Left(j)
		}
	}
	s.run.MakespanSeconds = max(s.run.MakespanSeconds, at)
	if s.ended += len(s.ends[0].jobs); s.ReportProgress != nil {
		s.ReportProgress(s.ended, len(s.Jobs))
	}
}

// choose settles the jobs, asks the rule and foresees ends.
func (s *simulation) choose(now float64) error {
	s.Now = now
	for _, j := range s.Active {
		j.settle(now)
	}
	s.Cluster.Clear()
	started := time.Now()
	packs, err := s.System.Rule.Choose(&s.Moment)
	if err != nil {
		return fmt.Errorf("who runs at %.0f s: %w", now, err)
	}
	s.run.DecideSeconds = append(s.run.DecideSeconds, time.Since(started).Seconds())
	if err := s.carryOut(packs); err != nil {
		return err
	}
	s.foreseeEnds()
	return nil
}

// carryOut lets the packs run, and all others wait.
func (s *simulation) carryOut(packs []Pack) error {
	s.choices++
	for _, j := range s.Active {
		j.choice, j.hasRun, j.IsRunning = s.choices, j.IsRunning, false
	}
	sample := measure.ClusterSample{AtSeconds: s.Now, QueuedJobs: len(s.Active)}
	for _, p := range packs {
		for _, j := range p.Jobs {
			if j.choice != s.choices || j.IsRunning || !(p.StepSeconds > 0) || !(p.StartSeconds >= 0) {
				return fmt.Errorf("who runs at %.0f s: job %d twice, not there, or with steps of %g s and starts of %g s", s.Now, j.ID, p.StepSeconds, p.StartSeconds)
			}
			j.IsRunning, j.packStepSeconds, j.packStart = true, p.StepSeconds, p.StartSeconds
			if j.outcome.Start < 0 {
				j.outcome.Start = s.Now
			}
			sample.RunningJobs++
			sample.QueuedJobs--
		}
		if len(p.Jobs) > 0 {
			sample.BusyGPUs += p.Jobs[0].GPUs
		}
	}
	for _, j := range s.Active {
		if j.hasRun && !j.IsRunning {
			j.outcome.StopCount++
		}
	}
	sample.BusyGPUs = min(sample.BusyGPUs, s.run.ClusterGPUs)
	s.run.Samples = append(s.run.Samples, sample)
	return nil
}

// foreseeEnds lists the ends of what runs, those that are one event together.
func (s *simulation) foreseeEnds() {
	s.ends = s.ends[:0]
	for _, j := range s.Active {
		if !j.IsRunning {
			continue
		}
		at := j.end(s.Now)
		i := slices.IndexFunc(s.ends, func(g endGroup) bool {
			return g.at == at || !s.System.EndsOneByOne && isClose(g.at, at)
		})
		if i < 0 {
			i = len(s.ends)
			s.ends = append(s.ends, endGroup{at: at})
		}
		s.ends[i].jobs = append(s.ends[i].jobs, j)
	}
	slices.SortStableFunc(s.ends, func(a, b endGroup) int { return cmp.Compare(a.at, b.at) })
}

// isClose reports whether two times differ by at most a billionth of the later one.
func isClose(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y)) }

// Moment is what a rule is asked about.
type Moment struct {
	Now float64 // seconds since the start of the workload
	// Active are the jobs that have arrived and not ended. A rule may sort it: the order stays,
	// ends are listed in it, and those that arrive are appended.
	Active []*Job
	// Cluster has all GPUs free; what a rule takes of it is forgotten afterwards.
	Cluster *Cluster
}

// Pack are jobs that run on the same GPUs, or one job alone. All of them go on by one step in a
// step of the pack.
type Pack struct {
	Jobs         []*Job
	StepSeconds  float64 // of a step of the pack
	StartSeconds float64 // without progress after each event, for each of them
}

// Alone returns the pack of one job that has its GPUs for itself.
func Alone(j *Job) Pack {
	return Pack{Jobs: []*Job{j}, StepSeconds: j.StepSeconds, StartSeconds: j.StartSeconds}
}

// Rule says who runs. One that is a Waker or a Leaver is asked and told more.
type Rule interface {
	// Choose returns the packs that run from now on; jobs in none of them wait. Job.IsRunning
	// says which ran until now.
	Choose(m *Moment) ([]Pack, error)
}

// Waker is a Rule that is asked again though nobody arrives or ends.
type Waker interface {
	// WakeAt is when, said right after Choose; infinity: it is not. It is so only if that is before
	// the next arrival and the next end.
	WakeAt() float64
}

// Leaver is a Rule that wants to know who ended.
type Leaver interface {
	// Left is called for each job that ended before the next Choose, in the order of ends.
	Left(j *Job)
}

// System is a rule and how the simulator handles events under it.
type System struct {
	Name string
	Rule Rule // of one run: it may keep state
	// SameEventSeconds: an end and an arrival that are at most so far apart are one event, at
	// the arrival.
	SameEventSeconds float64
	// EndsOneByOne: only jobs that end at exactly one time end at one event, not those within
	// a billionth.
	EndsOneByOne bool
}

// ClockName is the name of the clock by which Simulate runs.
const ClockName = "muri"

// Simulate is Run for a policy, in the shape of exact.Run: its plans are carried out.
func Simulate(c exact.Config) (*measure.Run, error) {
	if c.Policy == nil {
		return nil, errors.New("a simulation in packs needs a policy")
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	rule := newPlans(&c)
	run, err := Run(Config{
		System: System{Rule: rule}, Nodes: c.Nodes, Jobs: c.Jobs, Seed: c.Seed, ReportProgress: c.ReportProgress,
	})
	if err == nil {
		run.PolicyName = rule.policyName
	}
	return run, err
}
