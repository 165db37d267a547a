// Package optimus gives each next GPU to the job whose predicted time left it shortens most, by
// fitted curves of loss over steps and of speed over GPUs.
//
// Y. Peng, Y. Bao, Y. Chen, C. Wu, C. Guo, "Optimus: An Efficient Dynamic Resource Scheduler
// for Deep Learning Clusters", EuroSys 2018.
package optimus

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/scaling"
	"fairbridge/policy/solve/descent"
)

// Policy is Optimus with its parameters.
type Policy struct {
	Growth      string        `param:"growth" choices:"hull,single" default:"hull" help:"by how many GPUs a job grows at once: as many as save most a GPU, or one at a time, as the paper has it"`
	MinGain     float64       `param:"min_gain" default:"2" help:"running jobs change size where that saves at least so many times what their restarts cost; 0: wherever it saves"`
	RestartCost time.Duration `param:"restart_cost" default:"2m" help:"what a restart costs a job that does not say"`
	Young       float64       `param:"young" default:"0.95" max:"1" help:"factor to what a GPU saves a job that reports neither its steps nor its loss"`
	Losses      string        `param:"losses" choices:"unknown,always,never" default:"unknown" help:"when the curve of its loss says how many steps a job has left: where it does not say itself, always, or never"`
	Threshold   float64       `param:"threshold" default:"0.05" min:"1e-6" max:"1" help:"a job has converged when its fitted loss falls by less than this part of it in 10 epochs"`
	Placement   string        `param:"placement" choices:"tight,emptiest" default:"tight" help:"where jobs go, those of few GPUs first: on the fewest nodes with least left over, or on the emptiest first"`
	paper.Limits
}

// Decide implements policy.Policy.
func (o *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "optimus",
		Predict:  predict.Ladder{},
		Allocate: &allocator{Policy: o},
		Place:    place.OnAssignedDevices{},
		Backfill: backfill.Greedy{},
		Rules:    o.Rules(),
	}.Decide(s)
}

// System describes Optimus in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "optimus", Title: "Optimus: the next GPU to the job that it saves most time", Venue: "EuroSys", Year: 2018,
		Cite:         `Y. Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters", EuroSys 2018`,
		Idea:         "Fit how fast each job goes on how many GPUs and how long it still trains; give every next GPU where it saves most time.",
		OwnStages:    []string{"predict", "order", "size", "lease", "place"},
		NeededInputs: []string{"an elastic range", "speeds on several sizes", "steps left, or losses by step"},
		Fallback:     "rigid jobs get what they ask in order of arrival; without speeds an elastic job is thought to have a serial part of 5 %; without steps or losses its time left is predicted",
		Reproduced: "Optimus as the simulator of Pollux has it: every one of the 1,280 jobs of its eight workloads in the published second, means at other loads within 1 %, " +
			"5,682 s on average against Tiresias' 4,038; drawn days of 64 GPUs: average completion time 1/2.01 of DRF's on the sizes asked for (median of 5 seeds; the paper: 1/2.39), " +
			"1.006 of that with steps 20 % off; greedy growth is as good as trying all sizes where savings diminish; a loss curve is found again to a thousandth",
		Deviations: []string{
			"Collective training has no parameter servers: a job's size is its GPUs, and the time of a step is a·M/w + b + d·w.",
			"A running job changes its size only where that saves min_gain times what the restarts cost, since a real restart is not free.",
			"Where savings do not diminish from GPU to GPU, jobs grow by several at once (growth=hull).",
			"Rigid jobs stand in the line with the first GPUs of elastic ones instead of being ordered by what they save, and running ones are never stopped.",
			"A job that says how many steps it has is believed; its losses decide only where it does not.",
			"Profiling runs are left out: speeds are what jobs report.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"growth": "single", "min_gain": 0, "young": 1, "placement": "emptiest", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// minSamples is on how many sizes a job must have been measured before its speed is fitted; the
// paper's own least for training in step.
const minSamples = 5

// speeds returns how fast a job goes on a number of devices of a type, relative to what it asks:
// by the paper's fit of what it reported on enough sizes, else as its curve has it.
func speeds(j *policy.Job, gpuType string) func(count int) float64 {
	curve := scaling.New(j)
	at := func(n int) float64 { return curve.Speed(scaling.Size{Type: gpuType, Devices: n}) }
	if curve.Source() == policy.ScalingFromTable {
		return at
	}
	fit, ok := fitStepTime(j.Scaling, gpuType)
	asked := fit.seconds(j.Ask.GPUs.Count)
	base := at(j.Ask.GPUs.Count)
	if !ok || !(asked > 0) || !(base > 0) {
		return at
	}
	return func(n int) float64 { return base * asked / fit.seconds(n) }
}

// stepTime is the time of a step on w devices: divided/w + fixed + each*w.
type stepTime struct{ divided, fixed, each float64 }

func (s stepTime) seconds(devices int) float64 {
	return s.divided/float64(devices) + s.fixed + s.each*float64(devices)
}

// fitStepTime fits the time of a step to points of one batch size on enough numbers of devices;
// ok is false where there are too few. Points of all batch sizes count for the one they tell
// nothing else of.
func fitStepTime(s *policy.Scaling, gpuType string) (stepTime, bool) {
	if s == nil {
		return stepTime{}, false
	}
	var rows [][]float64
	var seconds []float64
	sizes := map[int]bool{}
	for _, p := range s.Points {
		if p.Type != "" && p.Type != gpuType || p.Devices <= 0 || !(p.StepsPerSecond > 0) || p.BatchSize != s.Points[0].BatchSize {
			continue
		}
		w := float64(p.Devices)
		rows = append(rows, []float64{p.StepsPerSecond / w, p.StepsPerSecond, p.StepsPerSecond * w}) // relative errors
		seconds = append(seconds, 1)
		sizes[p.Devices] = true
	}
	if len(sizes) < minSamples {
		return stepTime{}, false
	}
	x := descent.LeastSquares(rows, seconds)
	return stepTime{x[0], x[1], x[2]}, x[0]+x[1]+x[2] > 0
}

// claim is a job that wants devices: how long it has left on each number of them.
type claim struct {
	has, most int                     // devices it has been given so far, and may have
	secondsOn func(count int) float64 // left
	weight    float64                 // factor to what it saves
}

// equality is by which part savings must differ to count as different: times left are known to
// the nanosecond, and like jobs that ask for different sizes must not differ by rounding.
const equality = 1e-7

// divide gives so many devices out, each to the claim that it saves most time, until none are
// left or none saves anything; of equal ones the first. It returns how many are left. Where the
// savings of every claim diminish from device to device no division has a smaller sum of times
// left. With hull a claim may take several at once, by what they save each.
func divide(claims []claim, left int, hull bool) int {
	next := make([]growth, len(claims))
	for i := range claims {
		next[i] = claims[i].nextGrowth(left, hull)
	}
	for left > 0 {
		best := -1
		for i := range next {
			if next[i].count > left {
				next[i] = claims[i].nextGrowth(left, hull)
			}
			if next[i].saves > 0 && (best < 0 || next[i].saves > next[best].saves*(1+equality)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		claims[best].has += next[best].count
		left -= next[best].count
		next[best] = claims[best].nextGrowth(left, hull)
	}
	return left
}

// growth is a number of devices more, and what each of them saves, in seconds.
type growth struct {
	count int
	saves float64
}

// nextGrowth is the best growth of a claim by at most so many devices.
func (c *claim) nextGrowth(left int, hull bool) (best growth) {
	widest := min(c.most-c.has, left)
	if !hull {
		widest = min(widest, 1)
	}
	now := 0.
	if widest > 0 {
		now = c.secondsOn(c.has)
	}
	for n := 1; n <= widest; n++ {
		if saves := (now - c.secondsOn(c.has+n)) * c.weight / float64(n); saves > best.saves {
			best = growth{n, saves}
		}
	}
	return best
}
