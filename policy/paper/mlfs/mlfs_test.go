package mlfs

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/pool"
)

var now = policytest.SnapshotTime

const hour = time.Hour

// waiting is a job of one GPU that waited so long, has so much left and a deadline so far ahead.
func waiting(id policy.JobID, toDeadline, left, waited time.Duration) policy.Job {
	return policy.Job{ID: id, User: "u", Partition: "p", State: policy.Pending, Arrive: now.Add(-waited), Deadline: now.Add(toDeadline), PredictedLeft: left,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}}
}

// withLosses lets a job report losses.
func withLosses(j policy.Job, losses ...float64) policy.Job {
	j.Training = &policy.Training{}
	for i, l := range losses {
		j.Training.Losses = append(j.Training.Losses, policy.LossPoint{Step: float64(i), Loss: l})
	}
	return j
}

// cluster has a node of so many GPUs for jobs.
func cluster(gpus int, jobs ...policy.Job) *policy.Snapshot {
	return &policy.Snapshot{Now: now, Jobs: jobs, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
}

// published is the policy with the paper's weights.
func published() *Policy {
	return &Policy{Alpha: .3, Gamma: .8, DeadlineWeight: .3, LeftWeight: .3, WaitWeight: .35, Scale: scaleHours, Candidates: .1}
}

// measured returns the priorities of the jobs of a snapshot.
func measured(p *Policy, s *policy.Snapshot) *priorities {
	v := &priorities{Policy: p, unknownLeft: hour}
	r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
	for i := range s.Jobs {
		e := &engine.Entry{Job: &s.Jobs[i], Index: i}
		e.SetEstimate(engine.TimeLeftEstimate{TimeLeft: s.Jobs[i].PredictedLeft})
		r.Entries = append(r.Entries, e)
	}
	if _, err := v.Order(r); err != nil {
		panic(err)
	}
	return v
}

// TestMicro: X of urgency 2 has gone through five iterations, in the last of which its loss fell by a tenth of all, has
// two hours left, ten to its deadline and waited one: .3*.04+.7*.53. Y of urgency 8 has gone through two, the last of which
// was all: 1.2+.245.
func TestMicro(t *testing.T) {
	p := published()
	p.Urgency = map[string]float64{"two": 2, "eight": 8}
	x := withLosses(waiting(1, 10*hour, 2*hour, hour), 10, 8, 5, 3, 1, 0)
	y := withLosses(waiting(2, 4*hour, 3*hour, hour/2), 5, 5, 0)
	x.Training.Losses[4].Loss = 1
	x.QOS, y.QOS = "two", "eight"
	v := measured(p, cluster(1, x, y))
	for i, want := range []float64{.3*.04 + .7*.53, 1.2 + .245} {
		if got := v.all[i].sum; math.Abs(got-want) > 1e-9 {
			t.Errorf("job %d: priority %g, want %g", i+1, got, want)
		}
	}
}

// TestChain: a job has .8 of the priority of the one that waits for it, and by that of those that wait for that.
func TestChain(t *testing.T) {
	p := published()
	p.Alpha, p.DeadlineWeight, p.WaitWeight, p.LeftWeight = 0, 0, 0, 1
	leaf, parent, first := waiting(3, 0, hour, 0), waiting(2, 0, hour, 0), waiting(1, 0, hour, 0)
	leaf.DependsOn, parent.DependsOn = []policy.JobID{2}, []policy.JobID{1, 77}
	v := measured(p, cluster(1, first, parent, leaf))
	for i, want := range []float64{2.44, 1.8, 1} {
		if got := v.all[i].sum; math.Abs(got-want) > 1e-9 {
			t.Errorf("job %d: priority %g, want %g", i+1, got, want)
		}
	}
	first.DependsOn = []policy.JobID{3}
	if v = measured(p, cluster(1, first, parent, leaf)); math.IsInf(v.all[0].sum, 0) || v.all[0].sum <= 1 {
		t.Errorf("in a circle: %g", v.all[0].sum)
	}
}

// TestMonotone: a closer deadline, less left and a longer wait raise the priority, a deadline that is past as one in a
// minute; and it is the same whether the job runs.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(1, 5000).Draw(t, name)) * time.Minute
		}
		deadline, left, waited, more := draw("deadline"), draw("left"), draw("waited"), draw("more")
		of := func(deadline, left, waited time.Duration) float64 {
			return measured(published(), cluster(1, waiting(1, deadline, left, waited))).all[0].sum
		}
		base := of(deadline, left, waited)
		if of(deadline+more, left, waited) >= base || of(deadline, left+more, waited) >= base || of(deadline, left, waited+more) <= base {
			t.Fatalf("not monotone around %v, %v, %v by %v: %g", deadline, left, waited, more, base)
		}
		if past, soon := of(-more, left, waited), of(time.Minute, left, waited); past != soon {
			t.Fatalf("past its deadline %g, a minute before %g", past, soon)
		}
		runs := waiting(1, deadline, left, waited)
		runs.State, runs.Start, runs.On = policy.Running, now, policy.Alloc{{Node: "n1", Type: "g", Count: 1}}
		if got := measured(published(), cluster(1, runs)).all[0].sum; got != base {
			t.Fatalf("running %g, waiting %g", got, base)
		}
	})
}

// TestMigrates: of ten running jobs the one of the lowest priority gives way to a waiting one that ranks higher, no
// other, and not if it is nearly done.
func TestMigrates(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *policy.Snapshot)
		params paper.Params
		want   string
	}{
		"the lowest gives way": {func(*policy.Snapshot) {}, nil, "10"},
		"none may":             {func(*policy.Snapshot) {}, paper.Params{"candidates": 0}, ""},
		"not for lower ones":   {func(s *policy.Snapshot) { s.Jobs[10].PredictedLeft = 40 * hour }, nil, ""},
		"one of the lowest tenth, which its owner forbids": {func(s *policy.Snapshot) { s.Jobs[9].UnstoppableReason = "its owner does" }, nil, ""},
		"a restart is not worth it":                        {func(s *policy.Snapshot) { s.Jobs[9].CheckpointCost = 4 * hour }, paper.Params{"min_run": "1s"}, ""},
		"three tenths, but one is enough":                  {func(*policy.Snapshot) {}, paper.Params{"candidates": .3}, "10"},
	} {
		s := cluster(10)
		for i := range 10 {
			j := waiting(policy.JobID(i+1), 1000*hour, time.Duration(i+1)*hour, 4*hour)
			j.State, j.Start, j.On, j.Attained = policy.Running, now.Add(-4*hour), policy.Alloc{{Node: "n1", Type: "g", Count: 1}}, policy.ServiceForTime(1, 4*hour)
			s.Jobs = append(s.Jobs, j)
		}
		s.Jobs = append(s.Jobs, waiting(11, 1000*hour, hour/2, hour))
		c.change(s)
		plan := decide(t, s, c.params)
		stopped := ""
		for _, d := range plan.Decisions {
			if d.Verb == policy.Stop {
				stopped += fmt.Sprint(d.Job)
			}
		}
		if stopped != c.want {
			t.Errorf("%s: stopped %q, want %q", name, stopped, c.want)
		}
	}
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) *policy.Plan {
	t.Helper()
	plan, err := policytest.NewPolicy(t, System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestEndsEarly: who may end while others wait.
func TestEndsEarly(t *testing.T) {
	flat := []float64{5, 3, 2, 1.5, 1.2, 1.1, 1.05, 1.01, 1.005, 1.001, 1.0005, 1}
	falling := []float64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	for name, c := range map[string]struct {
		enough *policy.EarlyEnd
		losses []float64
		alone  bool
		params paper.Params
		want   string // "": it runs on
	}{
		"on its plateau":             {&policy.EarlyEnd{AtPlateau: true}, flat, false, nil, "in the last tenth"},
		"its loss still falls":       {&policy.EarlyEnd{AtPlateau: true}, falling, false, nil, ""},
		"low enough":                 {&policy.EarlyEnd{EnoughLoss: 1}, falling, false, nil, "of which 1 is enough"},
		"not low enough":             {&policy.EarlyEnd{EnoughLoss: .9}, falling, false, nil, ""},
		"its owner declared nothing": {nil, flat, false, nil, ""},
		"too few reports":            {&policy.EarlyEnd{AtPlateau: true}, flat[:9], false, nil, ""},
		"nobody waits":               {&policy.EarlyEnd{AtPlateau: true}, flat, true, nil, ""},
		"no load control":            {&policy.EarlyEnd{AtPlateau: true}, flat, false, paper.Params{"load_control": false}, ""},
		"nearly all GPUs are held":   {&policy.EarlyEnd{AtPlateau: true}, flat, true, paper.Params{"overload": .4}, "in the last tenth"},
	} {
		runs := withLosses(waiting(1, 9*hour, hour, hour), c.losses...)
		runs.State, runs.Start, runs.On, runs.EarlyEnd = policy.Running, now.Add(-time.Minute), policy.Alloc{{Node: "n1", Type: "g", Count: 1}}, c.enough
		s := cluster(1, runs)
		if c.alone {
			s = cluster(2, runs)
		} else {
			s.Jobs = append(s.Jobs, waiting(2, 9*hour, hour, hour))
		}
		d := decide(t, s, c.params).Decisions[0]
		if d.EndsEarly != (c.want != "") || !strings.Contains(d.Why, c.want) || d.Verb != policy.Keep {
			t.Errorf("%s: may end %v, %s: %s", name, d.EndsEarly, d.Verb, d.Why)
		}
	}
}

// sharer is a job that keeps its GPU busy for a part of the time and accepts neighbours; it runs on GPU 0 of node
// n1, or waits.
func sharer(id policy.JobID, busy float64, cpus int, runs bool) policy.Job {
	j := waiting(id, 1000*hour, time.Duration(id)*hour, 2*hour)
	j.Shareable, j.Sharing, j.Ask.CPUs = true, &policy.Sharing{Utilisation: policy.KnownValue(busy)}, cpus
	if runs {
		j.State, j.Start, j.On = policy.Running, now.Add(-hour), policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(0)}}
	}
	return j
}

// TestVictim: of three tasks on an overloaded GPU the one that keeps it busiest with the fewest cores.
func TestVictim(t *testing.T) {
	p := published()
	p.Candidates = 1
	s := cluster(1, sharer(1, .5, 10, true), sharer(2, .3, 10, true), sharer(3, .5, 40, true))
	v := measured(p, s)
	var group []*engine.Entry
	for i := range s.Jobs {
		group = append(group, &engine.Entry{Job: &s.Jobs[i], Index: i})
	}
	if got := v.victimOf(group); got.ID != 1 {
		t.Errorf("job %d leaves, want job 1", got.ID)
	}
	v.Candidates = .1
	if got := v.victimOf(group); got.ID != 3 {
		t.Errorf("of the lowest priority job %d leaves, want job 3", got.ID)
	}
	group[2].IsUnstoppable = true
	if got := v.victimOf(group); got != nil {
		t.Errorf("job %d leaves, want none", got.ID)
	}
}

// TestShares: who shares a GPU, and who leaves one that two overload.
func TestShares(t *testing.T) {
	for name, c := range map[string]struct {
		jobs []policy.Job
		want string
	}{
		"both have room":          {[]policy.Job{sharer(1, .4, 1, true), sharer(2, .5, 1, false)}, "keep start beside 1"},
		"together too busy":       {[]policy.Job{sharer(1, .4, 1, true), sharer(2, .55, 1, false)}, "keep wait"},
		"two that have become so": {[]policy.Job{sharer(1, .4, 1, true), sharer(2, .55, 1, true)}, "keep stop"},
		"two that have not":       {[]policy.Job{sharer(1, .4, 1, true), sharer(2, .5, 1, true)}, "keep keep"},
	} {
		s := cluster(1, c.jobs...)
		s.Nodes[0].CPUs = 8
		var got []string
		for _, d := range decide(t, s, nil).Decisions {
			if got = append(got, string(d.Verb)); d.Beside != 0 {
				got = append(got, fmt.Sprint("beside ", d.Beside))
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}
