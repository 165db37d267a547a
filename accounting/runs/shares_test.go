package runs

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
)

func TestSharesOfSlurmdbd(t *testing.T) {
	d := fresh(t)
	tree := []slurmdb.Association{
		{Account: "bio", ParentAccount: "science", Shares: 3}, {Account: "chem", ParentAccount: "lab", Shares: 0}, {Account: "lab", ParentAccount: "science", InheritsShares: true},
		{Account: "root"}, {Account: "root", User: "root", Shares: 1}, {Account: "science", ParentAccount: "root", Shares: 10, QOS: []string{"high", "normal"}},
		{Account: "science", User: "ann", Shares: 4, QOS: []string{"normal"}}, {Account: "science", User: "bob", InheritsShares: true}, {Account: "science", User: "eve", Shares: 1},
	}
	must(t, d.SetSlurmShares(t.Context(), testCluster, tree))
	accounts := func() []policy.Account {
		t.Helper()
		p, err := d.Past(t.Context(), testCluster, t0)
		must(t, err)
		return p.Accounts
	}
	want := []policy.Account{
		{Name: "bio", Parent: "science", Weight: 3}, {Name: "chem", Parent: "science", Weight: weightWithoutShares}, {Name: "lab", Parent: "science", Weight: 1},
		{Name: "science", Weight: 10},
	}
	if diff := cmp.Diff(want, accounts()); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	if n := dbtest.CountRows(t, d.DB, "select from fairbridge.account_users where qos = '{normal}' and weight = 4 or weight is null and user_name = 'bob'"); n != 2 {
		t.Errorf("%d of ann and bob stand right", n)
	}
	p, err := d.Past(t.Context(), testCluster, t0)
	must(t, err)
	if diff := cmp.Diff([]policy.User{{Name: "ann", Account: "science", Weight: 4}}, p.Users); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
	// The configuration overrides, account by account.
	must(t, d.SetConfiguredAccounts(t.Context(), testCluster, []policy.Account{{Name: "bio", Weight: 7}, {Name: "guests", Weight: 2}}))
	want[0].Weight = 7
	want = slices.Insert(want, 2, policy.Account{Name: "guests", Weight: 2})
	if diff := cmp.Diff(want, accounts()); diff != "" {
		t.Errorf("with the configuration's (-want +got):\n%s", diff)
	}
	// Each source takes back only its own.
	must(t, d.SetSlurmShares(t.Context(), testCluster, nil))
	if diff := cmp.Diff([]policy.Account{{Name: "bio", Weight: 7}, {Name: "guests", Weight: 2}}, accounts()); diff != "" {
		t.Errorf("without slurmdbd's (-want +got):\n%s", diff)
	}
	must(t, d.SetConfiguredAccounts(t.Context(), testCluster, nil))
	if list := accounts(); len(list) != 0 || dbtest.CountRows(t, d.DB, "select from fairbridge.account_users") != 0 {
		t.Errorf("%v is left", list)
	}
}
