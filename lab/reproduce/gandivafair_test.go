package reproduce

import (
	"fmt"
	"math"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

// ticketed are accounts with more jobs than the cluster can run; the first
// floods it in bursts. Run times are those on the fastest type.
var ticketed = generate.MultiTenantDrawer{ClusterGPUs: 72, ArrivalHours: 30, OfferedLoad: 1.2, BurstLoad: .8, MedianRunSeconds: 3600}

// gains is how much faster the jobs of each account run on v100 than on k80.
var gains = []float64{1.2, 4, 1.5, 5, 2, 3, 1.3, 2.5}

// Everybody has jobs waiting between these times, 24 hours.
const steadyFrom, steadyTo = 6 * 3600, 30 * 3600

// ticketJobs are the jobs with their speeds on three types.
func ticketJobs(seed int64) []workload.Job {
	jobs, accounts := ticketed.DrawJobs(seed), ticketed.DrawAccounts(seed)
	of := map[string]float64{}
	for i, a := range accounts {
		of[a.Name] = gains[i]
	}
	for i := range jobs {
		g := of[jobs[i].Account]
		jobs[i].Speeds = map[string]float64{"k80": 1 / g, "p100": 1 / math.Sqrt(g), "v100": 1}
	}
	return jobs
}

// ticketRun is a policy on them.
type ticketRun struct {
	share map[string]float64 // of each account: GPU time over that of its tickets
	speed map[string]float64 // of each account, in GPUs of k80 that would do its work
	total float64            // of these
}

func newTicketRun(t *testing.T, seed int64, name string, params paper.Params) ticketRun {
	t.Helper()
	var nodes []policy.Node
	for _, typ := range []string{"k80", "p100", "v100"} {
		for i := range ticketed.ClusterGPUs / 3 / 4 {
			nodes = append(nodes, policy.Node{Name: fmt.Sprintf("%s-%d", typ, i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
				GPUs: []policy.NodeDevices{{Type: typ, Count: 4}}})
		}
	}
	jobs, done := ticketJobs(seed), [2]progress{{at: steadyFrom}, {at: steadyTo}}
	accounts := ticketed.DrawAccounts(seed)
	var begin time.Time
	run := simulate(t, exact.Config{Policy: system(t, name, params), Nodes: nodes, Jobs: jobs, Accounts: accounts,
		Clock: exact.NewEventClock(10*time.Minute, 10*time.Minute, 10*time.Second), WatchDecision: func(s *policy.Snapshot, _ *policy.Plan) {
			if begin.IsZero() { // the first job has arrived
				begin = s.Now.Add(-policy.DurationFromSeconds(jobs[0].Arrive))
			}
			done[0].look(s, s.Now.Sub(begin).Seconds())
			done[1].look(s, s.Now.Sub(begin).Seconds())
		}})
	r := ticketRun{share: map[string]float64{}, speed: map[string]float64{}}
	weights := 0.0
	for _, a := range accounts {
		weights += a.Weight
	}
	for _, a := range accounts {
		r.share[a.Name] = meanGPUs(run, steadyFrom, steadyTo, a.Name) / (float64(ticketed.ClusterGPUs) * a.Weight / weights)
	}
	for i := range jobs {
		j := &jobs[i]
		did := done[1].of(j, run.JobOutcomes[i].Finish) - done[0].of(j, run.JobOutcomes[i].Finish)
		speed := did * float64(j.GPUs) / j.Speeds["k80"] / (done[1].at - done[0].at)
		r.speed[j.Account] += speed
		r.total += speed
	}
	return r
}

// progress is what jobs had done at a time, or soon after.
type progress struct {
	at   float64
	done map[int64]float64
}

func (p *progress) look(s *policy.Snapshot, at float64) {
	if p.done != nil || at < p.at {
		return
	}
	p.at, p.done = at, map[int64]float64{}
	for i := range s.Jobs {
		p.done[int64(s.Jobs[i].ID)] = s.Jobs[i].Training.StepsDone
	}
}

// of returns the seconds on v100 that a job had done.
func (p *progress) of(j *workload.Job, finish float64) float64 {
	if done, here := p.done[j.ID]; here {
		return done
	}
	if finish <= p.at {
		return j.Duration
	}
	return 0
}

// TestReproduceGandivaFair: every account gets the GPU time of its tickets,
// which first come, first served misses by far. With trading, all that is done
// grows by a tenth, and for nobody it shrinks.
func TestReproduceGandivaFair(t *testing.T) {
	var off, strict, gain, least []float64
	for seed := int64(1); seed <= 5; seed++ {
		trade, alone := newTicketRun(t, seed, "gandiva-fair", nil), newTicketRun(t, seed, "gandiva-fair", paper.Params{"trade": false})
		fifo := newTicketRun(t, seed, "fifo", paper.Params{"max_wait": "0s"})
		off, strict = append(off, farthest(alone.share)), append(strict, farthest(fifo.share))
		worst := math.Inf(1)
		for a, speed := range alone.speed {
			worst = min(worst, trade.speed[a]/speed)
		}
		gain, least = append(gain, trade.total/alone.total), append(least, worst)
	}
	t.Logf("farthest from the tickets %.3f, under FIFO %.2f; trading: all %.3f, the account that gains least %.3f", off, strict, gain, least)
	if m := median(off); m > .05 {
		t.Errorf("an account is %.3f off its tickets, want at most .05", m)
	}
	if m := median(strict); m < .3 {
		t.Errorf("under FIFO no account is more than %.2f off its tickets, expected .3", m)
	}
	if m := median(gain); m < 1.1 {
		t.Errorf("trading brings %.3f, want at least 1.1", m)
	}
	if m := median(least); m < .98 {
		t.Errorf("an account has %.3f of its speed by trading, want at least .98", m)
	}
}

// farthest is the largest distance from 1.
func farthest(shares map[string]float64) float64 {
	far := 0.0
	for _, s := range shares {
		far = max(far, math.Abs(s-1))
	}
	return far
}
