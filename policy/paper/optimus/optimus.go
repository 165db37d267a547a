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
