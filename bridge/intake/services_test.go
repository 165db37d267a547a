package intake

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// serving is a partition in which account vision may have services.
func serving() bridge.Partition {
	p := preempting("gpu")
	p.Services = []bridge.Service{{Account: "vision", Name: "chat", Terms: policy.ReplicaScaling{Least: 2, SetupTime: time.Minute}}, {Account: "vision", Terms: policy.ReplicaScaling{Least: 1}}}
	return p
}

// TestServicesAreDeclared: by jobs of accounts that may; of others the word does not count, and they are told.
func TestServicesAreDeclared(t *testing.T) {
	replica := func(user, account, comment string) sim.JobSpec {
		return sim.JobSpec{User: user, Account: account, Partition: "gpu", GPUsPerNode: 1, TimeLimit: time.Hour, WorkTime: time.Hour, Comment: comment}
	}
	w := world(t, replica("ann", "vision", "fairbridge:service=chat"), replica("bob", "vision", "fairbridge:service=chat"), replica("ann", "vision", "fairbridge:service=mail"),
		replica("ann", "nlp", "fairbridge:service=chat"), replica("ann", "vision", ""))
	s := AssembleSnapshot(Input{View: view(t, w)}, serving())
	var got []string
	for i := range s.Jobs {
		got = append(got, s.Jobs[i].ReplicaOf)
	}
	if d := cmp.Diff([]string{"vision/ann/chat", "vision/bob/chat", "vision/ann/mail", "", ""}, got); d != "" {
		t.Error(d)
	}
	if why := s.Job(4).IgnoredReason; !strings.Contains(why, "service=chat does not count: nothing is configured for it in partition gpu and account nlp") {
		t.Errorf("of another account: %q", why)
	}
	if s.Job(1).IgnoredReason+s.Job(5).IgnoredReason != "" {
		t.Errorf("%q, %q", s.Job(1).IgnoredReason, s.Job(5).IgnoredReason)
	}
	names := map[string]int{}
	for _, v := range s.InferenceServices {
		names[v.Name] = v.Scaling.Least
		if v.Scaling.Rates != nil || v.Scaling.UnknownReason == "" || v.Partition != "gpu" {
			t.Errorf("%+v", v)
		}
	}
	if d := cmp.Diff(map[string]int{"vision/ann/chat": 2, "vision/ann/mail": 1, "vision/bob/chat": 2}, names); d != "" {
		t.Error(d)
	}
}

// TestRequestsBecomeRates: counts of all replicas add up, and one that runs and is silent makes them unknown.
func TestRequestsBecomeRates(t *testing.T) {
	spec := sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", GPUsPerNode: 1, TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:service=chat"}
	w := world(t, spec, spec)
	w.Advance(w.Now().Add(20 * time.Minute))
	now := w.Now()
	ago := func(m, count float64) bridge.RequestCount {
		return bridge.RequestCount{At: now.Add(-policy.DurationFromSeconds(60 * m)), Count: count}
	}
	early := []bridge.RequestCount{ago(4, 1000), ago(2, 1240), ago(0, 1840)}
	for name, c := range map[string]struct {
		first, second []bridge.RequestCount
		now           *bridge.RequestCount // of the second, not kept yet
		want          []float64            // the last ones
		says          string
	}{
		"both":             {early, []bridge.RequestCount{ago(4, 10), ago(0, 250)}, nil, []float64{3, 3, 6, 6}, ""},
		"one just now":     {early, []bridge.RequestCount{ago(4, 10)}, &bridge.RequestCount{At: now, Count: 250}, []float64{3, 3, 6, 6}, ""},
		"begun anew":       {early, []bridge.RequestCount{ago(4, 10), ago(2, 130), ago(1, 60), ago(0, 60)}, nil, []float64{3, 3, 6, 5}, ""},
		"as of the oldest": {early, []bridge.RequestCount{ago(4, 10), ago(2, 130)}, nil, []float64{3, 3}, ""},
		"one is silent":    {early, []bridge.RequestCount{ago(9, 10), ago(6, 130)}, nil, nil, "its replica 2 reported none for 6m"},
		"one never spoke":  {early, nil, nil, nil, "its replica 2 reported none for"},
	} {
		in := Input{View: view(t, w), Past: &bridge.Past{RequestsOf: func(j *policy.Job) []bridge.RequestCount {
			if j.ID == 1 {
				return c.first
			}
			return c.second
		}}, UseByJob: map[int64]bridge.JobUse{2: {Requests: c.now}}}
		got := AssembleSnapshot(in, serving()).InferenceServices[0].Scaling
		if !strings.Contains(got.UnknownReason, c.says) || (got.UnknownReason == "") != (c.says == "") {
			t.Errorf("%s: unknown: %q", name, got.UnknownReason)
		}
		rates := got.Rates[max(len(got.Rates)-len(c.want), 0):]
		if d := cmp.Diff(c.want, rates, cmpopts.EquateApprox(0, 1e-6)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestUsualRequestsOfHours: from this hour on, as far as a replica that starts now may be asked.
func TestUsualRequestsOfHours(t *testing.T) {
	spec := sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", GPUsPerNode: 1, TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:service=chat"}
	v := view(t, world(t, spec))
	hour := v.At.UTC().Truncate(time.Hour)
	in := Input{View: v, Past: &bridge.Past{UsualRequests: map[string]map[int]float64{"vision/ann/chat": {hour.Hour(): 3, (hour.Hour() + 1) % 24: 5, (hour.Hour() + 9) % 24: 90}}}}
	got := AssembleSnapshot(in, serving()).InferenceServices[0].Scaling
	if len(got.Usual) < 2 || len(got.Usual) > 4 || !got.Usual[0].From.Equal(hour) || got.Usual[0].PerSecond != 3 || got.Usual[1].PerSecond != 5 || got.GreatestUsualRate(v.At, v.At.Add(2*time.Hour)) != 5 {
		t.Errorf("%+v", got.Usual)
	}
}
