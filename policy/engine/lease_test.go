package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// leases grants the jobs it names, each on a type.
type leases map[policy.JobID]string

func (l leases) Lease(_ *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	g := make([]engine.Grant, len(line))
	for i, e := range line {
		if l[e.ID] == "leave" {
			g[i].StopReason = "its neighbour is slowed down"
			continue
		}
		g[i].GPUType, g[i].HasLease = l[e.ID], false
		_, g[i].HasLease = l[e.ID]
	}
	return g, nil
}

func TestLease(t *testing.T) {
	hour, any := time.Hour, func(j *policy.Job) { j.Ask.GPUs.Type = "" }
	fixed := func(j *policy.Job) { j.UnstoppableReason = "its owner did not opt in" }
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		granted  leases
		want     string // verbs in order of job
	}{
		"the granted takes the place of the ungranted": {
			with(with(cluster(1), 8, running("n1", hour, 0)), 8), leases{2: ""}, "stop start"},
		"nobody gives way where there is room": {
			with(with(cluster(2), 8, running("n1", hour, 0)), 8), leases{2: ""}, "keep start"},
		"ungranted jobs run on rather than ungranted ones start": {
			with(with(cluster(1), 8, running("n1", hour, 0)), 8), leases{}, "keep wait"},
		"who must leave is stopped though nobody wants its GPUs": {
			with(cluster(1), 8, running("n1", hour, 0)), leases{1: "leave"}, "stop"},
		"but not before the rules let it": {
			with(cluster(1), 8, running("n1", time.Minute, 0)), leases{1: "leave"}, "keep"},
		"idle GPUs go to the ungranted": {
			with(with(cluster(1), 4), 4), leases{1: ""}, "start start"},
		"who stays does not give way": {
			with(with(cluster(1), 8, running("n1", hour, 0), fixed), 8), leases{2: ""}, "keep wait"},
		"too young to be stopped": {
			with(with(cluster(1), 8, running("n1", time.Minute, 0)), 8), leases{2: ""}, "keep wait"},
		"a lease on another type moves a job that takes any": {
			withH100(with(cluster(1), 4, running("n1", hour, 0), any)), leases{1: "h100"}, "move"},
		"and stays where it is without room there": {
			with(withH100(with(cluster(1), 4, running("n1", hour, 0), any)), 8, running("n9", hour, 0),
				func(j *policy.Job) { j.On[0].Type, j.Ask.GPUs.Type = "h100", "h100" }), leases{1: "h100", 2: ""}, "keep keep"},
	} {
		t.Run(name, func(t *testing.T) {
			p := engine.Pipeline{Lease: c.granted, Backfill: backfill.Greedy{}}
			plan, err := p.Decide(c.snapshot)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(c.snapshot); err != nil {
				t.Error(err)
			}
			var verbs []string
			for _, d := range plan.Decisions {
				verbs = append(verbs, string(d.Verb))
			}
			if got := strings.Join(verbs, " "); got != c.want {
				t.Errorf("%s, want %s: %+v", got, c.want, plan.Decisions)
			}
		})
	}
}

type broken struct{ err error }

func (b broken) Lease(*engine.Round, []*engine.Entry) ([]engine.Grant, error) { return nil, b.err }

func TestLeaserThatBreaksItsContract(t *testing.T) {
	s := with(cluster(1), 1)
	for _, err := range []error{nil, errors.New("no solution")} {
		if _, got := (engine.Pipeline{Lease: broken{err}}).Decide(s); got == nil || !strings.Contains(got.Error(), "leasing") {
			t.Errorf("error %v, want one that names the leasing", got)
		}
	}
}
