package policytest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy"
)

// FindStarvingJob looks for a job that waits far too long where no job may be
// stopped. On drawn overloads by small jobs, with gangs among them, every job
// should start within twice its wait under EASY (first come, first served with
// backfilling), the greater of least and twice its own time limit, and twice
// the longest time limit of all: a job may be lucky under EASY and have to wait
// for a gang here. On some days run times are predicted, all of them wrong. It describes the first job that does not; "" means all do.
// The makes must return new, equal policies each time.
func FindStarvingJob(t *testing.T, make, easy func() policy.Policy, least time.Duration) string {
	t.Helper()
	for i, seed := range []uint64{0, 9, 12, 29, 0, 9} {
		d := drawOverloadScenario(seed)
		if i >= 4 {
			d.predictionErrorFactor = 3
		}
		ours := d.measureWaits(t, make())
		for i, theirs := range d.measureWaits(t, easy()) {
			j := &d.jobs[i]
			if most := 2*theirs + max(least, 2*j.Limit) + 2*d.longestTimeLimit(); ours[i] > most {
				return fmt.Sprintf("seed %d: job %d of account %s on %d GPUs with a limit of %v waits %v, under EASY %v: at most %v",
					seed, j.ID, j.Account, j.Ask.GPUs.Count, j.Limit, ours[i], theirs, most)
			}
		}
	}
	return ""
}

// drawOverloadScenario draws an overload of 1.5 by small jobs of one account on a node of 8
// GPUs, and a gang every few hours that wants all of them, of another account
// or of the same.
func drawOverloadScenario(seed uint64) *scenario {
	r := rand.New(rand.NewPCG(seed, 13))
	d := &scenario{nodes: []policy.Node{{Name: "n1", Partitions: []string{"batch"}, GPUs: []policy.NodeDevices{{Type: a100Type, Count: 8}}}},
		accounts: []policy.Account{{Name: "busy", Weight: 1}, {Name: "idle", Weight: 1}}}
	for at := time.Duration(0); at < 14*time.Hour; {
		run := time.Duration(4+r.IntN(9)) * planInterval / 2
		gpus := 1 + r.IntN(2)
		d.addJob("busy", at, gpus, run, run*time.Duration(1+r.IntN(3)))
		at += time.Duration(float64(run) * float64(gpus) / 8 / 1.5)
	}
	for i := range 3 {
		account := []string{"idle", "busy"}[r.IntN(2)]
		run := time.Duration(2+r.IntN(11)) * planInterval
		d.addJob(account, time.Duration(2+3*i)*time.Hour, 8, run, run+planInterval)
	}
	d.numberJobs()
	return d
}
