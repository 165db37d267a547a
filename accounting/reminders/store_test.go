package reminders_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/journal"
	store "fairbridge/accounting/reminders"
	"fairbridge/bridge"
	"fairbridge/bridge/reminders"
)

var (
	noon   = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	limits = store.Limits{PerOwner: 2, InAll: 3}
	must   = dbtest.RequireNoError
)

func lead(t *testing.T, db *accounting.DB, who string) int64 {
	t.Helper()
	epoch, _, leads, err := (&journal.Store{DB: db}).Lead(t.Context(), "c1", who, time.Hour)
	must(t, err)
	if !leads {
		t.Fatal("another leads")
	}
	return epoch
}

func message(user string, jobs ...int64) *reminders.Message {
	m := &reminders.Message{Cluster: "c1", User: user}
	for _, j := range jobs {
		m.Jobs = append(m.Jobs, reminders.Entry{Job: j, Account: "vision", Partition: "gpu", Step: 30 * time.Minute, StepSeconds: 1800, IdleGPUs: 2, IdleSince: noon.Add(-time.Hour)})
	}
	return m
}

// fill stores readings every minute of half an hour: busy is the part a GPU is busy so many minutes ago, below 0 for no reading.
func fill(t *testing.T, db *accounting.DB, job int64, user string, gpu int, sick bool, busy func(minute int) float64) {
	t.Helper()
	dbtest.Exec(t, db, "insert into fairbridge.gpus (id, cluster, node, uuid, gpu_type) overriding system value values ($1::int, 'c1', 'n1', 'g' || $1::int, 'a100')", gpu)
	dbtest.Exec(t, db, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
		select 'c1', $1, 1, 0, $2::timestamptz - interval '5 hours', '', 'x', $3, 'vision', 'normal', 'gpu', 0, 0, 'RUNNING', '', interval '1 day', 1, $2::timestamptz - interval '4 hours', null, false, true, $2::timestamptz, $2::timestamptz, 1
		on conflict do nothing`, job, noon, user)
	for minute := 29; minute >= 0; minute-- {
		if b := busy(minute); b >= 0 {
			dbtest.Exec(t, db, "insert into fairbridge.gpu_readings (at, job, gpu, busy, procs, sharing, sick) values ($1, $2, $3, $4, 1, 1, $5)", noon.Add(-time.Duration(minute)*time.Minute), job, gpu, b, sick)
		}
	}
}

// A look reads what report idle-now shows, and what was told; what it stores it finds again.
func TestStateIsFoundAgain(t *testing.T) {
	db := dbtest.NewDB(t)
	s := &store.Store{DB: db}
	dbtest.Exec(t, db, "select fairbridge.add_sample_day(($1::timestamptz at time zone 'UTC')::date)", noon)
	always := func(int) float64 { return 0 }
	fill(t, db, 1, "ann", 1, false, always)
	fill(t, db, 1, "ann", 2, false, func(int) float64 { return 0.9 })
	fill(t, db, 2, "bob", 3, true, always)
	fill(t, db, 3, "cyd", 4, false, func(m int) float64 { // a gap of 6 minutes, 8 minutes ago
		if m >= 9 && m < 14 {
			return -1
		}
		return 0
	})
	fill(t, db, 4, "dan", 5, false, func(m int) float64 { // not read of late
		if m < 6 {
			return -1
		}
		return 0
	})
	fill(t, db, 5, "eve", 6, false, always)
	dbtest.Exec(t, db, "insert into fairbridge.job_speeds values ('c1', 5, 'eve', 'x', 'a100', 1, 0, 0, 1, 1, 0, null, $1, $1)", noon.Add(-time.Minute))
	epoch := lead(t, db, "a")
	if ok, err := s.Claim(t.Context(), "c1", epoch, noon.Add(-time.Hour), limits, message("cyd", 3)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	x, err := s.ReadState(t.Context(), "c1", noon)
	must(t, err)
	type row struct {
		Job   int64
		UUID  string
		Idle  time.Duration
		Doubt string
	}
	var got []row
	for _, r := range x.Readings {
		got = append(got, row{r.Job, r.UUID, r.Until.Sub(r.Since), r.Doubt})
	}
	want := []row{{1, "g1", 29 * time.Minute, ""}, {1, "g2", 0, ""}, {2, "g3", 29 * time.Minute, "the GPU was sick"}, {3, "g4", 8 * time.Minute, ""}, {5, "g6", 29 * time.Minute, "the job reported progress"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(reminders.State{Open: []int64{3}, Told: map[int64]time.Duration{3: 30 * time.Minute}, MessagesByUser: map[string]int{"cyd": 1}, Readings: x.Readings, Spells: []reminders.Spell{}}, x); diff != "" {
		t.Error(diff)
	}
	d := reminders.Decision{Spells: []reminders.Spell{{GPU: x.Readings[0].GPU, Since: noon.Add(-9 * time.Hour), Until: noon}}, Progress: []reminders.Progress{{Job: 3, IdleGPUTime: time.Hour, Outcome: reminders.OutcomeBusy}}}
	for range 2 { // the same look again changes nothing
		must(t, s.SaveLook(t.Context(), "c1", epoch, noon, &d))
	}
	x, err = s.ReadState(t.Context(), "c1", noon)
	must(t, err)
	if diff := cmp.Diff(d.Spells, x.Spells, cmp.Transformer("utc", func(t time.Time) time.Time { return t.UTC() })); diff != "" || len(x.Open) != 0 {
		t.Error(diff, x.Open)
	}
	if n := dbtest.CountRows(t, db, "select from fairbridge_v1.idle_reminders where job = 3 and idle_gpu_s = 3600 and outcome = 'busy' and closed = $1", noon); n != 1 {
		t.Errorf("what came of it: %s", dbtest.DumpTable(t, db, "idle_reminders"))
	}
}

// No step of a job is claimed twice, by whomever: not after a restart, nor by a daemon that took over, nor by one that was
// deposed. What another step claims is another message.
func TestAStepIsClaimedOnce(t *testing.T) {
	db := dbtest.NewDB(t)
	s := &store.Store{DB: db}
	claim := func(epoch int64, m *reminders.Message) bool {
		ok, err := s.Claim(t.Context(), "c1", epoch, noon, store.Limits{PerOwner: 100, InAll: 100}, m)
		must(t, err)
		return ok
	}
	first := lead(t, db, "a")
	if !claim(first, message("ann", 1, 2)) {
		t.Fatal("the first claim is refused")
	}
	if claim(first, message("ann", 1)) || claim(first, message("ann", 2, 3)) {
		t.Error("a step was claimed twice")
	}
	must(t, (&journal.Store{DB: db}).Resign(t.Context(), "c1", "a"))
	second := lead(t, db, "b")
	if claim(second, message("ann", 1)) {
		t.Error("who took over claims a step again")
	}
	if _, err := s.Claim(t.Context(), "c1", first, noon, limits, message("ann", 9)); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("who was deposed: %v", err)
	}
	if err := s.SaveLook(t.Context(), "c1", first, noon, &reminders.Decision{}); !errors.Is(err, bridge.ErrFenced) {
		t.Errorf("who was deposed stores a look: %v", err)
	}
	next := message("ann", 1)
	next.Jobs[0].StepSeconds = 7200
	if !claim(second, next) || claim(second, message("ann", 1)) {
		t.Error("a later step is refused, or an earlier one claimed after it")
	}
	if n := dbtest.CountRows(t, db, "select from fairbridge.idle_reminders where job in (3, 9)"); n != 0 {
		t.Error("a refused claim left rows")
	}
}

// Limits hold by what the database has, also where the daemon forgot; a claim that is given back counts to none and can
// be made again, but not once it was sent.
func TestLimitsAndRelease(t *testing.T) {
	db := dbtest.NewDB(t)
	s := &store.Store{DB: db}
	epoch := lead(t, db, "a")
	claim := func(at time.Time, user string, job int64) (bool, int64) {
		m := message(user, job)
		ok, err := s.Claim(t.Context(), "c1", epoch, at, limits, m)
		must(t, err)
		return ok, m.ID
	}
	var got []bool
	for _, c := range []struct {
		after time.Duration
		user  string
		job   int64
	}{
		{0, "ann", 1}, {0, "ann", 2}, {0, "ann", 3}, {0, "bob", 4}, {0, "cyd", 5}, {61 * time.Minute, "cyd", 5}, {61 * time.Minute, "ann", 3}, {25 * time.Hour, "ann", 3},
	} {
		ok, _ := claim(noon.Add(c.after), c.user, c.job)
		got = append(got, ok)
	}
	if diff := cmp.Diff([]bool{true, true, false, true, false, true, false, true}, got); diff != "" {
		t.Error(diff)
	}
	late := noon.Add(72 * time.Hour)
	for range 5 {
		ok, id := claim(late, "eve", 10)
		if !ok {
			t.Fatal("what was given back cannot be claimed")
		}
		must(t, s.Release(t.Context(), "c1", id))
	}
	_, id := claim(late, "eve", 10)
	must(t, s.Finish(t.Context(), "c1", id, []string{"mail"}, nil))
	must(t, s.Release(t.Context(), "c1", id))
	if ok, _ := claim(late, "eve", 10); ok {
		t.Error("what was sent was given back")
	}
	_, failed := claim(late, "eve", 11)
	must(t, s.Finish(t.Context(), "c1", failed, nil, errors.New("550 no such user\x00")))
	list, err := s.ListSent(t.Context(), "c1", late, 10)
	must(t, err)
	want := []store.Sent{
		{ID: failed, At: late, User: "eve", State: "failed", SentBy: []string{}, Error: "550 no such user", IdleGPUs: 2, Jobs: []int64{11}},
		{ID: id, At: late, User: "eve", State: "sent", SentBy: []string{"mail"}, IdleGPUs: 2, Jobs: []int64{10}},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
}

// What a claim closed is open again when it is given back, and only that: not what ended at that look, or before.
func TestReleaseOpensWhatItClosed(t *testing.T) {
	db := dbtest.NewDB(t)
	s := &store.Store{DB: db}
	epoch := lead(t, db, "a")
	tell := func(at time.Time, step int64, jobs ...int64) int64 {
		m := message("ann", jobs...)
		for i := range m.Jobs {
			m.Jobs[i].StepSeconds = step
		}
		ok, err := s.Claim(t.Context(), "c1", epoch, at, store.Limits{PerOwner: 100, InAll: 100}, m)
		if must(t, err); !ok {
			t.Fatal("the claim is refused")
		}
		return m.ID
	}
	later := noon.Add(time.Hour)
	for _, id := range []int64{tell(noon.Add(-time.Hour), 600, 1, 2), tell(noon, 1800, 1, 2), tell(noon, 1800, 3)} {
		must(t, s.Finish(t.Context(), "c1", id, []string{"mail"}, nil))
	}
	must(t, s.SaveLook(t.Context(), "c1", epoch, later, &reminders.Decision{Progress: []reminders.Progress{{Job: 2, Outcome: reminders.OutcomeBusy}}}))
	id, other := tell(later, 7200, 1, 2), tell(later, 7200, 3)
	must(t, s.Release(t.Context(), "c1", id))
	must(t, s.Finish(t.Context(), "c1", other, []string{"mail"}, nil))
	must(t, s.Release(t.Context(), "c1", other)) // it was sent: nothing is given back
	got := dbtest.QueryTexts(t, db, "select job || ' ' || step_s from fairbridge_v1.idle_reminders where closed is null order by 1")
	if diff := cmp.Diff([]string{"1 1800", "3 7200"}, got); diff != "" {
		t.Error(diff, dbtest.DumpTable(t, db, "idle_reminders"))
	}
}
