package erasure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/erasure"
	"fairbridge/sql"
)

// names are users: one with a name that JSON and regular expressions write otherwise, one of which another's is the beginning.
var names = []string{"ann", `LAB\ann.b+c`}

const cluster = "c1"

// fill puts a row of a user into every table, with the name and longer names in every text that may have it.
func fill(t *testing.T, db *accounting.DB, name string) {
	t.Helper()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	said := fmt.Sprintf("for %s, not %sabel or x.%s", name, name, name)
	column := func(table string) []string {
		return dbtest.QueryTexts(t, db, "select column_name || ' ' || data_type || ' ' || udt_name || ' ' || is_identity from information_schema.columns where table_schema = 'fairbridge' and table_name = $1 order by ordinal_position", table)
	}
	for _, table := range dbtest.QueryTexts(t, db, "select table_name from information_schema.tables where table_schema = 'fairbridge' and table_type = 'BASE TABLE' and table_name not like 'gpu_readings%' and table_name not in ('schema_version', 'leader', 'coordinators', 'erasures', 'report_marks') order by table_name <> 'idle_messages', table_name") {
		var into, values []string
		for _, c := range column(table) {
			f := strings.Fields(c)
			value := valueOf(table, f[0], c, said, name, at)
			if strings.HasSuffix(c, " YES") {
				continue
			}
			into, values = append(into, f[0]), append(values, value)
		}
		if _, err := db.Exec(t.Context(), fmt.Sprintf("insert into fairbridge.%s (%s) values (%s) on conflict do nothing", table, strings.Join(into, ", "), strings.Join(values, ", "))); err != nil {
			t.Fatalf("table %s: %v", table, err)
		}
	}
}

// given are values that a column must have.
var given = map[string]string{
	"idle_messages.state": "'sent'", "idle_reminders.outcome": "'busy'", "idle_reminders.message": "(select max(id) from fairbridge.idle_messages)", "job_runs.closed": "true", "intents.state": "'OBSERVED'", "account_sources.source": "'config'", "account_days.name": "'x'", "account_sources.name": "'x'", "cycles.took": "'{}'", "imports.through": "'2026-06-02'", "operator_actions.kind": "'stop'", "run_segments.stopped": "'2026-06-01T14:00:00Z'",
	"cycles.snapshot": "null", "cycles.memo": "null", "demotions.cleared": "now()", "models.model": "'\\x00'", "account_users.weight": "1", "studies.fidelity": "'slurm'",
}

func valueOf(table, column, described, said, name string, at time.Time) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	if v, ok := given[table+"."+column]; ok {
		return v
	}
	switch {
	case column == "cluster":
		return quote(cluster)
	case column == "user_name":
		return quote(name)
	case column == "account":
		return "'vision'"
	case strings.Contains(described, " ARRAY _text") && (column == "reasons" || column == "remarks"):
		return "array[" + quote(said) + ", 'x']"
	case strings.Contains(described, " ARRAY"):
		return "'{}'"
	case strings.Contains(described, " json"):
		q := strings.ReplaceAll(said, `\`, `\\`)
		return quote(`{"` + q + `": ["` + q + `", 1]}`)
	case strings.Contains(described, " text"):
		for _, c := range []string{"why", "text", "error", "effect", "author", "ended_by", "origin", "demoted_by", "cleared_by", "cleared_why", "reasons", "remarks", "name", "about", "accuracy"} {
			if c == column {
				return quote(said)
			}
		}
		return "'x'"
	case strings.Contains(described, " timestamp"):
		return quote(at.Format(time.RFC3339))
	case strings.Contains(described, " date"):
		return "'2026-06-01'"
	case strings.Contains(described, " boolean"):
		return "true"
	case strings.Contains(described, " interval"):
		return "'1 hour'"
	case strings.Contains(described, " bytea"):
		return "'\\x00'"
	}
	return "1"
}

// everything is all rows as one text.
func everything(t *testing.T, db *accounting.DB) string {
	t.Helper()
	var all strings.Builder
	for _, table := range dbtest.QueryTexts(t, db, "select table_name from information_schema.tables where table_schema = 'fairbridge' and table_type = 'BASE TABLE' and table_name not in ('report_marks') order by 1") {
		fmt.Fprintf(&all, "%s\n%s\n", table, dbtest.DumpTable(t, db, table))
	}
	return all.String()
}

// After an erasure the name stands nowhere as a word, other users' rows and longer names are as they were, and sums per account
// too. A dry run counts the same and changes nothing.
func TestErase(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			db := dbtest.NewDB(t)
			fill(t, db, name)
			s := &erasure.Store{DB: db}
			now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
			perAccount := func() []string {
				return dbtest.QueryTexts(t, db, "select account || ' ' || sum(gpu_s) from fairbridge.usage_days group by account union all select account || ' ' || sum(gpus) from fairbridge.run_segments group by account order by 1")
			}
			usage := func() (n int) {
				return dbtest.CountRows(t, db, sql.QueryText("usage"), cluster, now, 86400.0, now.Add(-9000*time.Hour), now.Add(-9000*time.Hour), now, true)
			}
			dbtest.Exec(t, db, "delete from fairbridge.report_marks")
			before, sums, used := everything(t, db), perAccount(), usage()
			dry, err := s.Erase(t.Context(), cluster, name, "root", now, true)
			dbtest.RequireNoError(t, err)
			if diff := cmp.Diff(before, everything(t, db)); diff != "" {
				t.Fatalf("a dry run changed: %s", diff)
			}
			done, err := s.Erase(t.Context(), cluster, name, name, now, false)
			dbtest.RequireNoError(t, err)
			if diff := cmp.Diff(dry.Counts, done.Counts); diff != "" && len(done.Counts) != len(dry.Counts)+1 { // the operator erased themselves
				t.Errorf("a dry run counts otherwise: %s", diff)
			}
			after := everything(t, db)
			quoted := strings.ReplaceAll(name, `\`, `\\`)
			for _, ends := range []string{`"`, " ", ",", `\"`} {
				for _, begins := range []string{`"`, " ", `\"`} {
					for _, x := range []string{quoted, strings.ReplaceAll(quoted, `\`, `\\`)} {
						if i := strings.Index(after, begins+x+ends); i >= 0 {
							t.Errorf("the name is there: %s", after[max(0, i-200):min(len(after), i+100)])
						}
					}
				}
			}
			if n := strings.Count(after, "abel"); n == 0 || n > strings.Count(before, "abel") {
				t.Errorf("%d longer names", n)
			}
			if diff := cmp.Diff(sums, perAccount()); diff != "" || usage() != used {
				t.Errorf("sums per account: %s", diff)
			}
			if n := dbtest.CountRows(t, db, "select from fairbridge.report_marks"); n != 0 {
				t.Errorf("%d days are to be summed up anew, from runs of which some may be forgotten", n)
			}
			if n := dbtest.CountRows(t, db, "select from fairbridge.erasures where done_by = $1 and changed > 20", done.Pseudonym); n != 1 {
				t.Error(dbtest.DumpTable(t, db, "erasures"))
			}
			if _, err := s.Erase(t.Context(), cluster, name, "root", now, false); !errors.Is(err, erasure.ErrUnknown) {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// Who has jobs, or had some of late, is not erased, and nothing of another user or cluster is touched.
func TestEraseRefuses(t *testing.T) {
	db := dbtest.NewDB(t)
	fill(t, db, "ann")
	s := &erasure.Store{DB: db}
	now := time.Date(2026, 6, 3, 11, 0, 0, 0, time.UTC)
	before := everything(t, db)
	for name, c := range map[string]struct {
		user, cluster string
		change        string
		want          error
	}{
		"unknown":         {"bob", cluster, "select", erasure.ErrUnknown},
		"another cluster": {"ann", "c2", "select", erasure.ErrUnknown},
		"of late":         {"ann", cluster, "select", erasure.ErrRecent},
		"running":         {"ann", cluster, "update fairbridge.job_runs set closed = false", erasure.ErrActive},
		"not settled":     {"ann", cluster, "update fairbridge.intents set closed = null", erasure.ErrActive},
	} {
		_, err := db.Exec(t.Context(), c.change)
		dbtest.RequireNoError(t, err)
		if _, err := s.Erase(t.Context(), c.cluster, c.user, "root", now, false); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		dbtest.Exec(t, db, "update fairbridge.job_runs set closed = true")
		dbtest.Exec(t, db, "update fairbridge.intents set closed = '2026-06-01T12:00:00Z'")
	}
	if diff := cmp.Diff(before, everything(t, db)); diff != "" {
		t.Errorf("what was refused changed: %s", diff)
	}
}

// What a policy remembers is by its keys, which may be accounts of the user's name: the last is left, others are dropped. Numbers that are no
// texts stay numbers, and an address of the user's goes.
func TestEraseKeepsWhatDecides(t *testing.T) {
	db := dbtest.NewDB(t)
	fill(t, db, "1234567")
	for seq, memo := range []string{`{"credits": {"1234567": 3}}`, `{"credits": {"1234567": 4}}`} {
		if _, err := db.Exec(t.Context(), `insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, plan_digest, memo, decisions, refused, pushed, took)
			select cluster, 'gpu', $1, epoch, at, mode, 'p', '{}', digest, plan_digest, $2, 0, '[{"job": 1234567, "why": "as 1234567 said"}]', 0, took from fairbridge.cycles limit 1`, seq+2, memo); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Exec(t, db, "update fairbridge.doubts set why = 'job 1234567 of 1234567@example.org is gone'")
	s := &erasure.Store{DB: db}
	done, err := s.Erase(t.Context(), cluster, "1234567", "root", time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC), false)
	dbtest.RequireNoError(t, err)
	got := dbtest.QueryTexts(t, db, "select seq || ' ' || coalesce(memo::text, 'none') from fairbridge.cycles where partition = 'gpu' order by seq")
	if diff := cmp.Diff([]string{"2 none", `3 {"credits": {"1234567": 4}}`}, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range dbtest.QueryTexts(t, db, "select refused::text from fairbridge.cycles where partition = 'gpu'") {
		if !strings.Contains(text, `"job": 1234567`) {
			t.Errorf("a job is another: %s", text)
		}
	}
	if said := dbtest.QueryTexts(t, db, "select distinct why from fairbridge.doubts"); len(said) != 1 || said[0] != "job 1234567 of "+done.Pseudonym+"@example.org is gone" {
		t.Errorf("%q", said)
	}
}
