package packs

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
