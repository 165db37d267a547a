package erasure

import (
	"slices"
	"strings"
	"testing"

	"fairbridge/accounting/dbtest"
)

// nameless are columns of texts that cannot hold a user's name or words, by their name, or by table and name.
var nameless = map[string]string{
	"cluster": "", "account": "an account", "partition": "", "qos": "", "gpu_type": "", "node": "", "uuid": "", "nodes": "nodes", "state": "Slurm's words or ours", "kind": "ours", "mode": "ours",
	"policy": "ours", "params": "the administrator's", "digest": "a hash", "plan_digest": "a hash", "own_digest": "a hash", "sluid": "an id", "field": "ours", "verb": "ours", "alloc": "nodes and GPUs",
	"array_task": "an address", "parent": "an account", "source": "ours", "holder": "a host and process", "candidate": "a policy", "release": "a version", "api": "a version", "cause": "ours", "measure": "ours",
	"verdict": "ours", "fidelity": "ours", "outcome": "ours", "sent_by": "ours", "took": "times", "stopped_by": "ours",
	"account_days.name": "an account", "account_sources.name": "an account", "job_runs.reason": "Slurm's words", "operator_actions.job": "an address", "coordinators.role": "a role of Postgres, which administrators make",
	"cycles.snapshot": "dropped", "cycles.memo": "dropped, but the last", "models.model": "dropped",
}

// Every column that can hold texts is either handled or known to hold no user's name, so that a new one cannot be forgotten;
// and every table with a column of users is.
func TestEveryColumnIsHandled(t *testing.T) {
	db := dbtest.NewDB(t)
	handled := map[string]bool{}
	for _, r := range renamed {
		handled[r.table+".user_name"], handled[r.table+"."+r.column] = true, true
	}
	for _, m := range mentions {
		handled[m.table+"."+m.column] = true
	}
	columns := dbtest.QueryTexts(t, db, `select c.table_name || '.' || c.column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
		where t.table_schema = 'fairbridge' and t.table_type = 'BASE TABLE' and (c.data_type in ('text', 'character varying', 'character', 'name', 'json', 'jsonb', 'bytea') or c.data_type = 'ARRAY' and c.udt_name in ('_text', '_varchar', '_name', '_jsonb'))`)
	if len(columns) < 100 {
		t.Fatalf("only %d columns: the search is broken", len(columns))
	}
	used := map[string]bool{}
	for _, c := range columns {
		table, column, _ := strings.Cut(c, ".")
		if slices.Contains(deleted, table) || handled[c] {
			used[c] = true
			continue
		}
		_, byName := nameless[column]
		_, byBoth := nameless[c]
		used[column], used[c] = true, true
		if !byName && !byBoth {
			t.Errorf("%s may hold a user's name: say in places.go what becomes of it, or here why it cannot", c)
		}
		if strings.Contains(column, "user") {
			t.Errorf("%s is not handled", c)
		}
	}
	for c := range handled {
		if !strings.HasSuffix(c, ".") && !used[c] {
			t.Errorf("there is no column %s", c)
		}
	}
	for c := range nameless {
		if !used[c] {
			t.Errorf("there is no column %s", c)
		}
	}
}
