package deadline

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/fair"
)

// entitlement is what an account is due now and what of that is taken, in whole GPUs.
type entitlement struct {
	due     float64
	isAll   bool    // no other account wants GPUs: there is nothing that its deadlines could take from others
	fixed   float64 // what its running jobs without deadlines hold
	counted float64 // what its jobs whose deadlines count hold or ask for
}

// tolerance is the error that sums of shares are forgiven, in GPUs.
const tolerance = 1e-6

// entitle returns what every account that has or wants GPUs is due: its part by weight of the GPUs
// of the snapshot, and of what others leave that want less than theirs (max-min fairness). GPUs of all
// types count alike, as in the service that accounts are charged.
func entitle(s *policy.Snapshot) map[string]*entitlement {
	names, demands, total := listDemands(s), []fair.Demand(nil), s.WholeGPUs()
	all := make(map[string]*entitlement, len(names.inOrder))
	weights := share.WeightsAmong(s, names.wants)
	for _, name := range names.inOrder {
		demands = append(demands, fair.Demand{Weight: weights[name], NeedByResource: []float64{names.gpus[name] / max(total, 1)}})
	}
	for i, part := range fair.DominantShares(demands) {
		name := names.inOrder[i]
		all[name] = &entitlement{due: part * total, isAll: len(names.inOrder) == 1, fixed: names.fixed[name]}
	}
	return all
}

// accountDemands are the accounts that have or want GPUs, in the order of their first jobs.
type accountDemands struct {
	inOrder     []string
	wants       map[string]bool
	gpus, fixed map[string]float64 // what all their jobs hold or ask for, and what those hold that have no deadline
}

func listDemands(s *policy.Snapshot) accountDemands {
	d := accountDemands{wants: map[string]bool{}, gpus: map[string]float64{}, fixed: map[string]float64{}}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.HoldsGPUs() && !j.CanStart(s.Now) {
			continue
		}
		if !d.wants[j.Account] {
			d.wants[j.Account] = true
			d.inOrder = append(d.inOrder, j.Account)
		}
		d.gpus[j.Account] += mostWholeGPUs(j)
		if j.HoldsGPUs() && j.Deadline.IsZero() {
			d.fixed[j.Account] += wholeGPUs(j)
		}
	}
	return d
}

// mostWholeGPUs returns what a job holds or asks for, or the most of its range, in whole GPUs.
func mostWholeGPUs(j *policy.Job) float64 {
	if j.MaxGPUs <= deviceCount(j) {
		return wholeGPUs(j)
	}
	g := j.Ask.GPUs
	g.Count = j.MaxGPUs
	return g.WholeGPUs()
}

// deviceCount returns the devices that a job holds, or that all tasks of its record ask for.
func deviceCount(j *policy.Job) int {
	if n := j.On.Count(); n > 0 {
		return n
	}
	return j.Ask.GPUs.Count * j.TaskCount()
}

// wholeGPUs is deviceCount in whole GPUs.
func wholeGPUs(j *policy.Job) float64 {
	g := j.Ask.GPUs
	g.Count = deviceCount(j)
	return g.WholeGPUs()
}

// budgetBook is what is left of each deadline budget while jobs are judged.
type budgetBook struct {
	*policy.Snapshot
	leftByIndex []policy.GPUSeconds // by place in Snapshot.DeadlineBudgets
}

func newBudgetBook(s *policy.Snapshot, spent *ledger) *budgetBook {
	b := &budgetBook{s, make([]policy.GPUSeconds, len(s.DeadlineBudgets))}
	for i := range s.DeadlineBudgets {
		g := &s.DeadlineBudgets[i]
		b.leftByIndex[i] = max(g.Weekly-spent.sum(g.String()), 0)
	}
	return b
}

// cover lets a job's deadline count by the first budget of its account or QOS that has enough left for
// all that the job may yet take, and sets that aside. What comes of it is added to the reason, or replaces it.
func (b *budgetBook) cover(v *verdict, j *policy.Job) {
	most, ok := mostService(b.Snapshot, j)
	for i := range b.DeadlineBudgets {
		g := &b.DeadlineBudgets[i]
		if ok && g.Covers(j) && most <= b.leftByIndex[i] {
			b.leftByIndex[i] -= most
			v.counts, v.budget, v.mostGPUs = true, g, max(deviceCount(j), j.MinGPUs)
			v.reason = fmt.Sprintf("its deadline %s counts by the deadline budget of %s, of which %s are set aside for it", formatDeadline(j), g, most)
			return
		}
	}
	v.reason += "; " + b.whyNone(j, most, ok)
}

// mostService returns what a job may take until it ends: on what it holds or asks, until its time limit, or where
// it has none for as long as it is predicted to run. ok is false where nothing bounds it.
func mostService(s *policy.Snapshot, j *policy.Job) (policy.GPUSeconds, bool) {
	if j.Limit > 0 {
		return policy.ServiceForTime(wholeGPUs(j), max(j.Limit-j.Ran(s.Now), 0)), true
	}
	left, _ := s.PredictedTimeLeft(j)
	return policy.ServiceForTime(wholeGPUs(j), left), left > 0
}

// whyNone says why a job's deadline counts by no budget.
func (b *budgetBook) whyNone(j *policy.Job, most policy.GPUSeconds, isBounded bool) string {
	for i := range b.DeadlineBudgets {
		g := &b.DeadlineBudgets[i]
		switch {
		case !g.Covers(j):
		case !isBounded:
			return fmt.Sprintf("the deadline budget of %s does not help, as nothing bounds what the job takes: give it a time limit", g)
		default:
			return fmt.Sprintf("of the %s of the deadline budget of %s for a week %s are left, and it may take %s", g.Weekly, g, b.leftByIndex[i], most)
		}
	}
	return "no deadline budget was granted to its account or QOS"
}
