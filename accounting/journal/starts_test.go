package journal

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
)

// startedRun is a run of a job in partition gpu, or another; times are seconds after t0, decisions "at:verb" or
// "at:verb:partition", about the job or the record of its array.
type startedRun struct {
	job, submit, restarts, array, started int
	decisions, want                       string
	isOfArray, hasNoGPUs                  bool
	partition                             string
}

// startedRuns are by what is told of them. A cycle was stored every 30 s from t0 until ten minutes later, one after
// half an hour and one eight days earlier.
var startedRuns = map[string]startedRun{
	"planned":               {job: 1, started: 33, decisions: "0:wait 30:start", want: "wanted"},
	"planned in its second": {job: 2, started: 30, decisions: "0:wait 30:start", want: "wanted"},
	"not planned":           {job: 3, started: 70, decisions: "30:start 60:wait 90:keep", want: "against"},
	"held":                  {job: 4, started: 70, decisions: "60:hold", want: "against"},
	"run in an older view":  {job: 5, started: 91, decisions: "30:wait 90:keep", want: "against"},
	"never seen to wait":    {job: 6, submit: 65, started: 66, decisions: "90:keep", want: "unseen"},
	"seen in an older view": {job: 7, submit: 61, started: 66, decisions: "60:start", want: "wanted"},
	"decided elsewhere":     {job: 8, started: 70, decisions: "60:start:long", want: "unseen"},
	"id of an older job":    {job: 9, submit: 500, started: 505, decisions: "0:start", want: "unseen"},
	"first run":             {job: 10, started: 33, decisions: "30:start 60:keep 300:stop", want: "wanted"},
	"unseen again":          {job: 10, restarts: 1, submit: 305, started: 325, want: "unseen"},
	"another first run":     {job: 11, started: 33, decisions: "30:start 60:keep 300:stop", want: "wanted"},
	"not planned again":     {job: 11, restarts: 1, submit: 305, started: 335, decisions: "330:wait", want: "against"},
	"task of an array":      {job: 21, array: 20, started: 65, decisions: "60:start", isOfArray: true, want: "wanted"},
	"task requeued": {job: 21, array: 20, restarts: 1, submit: 300, started: 335, decisions: "330:wait",
		isOfArray: true, want: "unseen"},
	"last task":           {job: 20, array: 20, started: 395, decisions: "390:start", want: "wanted"},
	"no daemon ran":       {job: 30, submit: 800, started: 1000},
	"no GPUs":             {job: 31, started: 33, hasNoGPUs: true, decisions: "30:start"},
	"another's partition": {job: 32, started: 33, partition: "cpu"},
	"too early":           {job: 33, submit: -8 * 24 * 3600, started: -8*24*3600 + 5},
	"too late":            {job: 34, submit: 600, started: 1801},
}

// TestStartsByPlan counts each start by the last decision on the job while it waited for that run.
func TestStartsByPlan(t *testing.T) {
	s := fresh(t)
	dbtest.Exec(t, s.DB, `
		insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, plan_digest,
		                               decisions, refused, pushed, took)
		select c, 'gpu', row_number() over (), 1, $1::timestamptz + i * interval '30 seconds', 'rank', 'fifo', '{}', '', '',
		       0, '[]', 0, '{}'
		  from (select generate_series(0, 20) union values (60), (-8 * 24 * 120)) s (i), unnest('{c1,c2}'::text[]) c`, t0)
	seq, want := 0, map[string]int{}
	for _, why := range slices.Sorted(maps.Keys(startedRuns)) {
		seq = insertRun(t, s, startedRuns[why], seq)
		want[startedRuns[why].want]++
	}
	counts, err := s.CountStarts(t.Context(), "c1", t0.Add(30*time.Minute), 150*time.Second)
	must(t, err)
	if got := counts["gpu"]; len(counts) != 1 ||
		*got != (StartCounts{Wanted: want["wanted"], Against: want["against"], Unseen: want["unseen"]}) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, err := s.CountStarts(t.Context(), "c2", t0.Add(30*time.Minute), time.Minute); err != nil || len(got) != 0 {
		t.Errorf("of another cluster: %v, %v", got, err)
	}
}

// insertRun stores a run and decisions, the first of which has the number after seq, and returns the last one's.
func insertRun(t *testing.T, s *Store, r startedRun, seq int) int {
	t.Helper()
	at := func(seconds int) time.Time { return t0.Add(time.Duration(seconds) * time.Second) }
	gpus, about := 1, r.job
	if r.hasNoGPUs {
		gpus = 0
	}
	if r.isOfArray {
		about = r.array
	}
	dbtest.Exec(t, s.DB, `insert into fairbridge.job_runs values ('c1', $1, $2, $3, $4, '', 'j', 'u', 'a', '', $5, $6, 1,
		'RUNNING', '', '1h', $7, $8, null, false, true, now(), now(), 0)`,
		r.job, at(r.submit).Unix(), r.restarts, at(min(r.submit, 0)), cmp.Or(r.partition, "gpu"), r.array,
		gpus, at(r.started))
	for _, d := range strings.Fields(r.decisions) {
		f := strings.Split(d+":gpu", ":")
		seconds, err := strconv.Atoi(f[0])
		must(t, err)
		seq++
		dbtest.Exec(t, s.DB, `insert into fairbridge.decisions values ('c1', $1, $2, $3, $4, $5, 1, 1, '', 0, '')`,
			f[2], about, seq, at(seconds), f[1])
	}
	return seq
}

func TestStartsInWords(t *testing.T) {
	c := StartCounts{Wanted: 222, Against: 370, Unseen: 642}
	const want = "of 1234 starts in 7 days the last plan wanted 18 %, " +
		"30 % were of jobs that it wanted to wait, 52 % no plan saw"
	for mode, more := range map[bridge.Mode]string{
		bridge.ModeObserve: "; nothing is sent in mode observe", bridge.ModeRank: "", bridge.ModeShare: "",
	} {
		if got := c.Words(mode); got != want+more {
			t.Errorf("in mode %s: %q", mode, got)
		}
	}
}
