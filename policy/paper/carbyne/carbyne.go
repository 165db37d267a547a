// Package carbyne lets a workflow keep only what it must run now to end when its fair
// share would end it, and spends the rest on the workflows with least work
// left. A workflow is what one user submits under one name, numbers at its end
// aside: the tasks of an array, the runs of a sweep.
//
// R. Grandl, M. Chowdhury, A. Akella, G. Ananthanarayanan, "Altruistic
// Scheduling in Multi-Resource Clusters", OSDI 2016.
//
// The paper's jobs are graphs of tasks; Slurm shows no graph, so tasks count as
// independent, and those that still depend on others as not there.
package carbyne

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/assign"
)

// Policy is Carbyne with its parameters.
type Policy struct {
	Altruism   float64 `param:"altruism" default:"1" max:"1" help:"part of the workflows that give away what they need not use now; 0: plain fairness"`
	SlackFloor float64 `param:"slack_floor" default:"0.1" max:"1" help:"part of the time to its fair end by which a task starts before it must"` // in case predictions are wrong
	Preempt    bool    `param:"preempt" default:"true" help:"stop tasks that need not run now for those that must"`
	paper.Limits
}

// Decide implements policy.Policy.
func (c *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	flows := splitIntoWorkflows(s)
	d := &altruisticOrder{altruism: c.Altruism, slackFloor: c.SlackFloor, workflows: flows}
	p := engine.Pipeline{
		Name:     "carbyne",
		Predict:  predict.Ladder{},
		Share:    share.DominantFairness{},
		Allocate: d,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.NoPreemption,
		Rules:    c.Rules(),
	}
	if c.Preempt {
		p.Preempt = preempt.ByLease
	}
	return p.Decide(flows.rewrittenSnapshot)
}

// System describes Carbyne in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "carbyne", Title: "Carbyne: altruistic scheduling", Venue: "OSDI", Year: 2016,
		Cite:         `R. Grandl et al., "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016`,
		Idea:         "Run now only what must run now to end when a fair share would end it; the rest of the share helps short workflows.",
		OwnStages:    []string{"predict", "share", "order", "backfill", "preempt"},
		NeededInputs: []string{"remaining time of every task of a workflow", "GPUs, cores and memory asked", "account weights"},
		Fallback:     "a workflow with a task of unknown length keeps its whole share: dominant resource fairness among workflows",
		Reproduced:   "the worked example (2.5 hours on average become 2.0); workflows at least 1.2 times as fast as under DRF on average, few slower",
		Deviations: []string{
			"No graphs of tasks: Slurm shows none, so the tasks of a workflow count as independent, and those that still wait for others as not there.",
			"A workflow is what one user submits under one name.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		WorkConserving:  true,
	})
}

// task is a part of a workflow: how long it takes and how many
// machines at once.
type task struct {
	seconds      float64
	machineCount int
}

// scheduleLongestFirst schedules tasks on like machines, the longest first, each as
// early as it can, and returns when each ends. Read backwards from the last end
// it says how late each task may start, if never more machines are used:
// last - end. Tasks wider than the machines count as if they fitted.
func scheduleLongestFirst(tasks []task, machines int) (ends []float64, last float64) {
	order, wide := make([]int, len(tasks)), 0
	for i, p := range tasks {
		order[i] = i
		wide += max(p.machineCount, 1)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tasks[b].seconds, tasks[a].seconds), cmp.Compare(a, b))
	})
	free := make([]float64, max(min(machines, wide), 1))
	ends = make([]float64, len(tasks))
	for _, i := range order {
		ends[i] = assign.RunOnFirstFree(free, min(max(tasks[i].machineCount, 1), len(free)), max(tasks[i].seconds, 0))
		last = max(last, ends[i])
	}
	return ends, last
}

// workflowSnapshot are the workflows of a snapshot, and the snapshot with every
// workflow as an account of its own below its account, so that fairness among
// accounts becomes fairness among workflows.
type workflowSnapshot struct {
	rewrittenSnapshot *policy.Snapshot
	workflowOfJob     []int    // by job, in snapshot order
	workflowNames     []string // by workflow
}

// splitIntoWorkflows finds the workflows.
func splitIntoWorkflows(s *policy.Snapshot) *workflowSnapshot {
	f := &workflowSnapshot{workflowOfJob: make([]int, len(s.Jobs))}
	index := map[[3]string]int{}
	c := *s
	c.Jobs, c.Accounts = slices.Clone(s.Jobs), slices.Clone(s.Accounts)
	for i := range c.Jobs {
		j := &c.Jobs[i]
		name := workflowName(j)
		key := [3]string{j.Account, j.User, name}
		w, known := index[key]
		if !known {
			w = len(f.workflowNames)
			index[key] = w
			f.workflowNames = append(f.workflowNames, j.Account+"/"+j.User+"/"+name)
			c.Accounts = append(c.Accounts, policy.Account{Name: f.workflowNames[w], Parent: j.Account, Weight: 1})
		}
		f.workflowOfJob[i], j.Account = w, f.workflowNames[w]
	}
	order := make([]int, len(c.Accounts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(c.Accounts[a].Name, c.Accounts[b].Name), a-b)
	})
	sorted := make([]policy.Account, len(order))
	for i, from := range order {
		sorted[i] = c.Accounts[from]
	}
	c.Accounts = sorted
	f.rewrittenSnapshot = &c
	return f
}

// workflowName is the job's name without the number of the run; the job's id
// where that leaves nothing.
func workflowName(j *policy.Job) string {
	name := strings.TrimRight(j.Name, "0123456789")
	if len(name) < len(j.Name) {
		name = strings.TrimRight(name, "-_.: ")
	}
	if name == "" {
		return strconv.FormatInt(int64(j.ID), 10)
	}
	return name
}

// workflow is what a workflow has left to do.
type workflow struct {
	jobIndexes      []int // as places in Entries
	tasks           []task
	jobOfTask       []int // by task: its job
	poolName        string
	fairGPUs        float64 // GPUs it is entitled to now
	gpuSecondsLeft  float64 // GPU-seconds left
	hasKnownLengths bool    // how long all its tasks run
	fairEndSeconds  float64 // seconds until its fair share would have ended it
}

// maxTasksPerArray bounds the tasks of one array record that are looked at.
const maxTasksPerArray = 1024

// addJob counts a job, which is at place i in Entries.
func (f *workflow) addJob(e *engine.Entry, i int) {
	left, ok := remainingSeconds(e)
	f.hasKnownLengths = ok && (f.hasKnownLengths || len(f.jobIndexes) == 0)
	if len(f.jobIndexes) == 0 {
		f.poolName = e.Partition + "/" + e.Ask.GPUs.Type
	}
	f.jobIndexes = append(f.jobIndexes, i)
	f.fairGPUs += e.DueGPUs
	f.gpuSecondsLeft += left * float64(e.DeviceCount()*e.TaskCount())
	for range min(e.TaskCount(), maxTasksPerArray) {
		f.tasks, f.jobOfTask = append(f.tasks, task{seconds: left, machineCount: e.DeviceCount()}), append(f.jobOfTask, i)
	}
}

// setFairEnds says when fair sharing would end each workflow, if no other
// comes: each goes on at the share that is due now, and what those that end leave
// goes to the others that use the same GPUs, by share. No workflow ends
// before its longest chain.
func setFairEnds(workflows []workflow) {
	var order []int
	total := map[string]float64{} // due, by pool
	for w := range workflows {
		if f := &workflows[w]; len(f.jobIndexes) > 0 {
			f.fairGPUs = max(f.fairGPUs, 1e-3)
			total[f.poolName] += f.fairGPUs
			order = append(order, w)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &workflows[a], &workflows[b]
		return cmp.Or(cmp.Compare(x.poolName, y.poolName), cmp.Compare(x.gpuSecondsLeft/x.fairGPUs, y.gpuSecondsLeft/y.fairGPUs), cmp.Compare(a, b))
	})
	pool, at, reached, rest := "", 0.0, 0.0, 0.0
	for k, w := range order {
		f := &workflows[w]
		if k == 0 || f.poolName != pool {
			pool, at, reached, rest = f.poolName, 0, 0, total[f.poolName]
		}
		at += (f.gpuSecondsLeft/f.fairGPUs - reached) * rest / total[pool]
		reached = f.gpuSecondsLeft / f.fairGPUs
		rest -= f.fairGPUs
		longest := 0.0
		for _, p := range f.tasks {
			longest = max(longest, p.seconds)
		}
		f.fairEndSeconds = max(at, longest, 1)
	}
}

// remainingSeconds returns the seconds the job runs from now on what it asks or
// holds: as it reports, else as estimated with one standard error.
func remainingSeconds(e *engine.Entry) (seconds float64, ok bool) {
	if t := e.Training; t != nil && len(t.Rates) > 0 {
		typ := e.Ask.GPUs.Type
		if len(e.On) > 0 {
			typ = e.On.FirstType()
		}
		rate, known := t.Rate(typ)
		if !known {
			rate = t.Rates[0].StepsPerSecond
		}
		if rate > 0 {
			return max(t.Steps-t.StepsDone, 0) / rate, true
		}
	}
	if e.Estimate().TimeLeft > 0 {
		return (e.Estimate().TimeLeft + e.Estimate().TimeLeftSigma).Seconds(), true
	}
	return 0, false
}
