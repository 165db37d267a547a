package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
)

const cluster = "c1"

// hostile is a name that a user gave a job: it clears a terminal, forges a row
// and is a formula.
const hostile = "=HYPERLINK(1)\x1b[2J\nroot  99.9 %"

var first = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var must = dbtest.RequireNoError

// history is a made-up past of a cluster of 2,048 GPUs.
type history struct {
	runs, days int
	rng        *rand.Rand
}

func (h history) end() time.Time { return first.AddDate(0, 0, h.days) }

// job is what is drawn of one run.
type job struct {
	arrive, start, end time.Time
	user, account, gpu string
	gpus               int
	state              string
	limit              time.Duration
	restarts           int
}

func (h history) draw() []job {
	list := make([]job, h.runs)
	span := h.end().Sub(first).Seconds()
	for i := range list {
		user := int(300 * h.rng.Float64() * h.rng.Float64())
		j := job{user: fmt.Sprint("u", user), account: fmt.Sprint("a", user%30), gpu: []string{"a100", "h100"}[i%2], gpus: 1 << h.rng.IntN(4), state: "COMPLETED"}
		j.arrive = first.Add(time.Duration(span*float64(i)/float64(h.runs)) * time.Second)
		j.start = j.arrive.Add(time.Duration(h.rng.ExpFloat64()*2400) * time.Second)
		ran := time.Duration(60+h.rng.ExpFloat64()*5000) * time.Second
		j.end = j.start.Add(ran)
		j.limit = ran * time.Duration(1+h.rng.IntN(20))
		switch h.rng.IntN(20) {
		case 0:
			j.state = "FAILED"
		case 1:
			j.state = "CANCELLED"
		case 2:
			j.state, j.limit = "TIMEOUT", ran
		case 3:
			j.state = "REQUEUED"
		}
		list[i] = j
	}
	return list
}

// fill copies the history into a fresh database and returns it with its string.
func (h history) fill(t testing.TB) (*stores.Stores, string) {
	t.Helper()
	ctx := context.Background()
	db := stores.New(dbtest.NewDB(t))
	dsn := db.Config().ConnString()
	must(t, db.GrantReportRole(ctx))
	conn, err := pgx.Connect(ctx, dsn)
	must(t, err)
	defer conn.Close(ctx)
	jobs := h.draw()
	exec(t, conn, "insert into fairbridge.watch values ('c1', $1, $1, $1, '26.05', 'v0.0.45')", h.end())
	entitle(t, db)
	h.copyRuns(t, conn, jobs)
	h.copyHours(t, conn, jobs)
	exec(t, conn, `insert into fairbridge.capacity_hours select 'c1', p, h, g, 6, 1024, 800 + 100 * sin(extract(epoch from h) / 20000), 200, 20, 4, 300, 80, 120.5, 16
		from unnest(array['', 'gpu']) p, unnest(array['a100', 'h100']) g, generate_series($1::timestamptz, $2::timestamptz - interval '1 hour', '1 hour') h`, first, h.end())
	exec(t, conn, "insert into fairbridge.start_estimates select 'c1', r.job, r.arrive, r.arrive + interval '1 minute', r.started + (r.job % 200 - 80) * interval '1 minute', r.user_name, r.account, r.partition from fairbridge.job_runs r where r.job % 3 = 0")
	exec(t, conn, `insert into fairbridge.deadline_promises select 'c1', r.job, r.arrive, r.arrive + interval '1 minute', r.user_name, r.account, r.partition,
		r.arrive + (r.job % 30) * interval '1 hour', false, (r.job % 11) / 10.0, r.arrive + (r.job % 30) * interval '1 hour' from fairbridge.job_runs r where r.job % 2 = 0 on conflict do nothing`)
	readIdle(t, conn)
	remindIdle(t, conn)
	stopIdle(t, conn)
	h.copyChanges(t, conn)
	exec(t, conn, "analyze")
	return db, dsn
}

// entitle gives accounts their shares as most sites do: slurmdbd has the tree,
// the configuration overrides some of it. Weights are 1 to 3, those of a3, a7
// and a11 by the configuration.
func entitle(t testing.TB, db *stores.Stores) {
	t.Helper()
	tree := []slurmdb.Association{{Account: "root"}}
	for i := range 30 {
		s := slurmdb.Association{Account: fmt.Sprint("a", i), ParentAccount: "root", Shares: 1 + int64(i%3)}
		if i >= 10 {
			s.ParentAccount = fmt.Sprint("a", i%10)
		}
		tree = append(tree, s)
	}
	ctx := context.Background()
	must(t, db.SetSlurmShares(ctx, cluster, tree))
	must(t, db.SetConfiguredAccounts(ctx, cluster, []policy.Account{{Name: "a3", Weight: 3}, {Name: "a7", Weight: 1}, {Name: "a11", Parent: "a2", Weight: 2}}))
}

func exec(t testing.TB, conn *pgx.Conn, query string, args ...any) {
	t.Helper()
	_, err := conn.Exec(context.Background(), query, args...)
	must(t, err)
}

func copyIn(t testing.TB, conn *pgx.Conn, table string, columns []string, n int, row func(i int) []any) {
	t.Helper()
	_, err := conn.CopyFrom(context.Background(), pgx.Identifier{"fairbridge", table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
	must(t, err)
}

func (h history) copyRuns(t testing.TB, conn *pgx.Conn, jobs []job) {
	copyIn(t, conn, "job_runs", []string{
		"cluster", "job", "submit", "restarts", "arrive", "sluid", "name", "user_name", "account", "qos", "partition", "array_job", "array_task", "state", "reason",
		"time_limit", "gpus", "started", "ended", "closed", "exact", "first_seen", "last_change", "digest",
	}, len(jobs), func(i int) []any {
		j := &jobs[i]
		return []any{
			cluster, i + 1, j.arrive.Unix(), j.restarts, j.arrive, "", hostile, j.user, j.account, "normal", "gpu", madeArray(i), i % 4, j.state, "",
			j.limit, j.gpus, j.start, j.end, true, true, j.arrive, j.end, i,
		}
	})
	copyIn(t, conn, "run_segments", []string{
		"cluster", "job", "submit", "restarts", "node", "gpu_type", "started", "stopped", "gpus", "part", "user_name", "account", "partition",
	}, len(jobs), func(i int) []any {
		j := &jobs[i]
		return []any{cluster, i + 1, j.arrive.Unix(), j.restarts, fmt.Sprint("n", i%256), j.gpu, j.start, j.end, j.gpus, 100, j.user, j.account, "gpu"}
	})
}

// readIdle has the GPUs of 3,000 runs read every five minutes, while they run: those of every second are idle, those of
// the others busy.
func readIdle(t testing.TB, conn *pgx.Conn) {
	exec(t, conn, "select fairbridge.add_sample_day(d::date) from (select distinct (x at time zone 'UTC')::date as d from fairbridge.job_runs, unnest(array[started, ended]) x) days")
	exec(t, conn, "insert into fairbridge.gpus (cluster, node, uuid, gpu_type) select distinct cluster, node, 'g' || node, gpu_type from fairbridge.run_segments where job <= 3000 on conflict do nothing")
	exec(t, conn, `insert into fairbridge.gpu_readings (at, job, gpu, busy, procs, sharing, sick) select at, s.job, g.id, s.job % 2, 1, 1, false
		from fairbridge.run_segments s join fairbridge.gpus g on g.cluster = s.cluster and g.node = s.node and g.gpu_type = s.gpu_type,
		generate_series(s.started, s.stopped, interval '5 minutes') at where s.job <= 3000`)
}

// remindIdle has the owners of 3,000 runs told that their GPUs are idle, half an hour after the start.
func remindIdle(t testing.TB, conn *pgx.Conn) {
	exec(t, conn, "insert into fairbridge.idle_messages (cluster, user_name, at, state) select cluster, user_name, min(started), 'sent' from fairbridge.job_runs where job <= 3000 and started is not null group by cluster, user_name")
	exec(t, conn, `insert into fairbridge.idle_reminders (cluster, job, step_s, message, at, user_name, account, partition, gpus, idle_since, idle_gpu_s, outcome, closed)
		select distinct on (r.job) r.cluster, r.job, 1800, m.id, r.started + interval '30 minutes', r.user_name, r.account, r.partition, 1, r.started, 60 * r.job, 'ended', r.ended
		  from fairbridge.job_runs r join fairbridge.idle_messages m on m.cluster = r.cluster and m.user_name = r.user_name where r.job <= 3000 and r.started is not null order by r.job`)
}

// stopIdle has 3,000 runs requeued at their start, because their GPUs did no work.
func stopIdle(t testing.TB, conn *pgx.Conn) {
	exec(t, conn, `insert into fairbridge.intents (cluster, partition, seq, place, epoch, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, sent, closed)
		select cluster, partition, 10000000 + job, 0, 1, 'fifo', job, submit, restarts, '', '', 'requeue', 0, '{}', '', 1, '', '{"stop": {"idle": 7200000000000, "for": 7}}', 'OBSERVED', started, started, started
		  from fairbridge.job_runs where job <= 3000 and started is not null`)
}

// idleMoment is when a run of account a7 with an even number, whose GPUs are idle, has run for a while.
func idleMoment(t testing.TB, conn *pgx.Conn) (at time.Time) {
	t.Helper()
	must(t, conn.QueryRow(context.Background(), "select min(started) + interval '16 minutes' from fairbridge.job_runs where account = 'a7' and job % 2 = 0 and ended > started + interval '20 minutes'").Scan(&at))
	return at.UTC()
}

// madeArray is the array of which every fourth job is a task; 0: the others are of none.
func madeArray(i int) int {
	if i%4 != 3 {
		return 0
	}
	return i + 1_000_000
}

// copyHours makes the hourly rollups of all but every tenth run.
func (h history) copyHours(t testing.TB, conn *pgx.Conn, jobs []job) {
	type hour struct {
		at  time.Time
		job int
	}
	var list []hour
	for i := range jobs {
		for at := jobs[i].start.Truncate(time.Hour); i%10 != 0 && at.Before(jobs[i].end); at = at.Add(time.Hour) {
			list = append(list, hour{at, i})
		}
	}
	copyIn(t, conn, "gpu_hours", []string{
		"cluster", "hour", "job", "gpu_type", "gpus", "samples", "busy", "busy_max", "mem_used", "watts", "known", "shared", "unused", "idle",
	}, len(list), func(i int) []any {
		j := &jobs[list[i].job]
		busy := h.rng.Float64()
		return []any{cluster, list[i].at, list[i].job + 1, j.gpu, j.gpus, 240 * j.gpus, busy, 1.0, 0.5, 300.0, 230 * j.gpus, 0, h.rng.IntN(40), h.rng.IntN(20)}
	})
}

func (h history) copyChanges(t testing.TB, conn *pgx.Conn) {
	n, step := h.runs/5, h.end().Sub(first)/time.Duration(max(h.runs/5, 1))
	copyIn(t, conn, "intents", []string{
		"cluster", "epoch", "partition", "seq", "place", "policy", "job", "submit", "restarts", "sluid", "field", "kind", "value", "nodes", "array_task", "tasks", "why", "before", "state", "made", "closed",
	}, n, func(i int) []any {
		at := first.Add(time.Duration(i) * step)
		kind, state := []string{"priority", "lease", "requeue"}[i%3], []string{"OBSERVED", "EXPIRED", "YIELDED", "FAILED"}[i%4]
		return []any{cluster, 1, "gpu", i, 0, "tiresias", 5*i + 1, at.Unix(), 0, "", kind, kind, 0, []string{}, "", 1, "because", map[string]any{}, state, at, at.Add(time.Minute)}
	})
	copyIn(t, conn, "decisions", []string{"cluster", "partition", "job", "seq", "at", "verb", "rank", "gpus", "alloc", "room_for", "why"}, 2*n, func(i int) []any {
		return []any{cluster, "gpu", i%h.runs + 1, i, first.Add(time.Duration(i) * step / 2), []string{"wait", "start", "keep", "stop"}[i%4], i % 100, 4, "", 0, "3 jobs are ahead"}
	})
}
