package policytest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
)

// CompareSlowdowns says what accounts pay for a policy where no job may be stopped: by
// account, the median over drawn days of its mean slowdown under ours over that
// under theirs, on the same jobs. Three accounts of one share each have the
// demands, as parts of an overload by a quarter, and have used so many times
// what the cluster has in a day. The makes must return new, equal policies each
// time.
func CompareSlowdowns(t *testing.T, ours, theirs func() policy.Policy, demands, used [3]float64) [3]float64 {
	t.Helper()
	var ratios [3][]float64
	for seed := range uint64(15) {
		d := drawAccountScenario(seed, demands, used)
		a, b := d.meanSlowdowns(d.measureWaits(t, ours())), d.meanSlowdowns(d.measureWaits(t, theirs()))
		for k := range ratios {
			ratios[k] = append(ratios[k], a[k]/b[k])
		}
	}
	var out [3]float64
	for k := range ratios {
		slices.Sort(ratios[k])
		out[k] = ratios[k][len(ratios[k])/2]
	}
	return out
}

var accountNames = [3]string{"a", "b", "c"}

// drawAccountScenario draws ten hours of jobs on 4 nodes of 8 GPUs.
func drawAccountScenario(seed uint64, demands, used [3]float64) *scenario {
	const gpus, span = 32, 10 * time.Hour
	r := rand.New(rand.NewPCG(seed, 8))
	d := &scenario{}
	for _, name := range []string{"n1", "n2", "n3", "n4"} {
		d.nodes = append(d.nodes, policy.Node{Name: name, Partitions: []string{"batch"}, GPUs: []policy.NodeDevices{{Type: a100Type, Count: gpus / 4}}})
	}
	for k, name := range accountNames {
		d.accounts = append(d.accounts, policy.Account{Name: name, Weight: 1, UsedService: policy.ServiceForTime(gpus*used[k], 24*time.Hour)})
		for left := 1.25 * demands[k] * gpus * span.Seconds(); left > 0; {
			n := []int{1, 1, 1, 2, 2, 4, 8}[r.IntN(7)]
			run := time.Duration(math.Exp(math.Log(18)*r.Float64())) * planInterval
			d.addJob(name, time.Duration(r.Float64()*float64(span)), n, run, time.Duration(float64(run)*(1.2+3*r.Float64())))
			left -= float64(n) * run.Seconds()
		}
	}
	d.numberJobs()
	return d
}

// meanSlowdowns are the means, by account, of the time a job was there over the time
// it ran.
func (d *scenario) meanSlowdowns(waits []time.Duration) (mean [3]float64) {
	var jobs [3]float64
	for i := range d.jobs {
		k := slices.Index(accountNames[:], d.jobs[i].Account)
		mean[k] += 1 + waits[i].Seconds()/d.runTimes[i].Seconds()
		jobs[k]++
	}
	for k := range mean {
		mean[k] /= jobs[k]
	}
	return mean
}
