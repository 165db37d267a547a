package sharing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/solve/bundles"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// The servers of the paper: 16 of 8 GPUs, with 3 cores and 62.5 GB beside each.
const (
	synergyNodes    = 16
	synergyNodeGPUs = 8
	coresPerGPU     = 3
	memPerGPU       = 62_500
)

// synergySpeeds are the speeds of the models of the paper, in shares, with 1, 2, 3, 4, 5, 6, 9 and 12 cores
// beside each GPU and the memory of a share, and the point or points with more.
var synergySpeeds = map[string]struct {
	byCores []float64
	more    []policy.CPUPoint
	least   int64 // memory that it needs at least
}{
	"AlexNet":      {[]float64{.3, .66, 1, 1.25, 1.53, 1.75, 2, 2}, []policy.CPUPoint{{CPUs: 12, MemMB: 125_000, Speed: 2.94}}, memPerGPU},
	"ShuffleNet":   {[]float64{.3, .66, 1, 1.25, 1.53, 1.75, 2, 2}, []policy.CPUPoint{{CPUs: 12, MemMB: 125_000, Speed: 2.89}}, memPerGPU},
	"ResNet-18":    {[]float64{.37, .72, 1, 1.3, 1.53, 1.75, 2.4}, nil, memPerGPU},
	"MobileNet-v2": {[]float64{.37, .72, 1, 1.3, 1.49, 1.55}, nil, memPerGPU},
	"ResNet-50":    {[]float64{.4, .74, 1, 1.15}, nil, memPerGPU},
	"M5":           {[]float64{.3, .66, 1, 1.2, 1.4, 1.5}, []policy.CPUPoint{{CPUs: 6, MemMB: 125_000, Speed: 2}, {CPUs: 6, MemMB: 187_500, Speed: 2.5}}, memPerGPU},
	"DeepSpeech":   {[]float64{.3, .66, 1}, nil, memPerGPU},
	"text":         {[]float64{1}, nil, 21_000},
}

// synergyKinds are the models by what they work on: images, text and sound.
var synergyKinds = [][]string{{"AlexNet", "ShuffleNet", "ResNet-18", "MobileNet-v2", "ResNet-50"}, {"text"}, {"M5", "DeepSpeech"}}

// synergyScaling is what a model makes of cores and memory; its owner accepts less.
func synergyScaling(model string) *policy.CPUScaling {
	known := &policy.CPUScaling{AcceptsLess: true}
	m := synergySpeeds[model]
	for i, v := range m.byCores {
		known.Points = append(known.Points, policy.CPUPoint{CPUs: []float64{1, 2, 3, 4, 5, 6, 9, 12}[i], MemMB: m.least, Speed: v})
	}
	known.Points = append(known.Points, m.more...)
	return known
}

// synergyServers are the servers of the paper.
func synergyServers() []policy.Node {
	nodes := cluster(synergyNodes, synergyNodeGPUs, "v100")
	for i := range nodes {
		nodes[i].CPUs, nodes[i].MemMB = coresPerGPU*synergyNodeGPUs, memPerGPU*synergyNodeGPUs
	}
	return nodes
}

// synergyJobs draws jobs as Gavel's, so many an hour: a fifth work on images, a tenth on sound and the others on
// text. Each asks for its share of cores and memory.
func synergyJobs(seed int64, count int, perHour float64, oneGPU bool) []workload.Job {
	jobs := generate.GavelDrawer{JobCount: count, ClusterGPUs: synergyNodes * synergyNodeGPUs, JobsPerHour: perHour, OneGPUEach: oneGPU, WithoutTraining: true}.DrawJobs(seed)
	r, scaling := rand.New(rand.NewPCG(uint64(seed), 22)), map[string]*policy.CPUScaling{}
	for i := range jobs {
		j, kind := &jobs[i], 1
		switch v := r.Float64(); {
		case v < .2:
			kind = 0
		case v < .3:
			kind = 2
		}
		j.Class = synergyKinds[kind][r.IntN(len(synergyKinds[kind]))]
		if scaling[j.Class] == nil {
			scaling[j.Class] = synergyScaling(j.Class)
		}
		j.Speeds, j.GPUType, j.CPUScaling, j.TimeLimit = nil, "", scaling[j.Class], 0
		j.CPUs, j.MemMB = coresPerGPU*j.GPUs, memPerGPU*int64(j.GPUs)
	}
	return jobs
}

// synergyRun runs a policy on them in rounds of five minutes, in which nothing costs anything to change.
func synergyRun(t *testing.T, jobs []workload.Job, name string, params paper.Params, watch func(*policy.Snapshot, *policy.Plan)) *measure.Run {
	t.Helper()
	return simulate(t, exact.Config{Policy: system(t, name, params), Nodes: synergyServers(), Jobs: jobs, WatchDecision: watch,
		Clock: exact.Clock{MinInterval: 5 * time.Minute, MaxInterval: 5 * time.Minute, FreeMoves: true}})
}

// meanOfMiddle is the mean completion time of the jobs that came when the cluster was as busy as ever, hours.
func meanOfMiddle(r *measure.Run) float64 {
	sum, n := 0., 0.
	for _, o := range r.JobOutcomes[len(r.JobOutcomes)/3 : len(r.JobOutcomes)*5/6] {
		sum, n = sum+(o.Finish-o.Arrive)/3600, n+1
	}
	return sum / n
}

// synergyMeans are the means of runs that were made, by what was run.
type synergyMeans map[string]float64

// of runs five seeds, each once.
func (m synergyMeans) of(t *testing.T, perHour float64, oneGPU bool, name string, params paper.Params) (all []float64) {
	t.Helper()
	for seed := int64(1); seed <= 5; seed++ {
		key := fmt.Sprint(seed, perHour, oneGPU, name, params)
		if _, known := m[key]; !known {
			m[key] = meanOfMiddle(synergyRun(t, synergyJobs(seed, 1500, perHour, oneGPU), name, params, nil))
		}
		all = append(all, m[key])
	}
	return all
}

// TestReproduceSynergy wants what the paper claims beside shares by GPUs: the knee of the load, where jobs begin
// to queue with shares, comes later, and at that load the average completion time is 1.2 times as long with
// shares at least; at no load is it shorter. The same holds beside Slurm alone, which gives what is asked, for
// tuning by the letter of the paper, for gangs, and where jobs keep the cores that they start with, as under Slurm.
//
// The one value that the published artifact is known to give for tuning, 21.9 h on average and 157 h at 99 % for jobs 4,000
// to 5,000 at 9 an hour, did not come out: with the run times of these tests it was 30 to 64 h and 150 to 196 h in five
// seeds. Even with all that each job needs they ask there for 1.03 of what the cluster has, so that the mean grows
// for as long as jobs come, and hangs on the run times that are drawn; those of the artifact are not known.
func TestReproduceSynergy(t *testing.T) {
	const knee = 9.
	share, means := paper.Params{"how": "proportional"}, synergyMeans{}
	for _, c := range []struct {
		text    string
		perHour float64
		oneGPU  bool
		over    paper.Params
		name    string
		params  paper.Params
		least   float64
	}{
		{"below the knee, shares over tuning", 7, true, nil, "synergy", share, 1},
		{"at the knee, shares over tuning", knee, true, nil, "synergy", share, 1.2},
		{"beyond it, shares over tuning", 10.5, true, nil, "synergy", share, 1},
		{"at the knee, shares over tuning by the letter", knee, true, paper.Params{"fill": false}, "synergy", share, 1.2},
		{"at the knee, shares over tuning of jobs that start", knee, true, paper.Params{"retune": false}, "synergy", share, 1.2},
		{"at the knee, Slurm alone over tuning", knee, true, nil, "multifactor", nil, 1.2},
		{"gangs at their knee, shares over tuning", 4.5, false, nil, "synergy", share, 1.2},
	} {
		all, tuned := means.of(t, c.perHour, c.oneGPU, c.name, c.params), means.of(t, c.perHour, c.oneGPU, "synergy", c.over)
		for i := range all {
			all[i] /= tuned[i]
		}
		slices.Sort(all)
		t.Logf("%s, %g jobs an hour: %.2f of %.2f", c.text, c.perHour, all[len(all)/2], all)
		if all[len(all)/2] < c.least {
			t.Errorf("%s: average completion time over that with tuning is %.2f of %.2f in the median, want at least %g", c.text, all[len(all)/2], all, c.least)
		}
	}
}

// TestReproduceSynergyKeepsItsWord: in every decision of a busy week plans are lawful, no job is slower than with its
// share, GPUs are given to the very jobs that have them with shares, and what all do together is nine tenths of the
// most that any choice on one ideal machine could do.
func TestReproduceSynergyKeepsItsWord(t *testing.T) {
	jobs := synergyJobs(1, 500, 12, true)
	base, least, decisions := system(t, "synergy", paper.Params{"how": "proportional"}), 1., 0
	watch := func(s *policy.Snapshot, plan *policy.Plan) {
		if err := plan.Check(s); err != nil {
			t.Error(err)
		}
		if decisions++; decisions%20 != 0 {
			return
		}
		together, bound, running := throughput(t, s, plan)
		if running > 100 {
			least = min(least, together/bound)
		}
		plain := s.Clone()
		for i := range plain.Jobs {
			plain.Jobs[i].Given = policy.Amounts{}
		}
		other, err := base.Decide(plain)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := listHolders(plan), listHolders(other); !slices.Equal(a, b) {
			t.Errorf("decision %d: jobs %v hold GPUs, with shares %v", s.Seq, a, b)
		}
	}
	synergyRun(t, jobs, "synergy", nil, watch)
	t.Logf("least of what is possible in %d decisions: %.3f", decisions, least)
	if least < .9 || least == 1 {
		t.Errorf("together the jobs do %.3f of what is possible, want .9 at least and a busy cluster", least)
	}
}

// listHolders lists the jobs that hold GPUs by a plan.
func listHolders(plan *policy.Plan) (all []policy.JobID) {
	for _, d := range plan.Decisions {
		if len(d.On) > 0 {
			all = append(all, d.Job)
		}
	}
	return all
}

// throughput is how fast the jobs that hold GPUs by a plan are together, in shares, the most that they
// could be if all nodes were one, and how many they are. No job may be slower than with its share.
func throughput(t *testing.T, s *policy.Snapshot, plan *policy.Plan) (together, bound float64, running int) {
	t.Helper()
	var items [][]bundles.Bundle
	for _, d := range plan.Decisions {
		if len(d.On) == 0 {
			continue
		}
		j := s.Job(d.Job)
		has := j.Ask.WithAmounts(d.Given).Amounts()
		if d.Verb == policy.Keep {
			has = j.HeldAmounts()
		}
		share := s.Node(d.On[0].Node).ShareByGPUs(d.GPUs)
		alone := j.CPUScaling.SpeedWith(d.GPUs, share)
		speed := j.CPUScaling.SpeedWith(d.GPUs, has) / alone
		if speed < 1-1e-9 {
			t.Errorf("job %d has %v, %.3f of its speed with its share %v", j.ID, has, speed, share)
		}
		together, running = together+speed, running+1
		items = append(items, synergyBundles(j.CPUScaling, share, alone))
	}
	_, bound = bundles.Best([2]float64{synergyNodes * synergyNodeGPUs * coresPerGPU, synergyNodes * synergyNodeGPUs * memPerGPU}, items)
	return together, bound, running
}

// synergyBundles are all amounts with which a job on one GPU is no slower than with its share, the least first.
func synergyBundles(known *policy.CPUScaling, share policy.Amounts, alone float64) (all []bundles.Bundle) {
	for cores := 1; cores <= 12; cores++ {
		for _, memMB := range []int64{21_000, share.MemMB, 125_000, 187_500} {
			a := policy.Amounts{CPUs: cores, MemMB: memMB}
			if v := known.SpeedWith(1, a) / alone; v >= 1 {
				all = append(all, bundles.Bundle{Amounts: [2]float64{float64(cores), float64(memMB)}, Worth: v})
			}
		}
	}
	return all
}
