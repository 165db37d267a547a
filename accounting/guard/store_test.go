package guard_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/guard"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
)

var must = dbtest.RequireNoError

const clusterName = "c1"

// noon is of today: whether a demotion stands is asked of the database's clock.
var noon = time.Now().UTC().Truncate(time.Second)

func newStore(t *testing.T) *guard.Store {
	t.Helper()
	return &guard.Store{DB: dbtest.NewDB(t)}
}

func check(partition string, at time.Time) harm.Check {
	m := harm.Measurement{
		Since: at.Add(-time.Hour), Until: at, Policy: "fifo", Mode: bridge.ModePreempt, JobCount: 40, StopCount: 2, SeedCount: 3, Remarks: []string{"one"},
		Figures: []harm.Figure{{Kind: harm.Wait, JobCount: 40, Live: 1200, Alone: 60, OwnError: -5, Band: 5}, {Kind: harm.Wait, Account: "phys", JobCount: 40, Live: 1200, Alone: 60, Band: 5}},
	}
	return harm.JudgeMeasurement(partition, at, m, harm.DefaultBounds())
}

func TestChecksComeBackAsTheyWere(t *testing.T) {
	s := newStore(t)
	first, second := check("gpu", noon.Add(-time.Hour)), check("gpu", noon)
	blind := harm.NewBlindCheck("other", noon, "nothing\x00 is known")
	for _, c := range []harm.Check{first, second, blind} {
		must(t, s.PutCheck(t.Context(), clusterName, &c))
	}
	got, err := s.ListChecks(t.Context(), clusterName, "gpu", noon.Add(-2*time.Hour), 10)
	must(t, err)
	if d := cmp.Diff([]harm.Check{second, first}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got, err = s.ListChecks(t.Context(), clusterName, "", noon.Add(-time.Minute), 10); err != nil || len(got) != 2 {
		t.Errorf("of all partitions: %v, %v", got, err)
	}
	if got, err = s.ListChecks(t.Context(), clusterName, "gpu", noon.Add(-2*time.Hour), 1); err != nil || len(got) != 1 || !got[0].At.Equal(noon) {
		t.Errorf("the last one: %v, %v", got, err)
	}
	unknown := check("gpu", noon.Add(time.Minute))
	unknown.Figures[0].Band = math.NaN()
	must(t, s.PutCheck(t.Context(), clusterName, &unknown))
	if got, err = s.ListChecks(t.Context(), clusterName, "gpu", noon, 1); err != nil || len(got) != 1 || len(got[0].Figures) != 1 {
		t.Errorf("with a figure that is no number: %+v, %v", got, err)
	}
}

func TestDemotionsStandUntilCleared(t *testing.T) {
	s := newStore(t)
	d := bridge.Demotion{Partition: "gpu", Since: noon, By: harm.GuardName, Why: "harm"}
	demote := func(d bridge.Demotion, want bool) {
		t.Helper()
		if got, err := s.Demote(t.Context(), clusterName, d); err != nil || got != want {
			t.Fatalf("demoted: %t, %v, want %t", got, err, want)
		}
	}
	active := func(want ...bridge.Demotion) {
		t.Helper()
		got, err := s.ActiveDemotions(t.Context(), clusterName)
		must(t, err)
		if diff := cmp.Diff(want, got, cmp.Transformer("none", func(in []bridge.Demotion) []bridge.Demotion { return append([]bridge.Demotion{}, in...) })); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
	active()
	demote(d, true)
	again := d
	again.Why = "more harm"
	demote(again, false) // it is already
	over := bridge.Demotion{Partition: "short", Since: noon.Add(-time.Hour), Until: noon.Add(-time.Minute), By: "ann"}
	demote(over, true)
	active(d) // the other is over by itself
	over.Until = noon.Add(time.Hour)
	demote(over, true)
	active(d, over)

	if cleared, err := s.ClearDemotion(t.Context(), clusterName, "gpu", "bob", "mended"); err != nil || !cleared {
		t.Fatal(cleared, err)
	}
	if cleared, err := s.ClearDemotion(t.Context(), clusterName, "gpu", "bob", "mended"); err != nil || cleared {
		t.Fatal("cleared twice", err)
	}
	active(over)
	all, err := s.ListDemotions(t.Context(), clusterName, noon.Add(-time.Hour))
	must(t, err)
	if len(all) != 3 || all[0].Partition != "gpu" || all[0].Stands || all[0].ClearedBy != "bob" || all[0].ClearedWhy != "mended" || !all[1].Stands || all[2].Stands {
		t.Errorf("%+v", all)
	}
}

func putCycle(t *testing.T, s *guard.Store, seq int, hoursAgo float64, mode, policy string) {
	t.Helper()
	dbtest.Exec(t, s.DB, `insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, plan_digest, decisions, refused, pushed, took)
		values ($1, 'gpu', $2, 1, $3, $4, $5, '', '', '', 0, '[]', 0, '{}')`, clusterName, seq, noon.Add(-time.Duration(hoursAgo*float64(time.Hour))), mode, policy)
}

// TestStretch: a partition was live with one policy, then observed, then live with another.
func TestStretch(t *testing.T) {
	s := newStore(t)
	if got, err := s.ReadStretch(t.Context(), clusterName, "gpu", noon.Add(-24*time.Hour)); err != nil || got != nil {
		t.Fatalf("before any cycle: %+v, %v", got, err)
	}
	put := func(seq int, hoursAgo float64, mode, policy string) { putCycle(t, s, seq, hoursAgo, mode, policy) }
	put(1, 30, "preempt", "fifo")
	put(2, 9, "preempt", "fifo")
	put(3, 8, "observe", "fifo")
	put(4, 7, "preempt", "srtf")
	put(5, 1, "preempt", "srtf")
	for hours, want := range map[time.Duration]time.Duration{24: 7, 48: 7, 5: 1} {
		got, err := s.ReadStretch(t.Context(), clusterName, "gpu", noon.Add(-hours*time.Hour))
		must(t, err)
		if got == nil || !got.Since.Equal(noon.Add(-want*time.Hour)) || !got.LiveSince.Equal(got.Since) || got.Mode != bridge.ModePreempt || got.Policy != "srtf" || !got.LastCycleAt.Equal(noon.Add(-time.Hour)) {
			t.Errorf("looking back %d h: %+v, want since %d h ago", hours, got, want)
		}
	}
}

// TestTurns: two take turns to decide; a third did before, and once neither was live.
func TestTurns(t *testing.T) {
	s := newStore(t)
	fifo, srtf := bridge.Decider{Partition: "gpu", Policy: "fifo"}, bridge.Decider{Partition: "gpu", Policy: "srtf"}
	for i, c := range []struct {
		hoursAgo     int
		mode, policy string
	}{{90, "rank", "drf"}, {80, "rank", "fifo"}, {70, "rank", "srtf"}, {60, "observe", "fifo"}, {50, "rank", "srtf"}, {40, "rank", "fifo"}, {3, "rank", "srtf"}, {1, "rank", "srtf"}} {
		putCycle(t, s, i+1, float64(c.hoursAgo), c.mode, c.policy)
	}
	for _, c := range []struct {
		back  time.Duration
		turns []bridge.Decider
		want  time.Duration
	}{{100, []bridge.Decider{fifo, srtf}, 50}, {45, []bridge.Decider{fifo, srtf}, 40}, {100, nil, 3}, {100, []bridge.Decider{fifo}, 3}} {
		got, err := s.ReadStretch(t.Context(), clusterName, "gpu", noon.Add(-c.back*time.Hour), c.turns...)
		must(t, err)
		if !got.Since.Equal(noon.Add(-3*time.Hour)) || !got.LiveSince.Equal(noon.Add(-c.want*time.Hour)) {
			t.Errorf("looking back %d h, turns of %v: since %v, live since %v, want %d h ago", c.back, c.turns, got.Since, got.LiveSince, c.want)
		}
	}
}

// TestACandidateIsDemotedAlone: beside its partition, each once, and cleared together.
func TestACandidateIsDemotedAlone(t *testing.T) {
	s := newStore(t)
	d := bridge.Demotion{Partition: "gpu", Candidate: "srtf max_wait=1h", Since: noon, By: harm.GuardName, Why: "harm"}
	whole := bridge.Demotion{Partition: "gpu", Since: noon, By: "ann"}
	for _, c := range []struct {
		d    bridge.Demotion
		want bool
	}{{d, true}, {d, false}, {whole, true}} {
		if got, err := s.Demote(t.Context(), clusterName, c.d); err != nil || got != c.want {
			t.Errorf("%+v: demoted %t, %v", c.d, got, err)
		}
	}
	got, err := s.ActiveDemotions(t.Context(), clusterName)
	must(t, err)
	if diff := cmp.Diff([]bridge.Demotion{d, whole}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if cleared, err := s.ClearDemotion(t.Context(), clusterName, "gpu", "bob", ""); err != nil || !cleared {
		t.Error(cleared, err)
	}
	all, err := s.ListDemotions(t.Context(), clusterName, noon.Add(-time.Hour))
	must(t, err)
	if len(all) != 2 || all[0].Stands || all[1].Stands || all[1].Candidate != d.Candidate || all[0].Candidate != "" {
		t.Errorf("%+v", all)
	}
	if texts := dbtest.QueryTexts(t, s.DB, "select candidate from fairbridge_v1.demotions where candidate <> ''"); len(texts) != 1 || texts[0] != d.Candidate {
		t.Errorf("the view shows %q", texts)
	}
}

// TestViews: what is for managers can be read, and has the same figures.
func TestViews(t *testing.T) {
	s := newStore(t)
	c := check("gpu", noon)
	must(t, s.PutCheck(t.Context(), clusterName, &c))
	_, err := s.Demote(t.Context(), clusterName, bridge.Demotion{Partition: "gpu", Since: noon, By: "ann", Why: "so"})
	must(t, err)
	for query, want := range map[string]string{
		"select verdict || ' ' || reasons[1] || ' ' || jobs || ' ' || stops from fairbridge_v1.guard_checks":                                     "harm " + c.Reasons[0] + " 40 2",
		"select kind || account || size || jobs || ' ' || live || ' ' || slurm_alone || ' ' || claim from fairbridge_v1.guard_figures limit 1":   "wait40 1200 60 harm",
		"select account || ' ' || live || ' ' || claim from fairbridge_v1.guard_figures where account <> ''":                                     "phys 1200 no harm",
		"select partition || ' ' || demoted_by || ' ' || why || ' ' || (cleared is null) || ' ' || (until is null) from fairbridge_v1.demotions": "gpu ann so true true",
	} {
		if got := dbtest.QueryTexts(t, s.DB, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
