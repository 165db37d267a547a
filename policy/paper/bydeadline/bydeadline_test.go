package bydeadline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

var now = policytest.SnapshotTime

// waiting is a job of one GPU that takes so long and is due so much later; value 0: of middle worth.
func waiting(id int, length, due time.Duration, value float64) policy.Job {
	return policy.Job{ID: policy.JobID(id), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour), PredictedLeft: length,
		Deadline: now.Add(due), DeadlineValue: value, Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}}
}

// order returns the jobs on a node of some GPUs in the order in which the policy with the parameters serves them.
func order(t *testing.T, p *Policy, gpus int, jobs ...policy.Job) []policy.JobID {
	t.Helper()
	s := &policy.Snapshot{Now: now, Jobs: jobs, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	plan, err := p.Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]policy.JobID, len(jobs))
	for _, d := range plan.Decisions {
		ids[d.Rank-1] = d.Job
	}
	return ids
}

func defaults() *Policy { return &Policy{Lookahead: 2, Decay: 1, BestEffort: .01} }

// at returns the worth of being done at a time.
func (w *worth) at(done float64) float64 {
	base := -w.slope * done
	switch {
	case w.step == 0 || done > max(w.deadline, w.zeroAt):
		return base
	case done <= w.deadline:
		return base + w.step
	}
	return base + w.step*(w.zeroAt-done)/(w.zeroAt-w.deadline)
}

// Linear costs are served by cost over length (Smith 1956): B first costs 3·1+8·5 = 43, A first 47.
func TestLinearCostsAreServedBySmithsRule(t *testing.T) {
	a, b := worth{slope: 8}, worth{slope: 3}
	if x, y := a.loss(4, 2, 4)/4, b.loss(1, 2, 4)/1; !(y > x) {
		t.Errorf("A loses %v by the unit of time, B %v", x, y)
	}
	if first, second := b.at(1)+a.at(5), a.at(4)+b.at(5); first != -43 || second != -47 {
		t.Errorf("B first is worth %v, A first %v", first, second)
	}
}

// Equal jobs are served by their deadlines.
func TestEqualJobsAreServedByDeadline(t *testing.T) {
	var jobs []policy.Job
	for i := range 8 {
		jobs = append(jobs, waiting(i+1, time.Hour, time.Duration(9-i)*time.Hour, 0))
	}
	if got := order(t, defaults(), 1, jobs...); !slices.Equal(got, []policy.JobID{8, 7, 6, 5, 4, 3, 2, 1}) {
		t.Errorf("%v", got)
	}
}

// It changes nothing if all values of an account are so many times as large.
func TestLargeNumbersGainNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var jobs, inflated []policy.Job
	for i := range 20 {
		j := waiting(i+1, time.Duration(1+r.IntN(300))*time.Minute, time.Duration(r.IntN(600))*time.Minute, float64(1+r.IntN(9)))
		j.Account = fmt.Sprint("a", i%2)
		jobs = append(jobs, j)
		if i%2 == 0 {
			j.DeadlineValue *= 64
		}
		inflated = append(inflated, j)
	}
	p := defaults()
	p.DeadlinesCount = "always"
	if a, b := order(t, p, 3, jobs...), order(t, p, 3, inflated...); !slices.Equal(a, b) {
		t.Errorf("%v and %v", a, b)
	}
}

// A soft deadline is worth all until it, and less and less after it.
func TestWorthOfSoftDeadlines(t *testing.T) {
	w := worth{step: 2, deadline: 100, zeroAt: 300}
	for done, want := range map[float64]float64{50: 2, 100: 2, 200: 1, 299: .01, 300: 0, 400: 0} {
		if got := w.at(done); got != want {
			t.Errorf("done at %v it is worth %v, want %v", done, got, want)
		}
	}
	hard := worth{step: 2, deadline: 100}
	if hard.at(100) != 2 || hard.at(101) != 0 || hard.loss(101, 50, 10) != 0 || w.loss(101, 50, 10) != .5 {
		t.Error("a hard deadline is worth something when it is missed, or a soft one nothing")
	}
}

// On small instances of one GPU the order is worth nearly as much as the best of all orders.
func TestNearTheBestOfAllOrders(t *testing.T) {
	got, best := 0., 0.
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		var jobs []policy.Job
		for i := range 6 {
			jobs = append(jobs, waiting(i+1, time.Duration(30+r.IntN(150))*time.Minute, time.Duration(60+r.IntN(360))*time.Minute, float64(1+r.IntN(9))))
		}
		worthOf, at := func(ids []int) (sum float64) {
			done := time.Duration(0)
			for _, i := range ids {
				if done += jobs[i].PredictedLeft; !now.Add(done).After(jobs[i].Deadline) {
					sum += jobs[i].DeadlineValue
				}
			}
			return sum
		}, []int{0, 1, 2, 3, 4, 5}
		most := 0.
		permute(at, 0, func() { most = max(most, worthOf(at)) })
		got, best = got+serveAll(t, jobs), best+most
	}
	t.Logf("worth %.0f, the best orders %.0f", got, best)
	if got < .85*best {
		t.Errorf("worth %v, the best orders %v", got, best)
	}
}

// serveAll serves one job after the other, decided anew each time, and returns what the deadlines met are worth.
func serveAll(t *testing.T, jobs []policy.Job) (sum float64) {
	start := now
	defer func() { now = start }()
	for jobs = slices.Clone(jobs); len(jobs) > 0; {
		first := order(t, defaults(), 1, jobs...)[0]
		i := slices.IndexFunc(jobs, func(j policy.Job) bool { return j.ID == first })
		if now = now.Add(jobs[i].PredictedLeft); !now.After(jobs[i].Deadline) {
			sum += jobs[i].DeadlineValue
		}
		jobs = slices.Delete(jobs, i, i+1)
	}
	return sum
}

// permute calls f with every order of the rest of a list.
func permute(l []int, from int, f func()) {
	if from == len(l) {
		f()
	}
	for i := from; i < len(l); i++ {
		l[from], l[i] = l[i], l[from]
		permute(l, from+1, f)
		l[from], l[i] = l[i], l[from]
	}
}
