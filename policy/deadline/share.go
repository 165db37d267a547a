package deadline

import (
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
