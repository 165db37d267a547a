package harmony

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
)

func newPolicy(t *testing.T, params paper.Params) *Policy {
	t.Helper()
	return policytest.NewPolicy(t, System().New, params).(*Policy)
}

// running lets all jobs of a snapshot report steps, at so many a second; none where it is 0.
func running(s *policy.Snapshot, speeds ...float64) *policy.Snapshot {
	for i, v := range speeds {
		j := &s.Jobs[i]
		j.Start = now.Add(-time.Hour)
		if v > 0 {
			j.Training = &policy.Training{Steps: 1e9}
		}
	}
	return s
}

// after lets jobs run on for a time at their speeds.
func after(s *policy.Snapshot, d time.Duration, speeds ...float64) {
	s.Now = s.Now.Add(d)
	for i, v := range speeds {
		j := &s.Jobs[i]
		j.Attained += policy.ServiceForTime(float64(j.Ask.GPUs.Count), d)
		if j.Training != nil {
			report := *j.Training
			report.StepsDone += v * d.Seconds()
			j.Training = &report
		}
	}
}

// TestObserve: a job runs alone at 10 steps a second and then beside another at 6, which is what neighbours on half of the GPUs
// cost; before that lasted for long enough nothing is believed, and a job that runs on is taken in once.
func TestObserve(t *testing.T) {
	p := newPolicy(t, nil)
	s := nodesOfFour(1)
	add(s, "A", 2, time.Hour, "n1")
	running(s, 10)
	m := p.observe(s, &memo{})
	for range 3 {
		after(s, 10*time.Minute, 10)
		m = p.observe(s, m)
	}
	if m.Model.All.Count != 0 {
		t.Fatalf("alone, %v was measured", m.Model.All)
	}
	add(s, "B", 2, time.Hour, "n1")
	s.Jobs[1].Start = s.Now
	for i, want := range []float64{0, 0, 1, 1} { // seen there, too short, long enough, and still there
		if m = p.observe(s, m); m.Model.All.Count != want {
			t.Fatalf("look %d: %v measurements, want %v", i+1, m.Model.All.Count, want)
		}
		after(s, []time.Duration{5, 5, 10, 10}[i]*time.Minute, 6)
	}
	if got, want := m.Model.All.Solve([]float64{0}, 1e-9)[0], math.Log(10./6); math.Abs(got-want) > 1e-6 {
		t.Errorf("costs %v, want %v", got, want)
	}
	if a, b := m.Model.indexOf("A"), m.Model.indexOf("B"); m.Model.Rows[a].XX[b*2+b] != 1 || m.Model.Rows[b].Count != 0 {
		t.Errorf("rows %+v of classes %v", m.Model.Rows, m.Model.Classes)
	}
}

// TestObserveWhatLeaves: what a job gains when its neighbour leaves says the same.
func TestObserveWhatLeaves(t *testing.T) {
	p := newPolicy(t, nil)
	s := nodesOfFour(1)
	add(s, "A", 2, time.Hour, "n1")
	add(s, "B", 1, time.Hour, "n1")
	running(s, 6, 0)
	m := p.observe(s, &memo{})
	after(s, 10*time.Minute, 6, 0)
	m = p.observe(s, m)
	s.Jobs = s.Jobs[:1]
	m = p.observe(s, m)
	after(s, 10*time.Minute, 10)
	m = p.observe(s, m)
	if got, want := m.Model.All.Solve([]float64{0}, 1e-9)[0], 2*math.Log(10./6); m.Model.All.Count != 1 || math.Abs(got-want) > 1e-6 {
		t.Errorf("a neighbour on a quarter, as one on half: %v of %v, want %v", got, m.Model.All.Count, want)
	}
}

// TestObserveUse: of jobs that report no steps the use of their GPUs counts, relative to what it was.
func TestObserveUse(t *testing.T) {
	p := newPolicy(t, nil)
	s := nodesOfFour(1)
	add(s, "", 2, time.Hour, "n1")
	running(s, 0)
	s.Jobs[0].Utilisation = policy.KnownValue(.8)
	m := p.observe(s, &memo{})
	after(s, 10*time.Minute, 0)
	m = p.observe(s, m)
	add(s, "B", 2, time.Hour, "n1")
	s.Jobs[0].Utilisation = policy.KnownValue(.4)
	m = p.observe(s, m)
	after(s, 10*time.Minute, 0)
	m = p.observe(s, m)
	if got := m.Model.All.Solve([]float64{0}, 1e-9)[0]; m.Model.All.Count != 1 || math.Abs(got-math.Ln2) > 1e-6 {
		t.Errorf("half of the use: %v of %v, want ln 2", got, m.Model.All.Count)
	}
}

// TestMemoIsKept: what is remembered survives as JSON, and damaged ones are told.
func TestMemoIsKept(t *testing.T) {
	m := model{}.observe(newPolicy(t, nil), "A", map[string]float64{"B": 1, "C": .5}, .3)
	raw, err := json.Marshal(&memo{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	read, err := recallMemo(&policy.Snapshot{Memo: policy.MemoFromJSON(raw)})
	if err != nil || fmt.Sprint(read.Model) != fmt.Sprint(m) {
		t.Errorf("%v, %v, want %v", read, err, m)
	}
	if _, err := recallMemo(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(`{"model":{"classes":["A"]}}`))}); err == nil {
		t.Error("believes a class without a row")
	}
}

// TestManyClasses: classes beyond those that are told apart count as the mean of all.
func TestManyClasses(t *testing.T) {
	p, m := newPolicy(t, nil), model{}
	for i := range 3 * mostClasses {
		m = m.observe(p, fmt.Sprint(i), map[string]float64{fmt.Sprint(i + 1): 1}, .4)
	}
	c := m.estimate(p)
	if len(m.Classes) != mostClasses || c.indexOf("none of them") != mostClasses {
		t.Errorf("%d classes", len(m.Classes))
	}
	if got := c.of[mostClasses][mostClasses]; math.Abs(got-.4) > .02 {
		t.Errorf("the mean of all is %v, want .4", got)
	}
}

// TestPredicts: after 100 measurements of jobs of eight classes beside one other, of which each costs what its classes do by a
// standard error of a tenth, seven of ten pairs of other jobs have the predicted speed within a tenth. That all have is wanted, and
// not so: 64 pairs of classes are not all among 100.
func TestPredicts(t *testing.T) {
	within, all, worst := 0, 0, 0.0
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 3))
		var cost [8][8]float64
		for a := range cost {
			for b := range a + 1 {
				v := -math.Log(.5 + r.Float64()/3)
				cost[a][b], cost[b][a] = v, v
			}
		}
		p, m := newPolicy(t, nil), model{}
		draw := func() (a, b int, y float64) {
			a, b = r.IntN(8), r.IntN(8)
			return a, b, cost[a][b] * (1 + .1*r.NormFloat64())
		}
		for range 100 {
			a, b, y := draw()
			m = m.observe(p, fmt.Sprint(a), map[string]float64{fmt.Sprint(b): 1}, y)
		}
		c := m.estimate(p)
		for range 200 {
			a, b, y := draw()
			off := math.Abs(math.Exp(-c.of[c.indexOf(fmt.Sprint(a))][c.indexOf(fmt.Sprint(b))])/math.Exp(-y) - 1)
			if all++; off <= .1 {
				within++
			}
			worst = max(worst, off)
		}
	}
	t.Logf("%d of %d within a tenth, the worst %.2f off", within, all, worst)
	if float64(within) < .7*float64(all) {
		t.Errorf("%d of %d are within a tenth, want seven of ten", within, all)
	}
}
