package swayam_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/swayam"
)

var now = policytest.SnapshotTime

// chat is a service whose replicas answer ten requests a second each, on 16 GPUs, of which some run since two hours and the
// others wait.
func chat(running, waiting int, perSecond ...float64) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 16}}}},
		InferenceServices: []policy.InferenceService{{Name: "chat", Partition: "gpu", OwnGPUs: 16, Scaling: &policy.ReplicaScaling{Least: 1,
			ResponseWithin: 500 * time.Millisecond, ResponsePart: .99, ServiceTime: 100 * time.Millisecond, SetupTime: time.Minute, Rates: perSecond, RateWindow: time.Minute}}}}
	for i := range running + waiting {
		j := policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "gpu", State: policy.Pending, Arrive: now.Add(-3 * time.Hour), ReplicaOf: "chat",
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}}
		if i < running {
			j.State, j.Start = policy.Running, now.Add(-2*time.Hour+time.Duration(i)*time.Minute)
			j.On = policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(i)}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func scaling(s *policy.Snapshot) *policy.ReplicaScaling { return s.InferenceServices[0].Scaling }

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) []policy.Decision {
	t.Helper()
	plan, err := policytest.NewPolicy(t, swayam.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

func count(all []policy.Decision, verb policy.Verb) (n int) {
	for _, d := range all {
		if d.Verb == verb {
			n++
		}
	}
	return n
}

// steady is a rate that has been the same for eleven minutes.
func steady(perSecond float64) (all []float64) {
	for range 11 {
		all = append(all, perSecond)
	}
	return all
}

var exactly = paper.Params{"sigmas": 0., "warm": 0, "release": "at-once"}

// TestCounts: how many replicas run once the plan is carried out, of 3 that run and 13 that wait; the micro example has seven.
func TestCounts(t *testing.T) {
	for name, c := range map[string]struct {
		rates  []float64
		change func(*policy.ReplicaScaling)
		params paper.Params
		want   int
	}{
		"seven of the example":      {steady(50), nil, exactly, 7},
		"a longer promise":          {steady(50), func(r *policy.ReplicaScaling) { r.ResponseWithin = 600 * time.Millisecond }, exactly, 7},
		"a looser promise":          {steady(50), func(r *policy.ReplicaScaling) { r.ResponsePart = .97 }, exactly, 6},
		"a margin for chance":       {steady(50), nil, paper.Params{"sigmas": 12.}, 8},
		"one to spare":              {steady(50), nil, paper.Params{"sigmas": 0., "warm": 1}, 8},
		"rising by five a minute":   {[]float64{35, 40, 45, 50}, nil, exactly, 9}, // 62.5 two minutes from now
		"more to set up, more time": {[]float64{35, 40, 45, 50}, func(r *policy.ReplicaScaling) { r.SetupTime = 6 * time.Minute }, exactly, 11},
		"usually more soon": {steady(50), func(r *policy.ReplicaScaling) {
			r.Usual = []policy.UsualRate{{From: now.Add(time.Minute), PerSecond: 90}}
		}, exactly, 11},
		"usually more later": {steady(50), func(r *policy.ReplicaScaling) {
			r.Usual = []policy.UsualRate{{From: now.Add(time.Hour), PerSecond: 90}}
		}, exactly, 7},
		"at most":              {steady(50), func(r *policy.ReplicaScaling) { r.Most = 5 }, exactly, 5},
		"at least":             {steady(0), func(r *policy.ReplicaScaling) { r.Least = 4 }, exactly, 4},
		"more than there are":  {steady(500), nil, exactly, 16},
		"a promise never kept": {steady(50), func(r *policy.ReplicaScaling) { r.ResponseWithin = 100 * time.Millisecond }, exactly, 9}, // 60 % busy
		"by how busy they are": {[]float64{90, 50}, func(r *policy.ReplicaScaling) {}, paper.Params{"scale": "utilisation"}, 9},
		"nothing known":        {nil, nil, nil, 16},
		"the peak":             {steady(50), nil, paper.Params{"scale": "peak"}, 16},
	} {
		s := chat(3, 13, c.rates...)
		if c.change != nil {
			c.change(scaling(s))
		}
		d := decide(t, s, c.params)
		if got := count(d, policy.Keep) + count(d, policy.Start); got != c.want || count(d, policy.Hold) != 16-c.want {
			t.Errorf("%s: %d run, %d are held, want %d: %s", name, got, count(d, policy.Hold), c.want, d[15].Why)
		}
	}
}

// TestByMeasuredUse: without requests a second, three replicas that compute nine tenths of their time are to be five.
func TestByMeasuredUse(t *testing.T) {
	s := chat(3, 13)
	for i := range 3 {
		s.Jobs[i].Utilisation = policy.KnownValue(.9)
	}
	if d := decide(t, s, nil); count(d, policy.Start) != 2 {
		t.Errorf("%d start", count(d, policy.Start))
	}
	s.Jobs[1].Utilisation = policy.OptionalValue{}
	if d := decide(t, s, nil); count(d, policy.Start) != 13 {
		t.Errorf("of one it is not known: %d start", count(d, policy.Start))
	}
}

// TestArraysAndSilence: an array's waiting tasks are one job that counts with all of them, and where requests should be known and
// are not all replicas are wanted, however little their GPUs compute.
func TestArraysAndSilence(t *testing.T) {
	s := chat(3, 2, steady(50)...)
	s.Jobs[3].Tasks, s.Jobs[4].Tasks = 4, 3
	if d := decide(t, s, exactly); count(d, policy.Start) != 1 || d[4].Verb != policy.Hold || !strings.Contains(d[4].Why, "needs 7 of its 10 replicas") {
		t.Errorf("seven are needed, three run and four start together: %+v", d)
	}
	s = chat(3, 2)
	scaling(s).UnknownReason = "job 2 was silent"
	for i := range 3 {
		s.Jobs[i].Utilisation = policy.KnownValue(.1)
	}
	if d := decide(t, s, nil); count(d, policy.Start) != 2 || !strings.Contains(d[3].Why, "needs 5 of its 5 replicas: all are wanted, as long as its requests are not known: job 2 was silent") {
		t.Errorf("silence: %+v", d)
	}
	s = chat(3, 13, steady(50)...)
	scaling(s).Spare = 2
	if d := decide(t, s, exactly); count(d, policy.Start) != 6 {
		t.Errorf("%d start beside 3, want 9 of them to run", count(d, policy.Start))
	}
}

// TestRetires: one replica leaves at a time, the last that started, and only of those that may.
func TestRetires(t *testing.T) {
	for name, c := range map[string]struct {
		rates  []float64
		change func(*policy.Snapshot)
		stops  policy.JobID
	}{
		"the last that started":        {steady(5), func(*policy.Snapshot) {}, 10},
		"needed lately":                {[]float64{90, 5, 5, 5, 5, 5}, func(*policy.Snapshot) {}, 0},
		"thought needed lately":        {[]float64{40, 50, 60, 5, 5, 5, 5, 5, 5, 5, 5}, func(*policy.Snapshot) {}, 0}, // 85 were forecast
		"thought needed long ago":      {append([]float64{40, 50, 60}, steady(5)...), func(*policy.Snapshot) {}, 10},
		"needed long ago":              {append([]float64{90}, steady(5)...), func(*policy.Snapshot) {}, 10},
		"another left lately":          {steady(5), func(s *policy.Snapshot) { s.Jobs[10].LastStop = now.Add(-9 * time.Minute) }, 0},
		"another left long ago":        {steady(5), func(s *policy.Snapshot) { s.Jobs[10].LastStop = now.Add(-10 * time.Minute) }, 10},
		"the last may not be stopped":  {steady(5), func(s *policy.Snapshot) { s.Jobs[9].UnstoppableReason = "its owner did not agree" }, 9},
		"none may":                     {steady(5), forAll(func(j *policy.Job) { j.UnstoppableReason = "its owner did not agree" }), 0},
		"the last has just started":    {steady(5), func(s *policy.Snapshot) { s.Jobs[9].Start = now.Add(-time.Second) }, 9},
		"at least so many":             {steady(5), func(s *policy.Snapshot) { scaling(s).Least = 10 }, 0},
		"no requests, the least stays": {steady(0), func(s *policy.Snapshot) { scaling(s).Least = 9 }, 10},
		"it is suspended":              {steady(5), func(s *policy.Snapshot) { s.Jobs[9].State = policy.Suspended }, 9},
	} {
		s := chat(10, 1, c.rates...)
		c.change(s)
		d := decide(t, s, exactly)
		for _, x := range d {
			if (x.Verb == policy.Stop) != (x.Job == c.stops) {
				t.Errorf("%s: job %d is to %s: %s", name, x.Job, x.Verb, x.Why)
			}
		}
	}
}

func forAll(change func(*policy.Job)) func(*policy.Snapshot) {
	return func(s *policy.Snapshot) {
		for i := range s.Jobs {
			change(&s.Jobs[i])
		}
	}
}

// TestJobsGiveWay: a replica that is needed gets the GPU of a job that may be stopped, and of no other; one that is not
// needed gets no free GPU, which goes to a job that waits.
func TestJobsGiveWay(t *testing.T) {
	s := chat(2, 2, steady(5)...)
	s.Nodes[0].GPUs[0].Count = 4
	for i, fixed := range []string{"", "its owner did not agree"} {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(5 + i), User: "u", Account: "b", Partition: "gpu", State: policy.Running, Arrive: now.Add(-time.Hour), Start: now.Add(-time.Hour), UnstoppableReason: fixed,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, On: policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(2 + i)}}})
	}
	scaling(s).Least = 2
	if d := decide(t, s, exactly); count(d, policy.Stop) != 0 || count(d, policy.Hold) != 2 || !strings.Contains(d[2].Why, "service chat needs 2 of its 4 replicas, and 2 run: 5 requests a second are forecast") {
		t.Errorf("enough run: %+v", d)
	}
	scaling(s).Least = 4
	if d := decide(t, s, exactly); d[4].Verb != policy.Stop || d[4].StoppedFor != 3 || d[5].Verb != policy.Keep || d[2].Verb != policy.Start || d[3].Verb != policy.Wait {
		t.Errorf("two more are needed: %+v", d)
	}
	scaling(s).Least, s.Jobs[4].State, s.Jobs[4].On = 2, policy.Pending, nil
	if d := decide(t, s, exactly); d[4].Verb != policy.Start || count(d, policy.Hold) != 2 {
		t.Errorf("a job waits: %+v", d)
	}
}

// TestMonotone: more requests never mean fewer replicas, and these can always keep up.
func TestMonotone(t *testing.T) {
	was := 0
	for rate := 0.; rate <= 150; rate += 2.5 {
		d := decide(t, chat(0, 16, steady(rate)...), nil)
		n := count(d, policy.Start)
		if n < was || n < 16 && float64(n)*10 <= rate {
			t.Errorf("at %g a second %d start, at less %d", rate, n, was)
		}
		was = n
	}
	if was != 16 {
		t.Errorf("%d of 16 start at most", was)
	}
}

// TestReleases: a replica that is not needed runs on until a job gets its GPU, and then only one leaves within ten minutes, while the
// next is held.
func TestReleases(t *testing.T) {
	s := chat(10, 1, steady(5)...)
	s.Nodes[0].GPUs[0].Count = 10
	wanted := paper.Params{"sigmas": 0.}
	if d := decide(t, s, wanted); count(d, policy.Keep) != 10 || count(d, policy.Hold) != 1 {
		t.Errorf("no job wants its GPU: %+v", d)
	}
	for id := policy.JobID(12); id < 14; id++ {
		s.Jobs = append(s.Jobs, policy.Job{ID: id, User: "u", Account: "b", Partition: "gpu", State: policy.Pending, Arrive: now.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}})
	}
	plan := decide(t, s, wanted)
	if plan[9].Verb != policy.Stop || plan[9].StoppedFor != 12 || plan[11].Verb != policy.Start || plan[12].Verb != policy.Wait || count(plan, policy.Keep) != 9 {
		t.Errorf("two jobs want GPUs: %+v", plan)
	}
	s.Jobs[9].State, s.Jobs[9].On, s.Jobs[9].LastStop = policy.Pending, nil, now
	s.Jobs[11].State, s.Jobs[11].Start, s.Jobs[11].On = policy.Running, now, policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(9)}}
	if d := decide(t, s, wanted); count(d, policy.Stop) != 0 || d[9].Verb != policy.Hold || d[12].Verb != policy.Wait {
		t.Errorf("one has left: %+v", d)
	}
}
