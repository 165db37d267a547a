package sharing

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// venus is three days of Venus' kind (Hu et al., SC 2021), and 136 nodes of 8 GPUs of 24 GB, each for one of
// 15 virtual clusters, by what it is asked for, 30 % more or less. All owners accept neighbours.
type venus struct {
	jobs  []workload.Job
	nodes []policy.Node
}

const (
	venusNodes = 136
	gpuMemMB   = 24 << 10
)

func newVenus(seed int64, load float64) venus {
	day := generate.DayDrawer{ProfileName: "venus", DayCount: 3, ClusterGPUs: 8 * venusNodes, OfferedLoad: load, MaxRunTime: 3 * 24 * time.Hour, AccountCount: 15, CheckpointShare: 1}
	v := venus{jobs: drawSharing(day, seed)}
	counts := nodesByAccount(day.DrawAccounts(seed))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		for range counts[name] {
			v.nodes = append(v.nodes, policy.Node{Name: fmt.Sprintf("n%03d", len(v.nodes)), Partitions: []string{name}, CPUs: 128, MemMB: 1 << 20,
				GPUs: []policy.NodeDevices{{Type: "v100", Count: 8, MemMB: gpuMemMB}}})
		}
	}
	for i := range v.jobs {
		j := &v.jobs[i]
		j.Partition, j.CPUs, j.MemMB, j.RestartCostSeconds = j.Account, 0, 0, 0
		for j.GPUs > 8*counts[j.Account] {
			j.GPUs /= 2
		}
	}
	return v
}

// nodesByAccount divides the nodes by weight, at least one for each account.
func nodesByAccount(accounts []policy.Account) map[string]int {
	sum := 0.0
	for _, a := range accounts {
		sum += a.Weight
	}
	counts, left, owed := map[string]int{}, venusNodes, 0.0
	for i, a := range accounts {
		owed += a.Weight / sum * venusNodes
		n := max(int(math.Round(owed))-(venusNodes-left), 1)
		n = min(n, left-(len(accounts)-1-i))
		counts[a.Name], left = n, left-n
	}
	counts[accounts[0].Name] += left
	return counts
}

// guesses predicts run times with a log-normal error of 45 % in the mean of its size.
type guesses struct{ durations map[policy.JobID]float64 }

const guessSigma = .53

func newGuesses(jobs []workload.Job) *guesses {
	g := &guesses{map[policy.JobID]float64{}}
	for i := range jobs {
		off := rand.New(rand.NewPCG(3, uint64(jobs[i].ID))).NormFloat64()
		g.durations[policy.JobID(jobs[i].ID)] = jobs[i].Duration * math.Exp(guessSigma*off)
	}
	return g
}

func (*guesses) AddEndedRun(learn.Run)                  {}
func (*guesses) PredictionTrust() float64               { return 1 }
func (g *guesses) ForecastAt(time.Time) policy.Forecast { return g }
func (g *guesses) PredictTimeLeft(j *policy.Job) (left, sigma time.Duration) {
	ran := j.TotalRunTime().Seconds()
	seconds := max(g.durations[j.ID]-ran, ran/2, 1)
	return policy.DurationFromSeconds(seconds), policy.DurationFromSeconds(seconds * guessSigma)
}

// pairs counts, decision by decision, the jobs that share and how fast they truly are.
type pairs struct {
	truth  *neighbours.Truth
	jobs   map[policy.JobID]*workload.Job
	speeds []float64
}

// watch notes the pairs that a plan makes.
func (p *pairs) watch(_ *policy.Snapshot, plan *policy.Plan) {
	for _, d := range plan.Decisions {
		if d.Verb == policy.Start && d.Beside != 0 {
			s := p.truth.RelativeSpeeds([]*workload.Job{p.jobs[d.Job], p.jobs[d.Beside]}, "")
			p.speeds = append(p.speeds, (s[0]+s[1])/2)
		}
	}
}

// venusRun runs a policy on them; a stop costs 40 s.
func venusRun(t *testing.T, v venus, seed int64, name string, params paper.Params) (*measure.Run, *pairs) {
	t.Helper()
	truth := &neighbours.Truth{Seed: uint64(seed)}
	p := &pairs{truth: truth, jobs: map[policy.JobID]*workload.Job{}}
	for i := range v.jobs {
		p.jobs[policy.JobID(v.jobs[i].ID)] = &v.jobs[i]
	}
	told := newProfiler(system(t, name, params), v.jobs)
	told.Noise, told.Seed = .05, uint64(seed)
	c := exact.Config{Policy: told, Nodes: v.nodes, Jobs: v.jobs, Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 40*time.Second),
		Interference: truth, RunTimes: newGuesses(v.jobs), WatchDecision: p.watch}
	return simulate(t, c), p
}

// TestReproduceLucid: the mean completion time of first come, first served is more than twice that of Lucid. The paper
// has 1.1 to 1.3 times Lucid's under Tiresias, too, on a month of the cluster's own jobs: not so here (.79 to .99), where most
// jobs are so short beside the longest that stopping these, for 40 s each, beats any order without stops. So does the
// shortest first alone as well as Lucid (.97 to 1.02): pairs are few, and keep .96 of their speed. What Slurm does by itself takes
// 1.10 to 1.38 times as long; it is not run here, as it takes a minute.
func TestReproduceLucid(t *testing.T) {
	var fifo, tiresias, shortest, speeds []float64
	for seed := int64(1); seed <= 5; seed++ {
		v := newVenus(seed, .75)
		ours, p := venusRun(t, v, seed, "lucid", nil)
		over := func(name string, params paper.Params) float64 {
			run, _ := venusRun(t, v, seed, name, params)
			return run.Summarize().AvgJCT / ours.Summarize().AvgJCT
		}
		fifo, tiresias = append(fifo, over("fifo", nil)), append(tiresias, over("tiresias", paper.Params{"queues": []float64{18000}}))
		shortest = append(shortest, over("sjf", paper.Params{"by": "service"}))
		speeds = append(speeds, mean(p.speeds))
		for _, d := range p.speeds {
			if d < .8 {
				t.Errorf("seed %d: a pair keeps %.2f of its speed", seed, d)
				break
			}
		}
	}
	t.Logf("over Lucid: fifo %.2f, tiresias %.2f, shortest first %.2f; pairs keep %.3f", fifo, tiresias, shortest, speeds)
	if m := median(fifo); m < 2 {
		t.Errorf("first come, first served takes %.2f times as long, want 2", m)
	}
	if m := median(shortest); m < .97 {
		t.Errorf("the shortest first, alone, take %.2f of the time, want hardly less", m)
	}
}
