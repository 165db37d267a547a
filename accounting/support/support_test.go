package support_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/support"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/gear/storetest"
)

// TestSupport reads a cycle, its decisions and its change back, and finds tables and names; of what was before the time nothing.
func TestSupport(t *testing.T) {
	d := dbtest.NewDB(t)
	dbtest.FillHistory(t, d, 100)
	store := &journal.Store{DB: d}
	epoch := storetest.BecomeLeader(t, store, "a", time.Hour)
	c := storetest.NewCycleOfWaitingJobs(1_000_001, epoch, 3)
	_, err := store.StoreIntents(t.Context(), c, []bridge.Intent{storetest.NewLeaseIntent(1_000_001, epoch)})
	dbtest.RequireNoError(t, err)
	read := func(since time.Time) (cycles, decisions, ledger string) {
		join := func(rows []string, err error) string {
			dbtest.RequireNoError(t, err)
			return strings.Join(rows, "\n")
		}
		texts := func(f func() ([]string, error)) string { return join(f()) }
		return texts(func() ([]string, error) { return strs(support.Cycles(t.Context(), d, storetest.ClusterName, since)) }),
			texts(func() ([]string, error) { return strs(support.Decisions(t.Context(), d, storetest.ClusterName, since)) }),
			texts(func() ([]string, error) { return strs(support.Ledger(t.Context(), d, storetest.ClusterName, since)) })
	}
	cycles, decisions, ledger := read(storetest.StartTime.AddDate(-1, 0, 0)) // the history made above is older
	if strings.Count(cycles, `"seq":1000001,`) != 1 || strings.Count(decisions, `"why":`) != 3 || !strings.Contains(ledger, `"changes":1`) {
		t.Errorf("cycles %s\ndecisions %s\nledger %s", cycles, decisions, ledger)
	}
	if cycles, decisions, ledger = read(time.Now().AddDate(50, 0, 0)); cycles+decisions+ledger != "" {
		t.Errorf("of the future there is %s %s %s", cycles, decisions, ledger)
	}
	sizes, err := support.TableSizes(t.Context(), d)
	if err != nil || !slices.ContainsFunc(sizes, func(s support.TableSize) bool { return s.Table == "job_runs" && s.Bytes > 0 }) {
		t.Errorf("%+v, %v", sizes, err)
	}
	for since, want := range map[time.Time]bool{time.Unix(0, 0): true, time.Now().AddDate(50, 0, 0): false} {
		names, err := support.Names(t.Context(), d, "c1", since)
		if err != nil || slices.ContainsFunc(names, func(n support.Name) bool { return n.Kind == "user" && n.Name == "u1" }) != want {
			t.Errorf("since %v: %d names %v, %v", since, len(names), names[:min(5, len(names))], err)
		}
	}
}

// TestReasonsAreNames returns what operators said, and not what a guard did.
func TestReasonsAreNames(t *testing.T) {
	d := dbtest.NewDB(t)
	for _, q := range []string{
		`insert into fairbridge.operator_actions (cluster, kind, partition, mode, job, change, author, origin, why, effect) values ('c1', 'stop', '', '', '', 0, 'root', 'munge', 'why stopped', '')`,
		`insert into fairbridge.operator_actions (cluster, kind, partition, mode, job, change, author, origin, why, effect, ended) values ('c1', 'stop', '', '', '', 0, 'root', 'munge', 'why long ago', '', '2001-01-01')`,
		`insert into fairbridge.demotions (cluster, partition, since, demoted_by, why, cleared, cleared_why) values ('c1', 'gpu', '2026-01-01', 'root', 'why demoted', '2026-02-01', 'why cleared')`,
		`insert into fairbridge.demotions (cluster, partition, since, demoted_by, why) values ('c1', 'gpu', '2026-01-01', '` + harm.GuardName + `', 'jobs waited')`,
	} {
		_, err := d.Exec(t.Context(), q)
		dbtest.RequireNoError(t, err)
	}
	names, err := support.Names(t.Context(), d, "c1", time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	dbtest.RequireNoError(t, err)
	want := []support.Name{{Kind: "text", Name: "why cleared"}, {Kind: "text", Name: "why demoted"}, {Kind: "text", Name: "why stopped"}}
	if !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// strs are rows as texts, without spaces.
func strs[T ~[]byte](rows []T, err error) (list []string, _ error) {
	for _, r := range rows {
		list = append(list, strings.ReplaceAll(string(r), " ", ""))
	}
	return list, err
}
