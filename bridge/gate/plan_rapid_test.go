package gate_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/gear/policytest"
	"fairbridge/policy"
)

// aPlan draws a well-formed plan with no sense in it.
func aPlan(t *rapid.T, s *gate.CommonInput) *policy.Plan {
	p := quiet(s)
	for i, r := range rapid.Permutation(straight(len(p.Decisions))).Draw(t, "ranks") {
		d := &p.Decisions[i]
		d.Rank = r + 1
		where := pick(t, "where", nil, on("n1"), on("n2"), on("n3"), on("n9"))
		if s.Snapshot.Jobs[i].HoldsGPUs() {
			d.Verb = pick(t, "verb", policy.Keep, policy.Stop, policy.Stop, policy.Move, policy.Resize)
			d.StoppedFor = pick(t, "for", policy.JobID(0), 1, 2, 3, 99)
			if d.Verb == policy.Stop && !rarely(t, 6, "senseless") { // give its room to the job
				d.StoppedFor = d.Job - 10
				b := decision(p, int64(d.StoppedFor))
				b.Verb, b.On, b.GPUs = policy.Start, on(s.Snapshot.Jobs[i].On[0].Node), 8
			}
		} else if d.Verb != policy.Start {
			d.Verb = pick(t, "verb", policy.Start, policy.Wait, policy.Hold)
		}
		if d.Verb != policy.Start || d.On == nil {
			d.On = where
		}
	}
	return p
}

func soundPlan(t *rapid.T) {
	s := spoilt(t)
	s.ModeByPartition["gpu"] = pick(t, "mode", bridge.ModePreempt, bridge.ModePreempt, bridge.ModeSteer, bridge.ModeObserve)
	in := gate.PlanInput{CommonInput: s, Plan: aPlan(t, &s)}
	before, _ := json.Marshal(in)
	out := gate.FilterPlan(in)
	if after, _ := json.Marshal(in); string(before) != string(after) {
		t.Fatal("the input was changed")
	}
	if diff := cmp.Diff(out, gate.FilterPlan(in)); diff != "" {
		t.Fatal("twice is not the same", diff)
	}
	stops := map[int64]bridge.Stop{}
	for _, stop := range out.Stops {
		stops[stop.Job] = stop
	}
	stopped := map[string]int{}
	for i, d := range out.Plan.Decisions {
		p := s.Snapshot.Jobs[i]
		if d.Why != in.Plan.Decisions[i].Why { // the gate's own words
			if err := policytest.CheckReason(&d); err != nil {
				t.Fatal(err)
			}
		}
		stop, ok := stops[int64(d.Job)]
		ends := d.Verb == policy.Stop || d.Verb == policy.Move || p.HoldsGPUs() && d.Verb == policy.Resize
		if ends != ok {
			t.Fatalf("job %d: %s, but its stop is %v", d.Job, d.Verb, ok)
		}
		if ok {
			stopped["all"]++
			stopped[p.User]++
			checkStop(t, &s, stop)
		}
		if j := viewJob(&s, int64(d.Job)); d.Verb == policy.Hold && (j.IsHeld || !j.IsBatch || p.Arrive.Before(noon.Add(-72*time.Hour))) {
			t.Fatalf("job %d is held by us: %+v", d.Job, j)
		}
	}
	if err := stopsWithin(gate.EditInput{CommonInput: s}, stopped); err != nil {
		t.Fatal(err)
	}
}

// checkStop looks at one stop as a person would.
func checkStop(t *rapid.T, s *gate.CommonInput, stop bridge.Stop) {
	j, p := viewJob(s, stop.Job), planJob(s, stop.Job)
	switch {
	case s.ModeByPartition["gpu"] == bridge.ModeSteer:
		t.Fatalf("job %d is stopped in mode steer", stop.Job)
	case p.UnstoppableReason != "" || !j.IsBatch || !j.Requeue || j.State != "RUNNING" || j.IsHeld || j.User == "root":
		t.Fatalf("job %d may not be stopped: %+v", stop.Job, j)
	case noon.Sub(j.Start) < 30*time.Minute:
		t.Fatalf("job %d ran only %v", stop.Job, noon.Sub(j.Start))
	case stop.Beneficiary != stop.Job && viewJob(s, stop.Beneficiary) == nil:
		t.Fatalf("job %d is stopped for job %d, which is unknown", stop.Job, stop.Beneficiary)
	case stop.GPUs != 8 || stop.User != p.User || stop.Lost != policy.ServiceForTime(8, 5*time.Minute):
		t.Fatalf("the stop %+v is not that of job %+v", stop, p)
	}
	for _, o := range s.RecentStops {
		if o.Job == stop.Beneficiary && o.Beneficiary == stop.Job && o.Job != o.Beneficiary && noon.Sub(o.DecidedAt) < time.Hour {
			t.Fatalf("jobs %d and %d displace each other", o.Job, o.Beneficiary)
		}
	}
}

func TestPlansNeverBreakAnInvariant(t *testing.T) { rapid.Check(t, soundPlan) }

func FuzzPlan(f *testing.F) { f.Fuzz(rapid.MakeFuzz(soundPlan)) }
