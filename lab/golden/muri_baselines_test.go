package golden

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/packs"
	"fairbridge/lab/trace"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// muriSRTF runs first the jobs with the least time left.
func muriSRTF() packs.System {
	return packs.System{Name: "srtf", Rule: shortestFirst{(*packs.Job).SecondsLeft}}
}

// muriSRSF runs first the jobs with the least GPU time left.
func muriSRSF() packs.System {
	return packs.System{Name: "srsf", Rule: shortestFirst{gpuSecondsLeft}}
}

// gpuSecondsLeft is how many GPU-seconds the job still needs alone, without starts.
func gpuSecondsLeft(j *packs.Job) float64 { return j.SecondsLeft() * float64(j.GPUs) }

// shortestFirst runs jobs by their length, those that fit.
type shortestFirst struct{ length func(*packs.Job) float64 }

// Choose implements packs.Rule.
func (s shortestFirst) Choose(m *packs.Moment) ([]packs.Pack, error) {
	slices.SortStableFunc(m.Active, func(a, b *packs.Job) int { return cmp.Compare(s.length(a), s.length(b)) })
	var chosen []packs.Pack
	for _, j := range m.Active {
		if m.Cluster.Place(j.GPUs) {
			chosen = append(chosen, packs.Alone(j))
		}
	}
	return chosen, nil
}

// muriTiresiasLimits are the GPU-seconds that bound Tiresias' lists but the last.
var muriTiresiasLimits = []float64{3250, 7200}

// newMuriTiresias runs first the jobs of the first of three lists; a job that ran for so many GPU-seconds
// as bound its list goes to the end of the next. GPUs are only counted, wherever they are.
func newMuriTiresias() packs.System {
	lists := make([][]*packs.Job, len(muriTiresiasLimits)+1)
	return packs.System{Name: "tiresias", Rule: &threeLists{lists: lists, wakeAt: math.Inf(1)}, EndsOneByOne: true}
}

// threeLists is Tiresias under way.
type threeLists struct {
	lists  [][]*packs.Job
	listOf []int // by Job.Order: 1 and more; 0: it is on none
	wakeAt float64
}

// Choose implements packs.Rule.
func (r *threeLists) Choose(m *packs.Moment) ([]packs.Pack, error) {
	r.update(m.Active)
	free := m.Cluster.GPUCount()
	var chosen []packs.Pack
	r.wakeAt = math.Inf(1)
	for k, list := range r.lists {
		var running, waiting []*packs.Job
		for _, j := range list {
			if j.GPUs > free {
				waiting = append(waiting, j)
				continue
			}
			free -= j.GPUs
			running, chosen = append(running, j), append(chosen, packs.Alone(j))
			if k < len(muriTiresiasLimits) { // summed otherwise, it may be asked at one time for ever
				r.wakeAt = min(r.wakeAt, m.Now+(math.Ceil(muriTiresiasLimits[k]/float64(j.GPUs))-j.ExecutedSeconds))
			}
		}
		r.lists[k] = append(running, waiting...)
	}
	return chosen, nil
}

// update puts jobs that arrived on the first list, and those that ran long enough one list further,
// in the order in which they arrived.
func (r *threeLists) update(active []*packs.Job) {
	for _, j := range active {
		r.listOf = append(r.listOf, make([]int, max(j.Order+1-len(r.listOf), 0))...)
		k := r.listOf[j.Order] - 1
		switch {
		case k < 0:
			r.lists[0], r.listOf[j.Order] = append(r.lists[0], j), 1
		case j.IsRunning && k < len(muriTiresiasLimits) && j.ExecutedSeconds*float64(j.GPUs) >= muriTiresiasLimits[k]:
			r.lists[k] = without(r.lists[k], j)
			r.lists[k+1], r.listOf[j.Order] = append(r.lists[k+1], j), k+2
		}
	}
}

// WakeAt implements packs.Waker: when the first of the running jobs goes to another list.
func (r *threeLists) WakeAt() float64 { return r.wakeAt }

// Left implements packs.Leaver.
func (r *threeLists) Left(j *packs.Job) {
	if k := r.listOf[j.Order] - 1; k >= 0 {
		r.lists[k], r.listOf[j.Order] = without(r.lists[k], j), 0
	}
}

// without removes the job, if it is there.
func without(list []*packs.Job, j *packs.Job) []*packs.Job {
	return slices.DeleteFunc(list, func(o *packs.Job) bool { return o == j })
}

// TestMuriOnAFewJobs wants what a second program made of the rules of the artifact: mean completion time and
// makespan, seconds.
func TestMuriOnAFewJobs(t *testing.T) {
	at := func(arrive float64, j workload.Job) workload.Job {
		j.Arrive = arrive
		return j
	}
	five := []workload.Job{
		muriJob(1, 8, 10000, "dqn", 509), muriJob(2, 8, 5000, "vgg16", 214), at(100, muriJob(3, 32, 3000, "bert", 260)),
		at(200, muriJob(4, 32, 2000, "gpt2", 514)), at(250, muriJob(5, 8, 1000, "vgg16", 214)),
	}
	three := []workload.Job{
		muriJob(1, 8, 10000, "dqn", 509), at(100, muriJob(2, 8, 5000, "vgg16", 214)),
		at(200, muriJob(3, 8, 1000, "bert", 192)),
	}
	for _, c := range []struct {
		system packs.System
		nodes  string
		jobs   []workload.Job
		want   string
	}{
		{muriSRTF(), "8x8", five, "1830.686 5208.35"},
		{muriSRSF(), "8x8", five, "1830.686 5208.35"},
		{muriSRTF(), "4x8", five, "2592.102 7039.47"},
		{muriSRSF(), "4x8", five, "3194.506 7031.47"},
		{muriSRTF(), "1x8", three, "2649.03 6462.28"},
	} {
		nodes, err := cluster.ParseSpec(c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		run, err := packs.Run(packs.Config{System: c.system, Nodes: nodes, Jobs: c.jobs})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%.13g %.13g", run.Summarize().AvgJCT, run.MakespanSeconds); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.system.Name, c.nodes, got, c.want)
		}
	}
}

// TestPolicySRTFOnMuri wants of our policy srtf, by its own plans, the published means of SRTF and SRSF to one part in
// a million. The long traces take ten seconds, and are left to the part golden.
func TestPolicySRTFOnMuri(t *testing.T) {
	part.Long(t, testing.Short())
	nodes, err := cluster.ParseSpec("8x8")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range muriFigures {
		params, isOurs := map[string]paper.Params{"srtf": nil, "srsf": {"by": "service"}}[c.system]
		if !isOurs || !part.Runs("golden") && strings.HasPrefix(c.trace, "trace1") {
			continue
		}
		tr, err := trace.ReadFile(here(t, "../muri/"+c.trace+".csv"), trace.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := lookup(t, "srtf", params)
		run, err := packs.Simulate(exact.Config{Policy: p, Nodes: nodes, Jobs: tr.Jobs, OmitsReasons: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := strconv.ParseFloat(c.jct, 64)
		if got := run.Summarize().AvgJCT; err != nil || math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s on %s: mean %.3f s, want %s (%v)", c.system, c.trace, got, c.jct, err)
		}
	}
}
