package chaos_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos"
	"fairbridge/scripts/verify/part"
)

// mutant is a planted error, with the rules that may catch it.
type mutant struct {
	name  string
	parts chaos.Overrides
	rules []string
}

// seeing changes what the loop sees of Slurm.
type seeing struct {
	bridge.Cluster
	reread  func(bridge.Cluster, context.Context, int64) (slurm.Job, error)
	observe func(*slurm.View)
}

func (s seeing) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	if s.reread == nil {
		return s.Cluster.RereadJob(ctx, id)
	}
	return s.reread(s.Cluster, ctx, id)
}

func (s seeing) RequestFullRead() { s.Cluster.(cycle.FullReader).RequestFullRead() }

func (s seeing) Observe(ctx context.Context) (*slurm.View, error) {
	v, err := s.Cluster.Observe(ctx)
	if err == nil && s.observe != nil {
		s.observe(v)
	}
	return v, err
}

// remembering answers from the last view instead of reading a job again.
type remembering struct {
	bridge.Cluster
	view *slurm.View
}

func (r *remembering) Observe(ctx context.Context) (v *slurm.View, err error) {
	v, err = r.Cluster.Observe(ctx)
	r.view = v
	return v, err
}

func (r *remembering) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	if j := r.view.Job(id); j != nil {
		return *j, nil
	}
	return r.Cluster.RereadJob(ctx, id)
}

// keeping changes what the loop keeps in the ledger.
type keeping struct {
	bridge.Journal
	mark    func(*bridge.Intent) bool // false: not marked at all
	intents func([]bridge.Intent) []bridge.Intent
}

func (k keeping) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	if k.mark != nil && !k.mark(&in) {
		return nil
	}
	return k.Journal.UpdateIntent(ctx, in)
}

func (k keeping) Intents(ctx context.Context, c string, now, since time.Time) ([]bridge.Intent, error) {
	all, err := k.Journal.Intents(ctx, c, now, since)
	if k.intents != nil {
		all = k.intents(all)
	}
	return all, err
}

func journal(k keeping) chaos.Overrides {
	return chaos.Overrides{WrapJournal: func(j bridge.Journal) bridge.Journal { k.Journal = j; return k }}
}

func cluster(s seeing) chaos.Overrides {
	return chaos.Overrides{WrapCluster: func(c bridge.Cluster) bridge.Cluster { s.Cluster = c; return s }}
}

func sends(change func(slurm.Edit) slurm.Edit) chaos.Overrides {
	return chaos.Overrides{RewriteEdit: change}
}

func configured(change func(*bridge.Config)) chaos.Overrides {
	return chaos.Overrides{ChangeConfig: change}
}

var mutants = []mutant{
	{"leases never end", sends(func(e slurm.Edit) slurm.Edit {
		if e.Kind == slurm.EditLease {
			e.Until = e.Until.Add(365 * 24 * time.Hour)
		}
		return e
	}), []string{"I4", "journal"}},
	{"a hard hold in place of a lease", sends(func(e slurm.Edit) slurm.Edit {
		if e.Kind == slurm.EditLease {
			e.Kind = slurm.EditHardHold
		}
		return e
	}), []string{"I2"}},
	{"another number than the ledger says", sends(func(e slurm.Edit) slurm.Edit {
		if e.Kind == slurm.EditSiteFactor || e.Kind == slurm.EditNice {
			e.Value += 7
		}
		return e
	}), []string{"journal"}},
	{"another text than the ledger says", sends(func(e slurm.Edit) slurm.Edit {
		if e.Kind == slurm.EditAdminComment && e.Text != "" {
			e.Text += " as bob"
		}
		return e
	}), []string{"journal"}},
	{"a site's own admin_comment is taken for none", cluster(seeing{
		observe: func(v *slurm.View) {
			for i := range v.Jobs {
				v.Jobs[i].AdminComment = ""
			}
		},
		reread: func(c bridge.Cluster, ctx context.Context, id int64) (slurm.Job, error) {
			j, err := c.RereadJob(ctx, id)
			j.AdminComment = ""
			return j, err
		},
	}), []string{"site's own"}},
	{"jobs are requeued that did not opt in", configured(func(c *bridge.Config) { c.PreemptOptIn.Partitions = []string{"gpu"} }), []string{"I5", "opted"}},
	{"budgets of stops are ignored", configured(func(c *bridge.Config) {
		g := &c.Budgets
		g.Quantum, g.Cooldown, g.JobStops4h, g.JobStops24h, g.UserStops1h, g.AccountStops1h = time.Second, 0, 99, 99, 99, 99
		g.StopPercent, g.StopPercent1h, g.StopFloor, g.StopFloor1h, g.LostPercent24h = 100, 10_000, 99, 99, 100
		g.LostPercent1h = 100
	}), []string{"I6", "I7"}},
	{"the edit budget is ignored", configured(func(c *bridge.Config) { c.Budgets.EditFloor = 200 }), []string{"I10"}},
	{"the order may turn over", configured(func(c *bridge.Config) { c.Budgets.ChurnFloor = 1000 }), []string{"I11"}},
	{"exempt users are not", configured(func(c *bridge.Config) { c.Budgets.ExemptUsers = nil }), []string{"I15"}},
	{"another mode than was asked for", configured(func(c *bridge.Config) { c.Partitions[0].Mode = "preempt" }), []string{"I20"}},
	{"no STOP file", configured(func(c *bridge.Config) { c.StopFile = "" }), []string{"stop", "I20"}},
	{"no warming up", configured(func(c *bridge.Config) { c.WarmupPolls = 0 }), []string{"warm"}},
	{"clocks may differ by a minute", configured(func(c *bridge.Config) { c.Budgets.Skew, c.Budgets.LeaseMin = time.Minute, 2*time.Minute }), []string{"I13"}},
	{"reservations are ignored", cluster(seeing{observe: func(v *slurm.View) {
		v.Reservations, v.StaleReservationsReason, v.ReservationsAt = nil, "", v.At
	}}), []string{"I21"}},
	{"what was read of some jobs is taken for a whole list", cluster(seeing{observe: func(v *slurm.View) { v.IsFullRead = true }}), []string{"I13"}},
	{"stops in vain pause nothing", configured(func(c *bridge.Config) { c.Budgets.StopPause = time.Minute }), []string{"I22"}}, // by then nothing is in vain yet
	{"owners are taken to leave every size to us", cluster(seeing{observe: func(v *slurm.View) {
		for i := range v.Jobs {
			if d := &v.Jobs[i].Directive; d.MaxGPUs > 0 {
				d.MinGPUs, d.MaxGPUs = 1, 8
			}
		}
	}}), []string{"I23"}},
	{"all owners are taken to allow stops of idle jobs", cluster(seeing{observe: func(v *slurm.View) {
		for i := range v.Jobs {
			v.Jobs[i].Directive.RequeueIdle = true
		}
	}}), []string{"I26"}},
	{"a look is enough to be idle", configured(func(c *bridge.Config) {
		c.Budgets.IdleMin = time.Second
		if c.Partitions[0].StopIdleAfter > 0 {
			c.Partitions[0].StopIdleAfter = time.Minute
		}
	}), []string{"I26"}},
	{"old samples of GPUs count as new", chaos.Overrides{BelievesOldSamples: true}, []string{"I26"}},
	{"services are unknown", configured(func(c *bridge.Config) { c.Partitions[0].Services = nil }), []string{"I25"}},
	{"the database fences nobody", chaos.Overrides{IsUnfenced: true}, []string{"I14"}},
	{"jobs are not read again", chaos.Overrides{WrapCluster: func(c bridge.Cluster) bridge.Cluster { return &remembering{Cluster: c} }}, []string{"reread"}},
	{"absence is proof", cluster(seeing{observe: func(v *slurm.View) {
		for id := range int64(300) {
			if v.Job(id) == nil {
				v.AddGoneJobs(id)
			}
		}
	}}), []string{"forgot", "I13"}},
	{"sent before it is written", journal(keeping{mark: func(in *bridge.Intent) bool { return in.State != bridge.IntentSent }}), []string{"journal"}},
	{"what stands is forgotten", journal(keeping{intents: func(all []bridge.Intent) []bridge.Intent {
		for i := range all {
			if all[i].State == bridge.IntentObserved {
				all[i].State = bridge.IntentExpired
			}
		}
		return all
	}}), []string{"released: site factor", "released: nice", "lost: nice", "dead: nice", "dead: site factor", "I3", "I10", "I12", "recovery", "I4"}},
}

// TestTheOracleCanSeeErrors: each planted error is caught, by a rule that is about
// it, within some seeds.
func TestTheOracleCanSeeErrors(t *testing.T) {
	part.Only(t, "mutants")
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			m.parts.ReportsKnownBreaches = true
			other := map[string]int{}
			for seed := uint64(1); seed <= 80; seed++ {
				o, err := chaos.RunSeed(seed, 200, m.parts)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range o.Breaches {
					if slices.Contains(m.rules, b.Rule) {
						t.Logf("caught by seed %d: %v", seed, b)
						return
					}
					other[b.Rule]++
				}
			}
			t.Errorf("not caught by %v in 80 seeds; others: %v", m.rules, other)
		})
	}
}
