package sharing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

const (
	hivedTenants     = 8
	hivedTenantNodes = 4
	hivedNodeGPUs    = 8
	hivedSeconds     = 36 * 3600.
	halfAnHour       = 1800
)

// hivedTenant is a tenant with 32 GPUs: what it runs, and the cells that it has for that.
type hivedTenant struct {
	name  string
	sizes []int // one of them is drawn for each job
	cells []string
}

// tenantsOfTwoKinds train large models, with whole nodes for it, or try small ones, with cells of four GPUs, two and
// one. The reference load of this claim is tenants who are all alike: there none waited for half an hour longer
// with quotas that count, in five seeds, since their own small jobs take their own nodes apart as others' do.
func tenantsOfTwoKinds() (all []hivedTenant) {
	for i := range hivedTenants / 2 {
		all = append(all, hivedTenant{fmt.Sprint("large", i), []int{8, 8, 8, 16}, []string{"4x8"}},
			hivedTenant{fmt.Sprint("small", i), []int{1, 1, 1, 2, 2, 4}, []string{"4x4", "4x2", "8x1"}})
	}
	return all
}

// jobs are a day and a half of a tenant that asks for nine tenths of its GPUs: of half an hour in the median and
// up to a day, the larger the longer.
func (v hivedTenant) jobs(r *rand.Rand) (own []workload.Job) {
	for service := 0.; service < .9*hivedTenantNodes*hivedNodeGPUs*hivedSeconds; {
		gpus := v.sizes[r.IntN(len(v.sizes))]
		seconds := math.Round(min(1800*math.Exp(1.5*r.NormFloat64())*math.Sqrt(float64(gpus)), 86_400))
		own = append(own, workload.Job{User: v.name, Account: v.name, Partition: "gpu", GPUs: gpus, Duration: seconds,
			NodeCount: max(1, gpus/hivedNodeGPUs), Arrive: math.Round(r.Float64() * hivedSeconds)})
		service += float64(gpus) * seconds
	}
	return own
}

func hivedJobs(seed int64, tenants []hivedTenant) (jobs []workload.Job) {
	r := rand.New(rand.NewPCG(uint64(seed), 40))
	for _, v := range tenants {
		jobs = append(jobs, v.jobs(r)...)
	}
	slices.SortStableFunc(jobs, func(a, b workload.Job) int { return int(a.Arrive - b.Arrive) })
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return jobs
}

// waits are the seconds that jobs waited for their first start on so many nodes, by id.
func waits(t *testing.T, p policy.Policy, nodes int, jobs []workload.Job) map[int64]float64 {
	run := simulate(t, exact.Config{Policy: p, Nodes: cluster(nodes, hivedNodeGPUs, "v100"), Jobs: jobs, KeepsNodeShapes: true, Clock: exact.NewEventClock(0, 0, 0)})
	out := map[int64]float64{}
	for _, j := range run.JobOutcomes {
		out[int64(j.ID)] = j.Start - j.Arrive
	}
	return out
}

// excess is how much longer each job waits where tenants share a cluster than where each has
// nodes of its own, under a policy for them, in seconds by id.
func excess(t *testing.T, tenants []hivedTenant, jobs []workload.Job, policyFor func(...hivedTenant) policy.Policy) map[int64]float64 {
	out := waits(t, policyFor(tenants...), len(tenants)*hivedTenantNodes, jobs)
	for _, v := range tenants {
		own := slices.DeleteFunc(slices.Clone(jobs), func(j workload.Job) bool { return j.Account != v.name })
		for id, alone := range waits(t, policyFor(v), hivedTenantNodes, own) {
			out[id] -= alone
		}
	}
	return out
}

// anomalies are the part of the gangs that wait half an hour longer than on nodes of their tenant's own, and
// the most that any job waits longer, in seconds.
func anomalies(jobs []workload.Job, excess map[int64]float64) (late, most float64) {
	gangs := 0
	for _, j := range jobs {
		most = max(most, excess[j.ID])
		if j.GPUs > 1 {
			gangs++
			if excess[j.ID] > halfAnHour {
				late++
			}
		}
	}
	return late / float64(gangs), most
}

// TestReproduceHiveD: no job waits longer for cells of a shared cluster than for those of a cluster of its
// tenant's own, as stops take no time here; with quotas that count GPUs gangs wait for nodes that others' small
// jobs take apart. The reference wants one gang of a hundred half an hour late with jobs where they fit best.
// Seen: .6 in the median of five seeds (0 to 1.8), the latest of them 48 min late; best fit opens a node
// for small jobs only where no other has room. Where jobs go to the emptiest node, 13.6 are late, by 21 hours at most.
func TestReproduceHiveD(t *testing.T) {
	tenants, late, longest := tenantsOfTwoKinds(), map[string][]float64{}, map[string][]float64{}
	quotas := map[string]func(...hivedTenant) policy.Policy{
		"counted, best fit": func(...hivedTenant) policy.Policy { return newCountQuota(hivedTenantNodes*hivedNodeGPUs, bestFit{}) },
		"counted, emptiest": func(...hivedTenant) policy.Policy {
			return newCountQuota(hivedTenantNodes*hivedNodeGPUs, emptiestNode{})
		},
		"multifactor": func(...hivedTenant) policy.Policy { return system(t, "multifactor", nil) },
	}
	for seed := range int64(5) {
		jobs := hivedJobs(seed+1, tenants)
		if _, most := anomalies(jobs, excess(t, tenants, jobs, func(some ...hivedTenant) policy.Policy { return system(t, "hived", cellsOf(some)) })); most > 1e-6 {
			t.Errorf("seed %d: a job waits %.3f s longer than for cells on nodes of its tenant's own", seed+1, most)
		}
		for name, quota := range quotas {
			part, most := anomalies(jobs, excess(t, tenants, jobs, quota))
			late[name], longest[name] = append(late[name], part), append(longest[name], most/60)
		}
	}
	for name := range quotas {
		t.Logf("%s: more than half an hour longer wait %.4f of the gangs (median of %.4f), the longest %.0f min (of %.0f)", name, median(late[name]), late[name], median(longest[name]), longest[name])
	}
	if got := median(longest["counted, best fit"]); got < 30 {
		t.Errorf("counted, best fit: the gang that waits the longest waits %.0f min longer, want at least 30", got)
	}
	if got := median(late["counted, emptiest"]); got < .01 {
		t.Errorf("counted, emptiest: %.4f of the gangs wait half an hour longer, want at least .01", got)
	}
}

func cellsOf(tenants []hivedTenant) paper.Params {
	var cells []any
	for _, v := range tenants {
		for _, c := range v.cells {
			cells = append(cells, v.name+"="+c)
		}
	}
	return paper.Params{"cells": cells}
}
