package runs

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
	"fairbridge/sql"
)

var qAccountsPut, qAccountUsersPut = sql.QueryText("accounts_put"), sql.QueryText("account_users_put")

// Who says what accounts are entitled to.
const (
	sourceConfig   = "config"
	sourceSlurmdbd = "slurmdbd"
)

// SetConfiguredAccounts makes the entitlements that the configuration gives exactly the
// given ones (Name, Parent, Weight). They override slurmdbd's, account by
// account; an account without Parent keeps its place in slurmdbd's tree.
func (s *Store) SetConfiguredAccounts(ctx context.Context, cluster string, list []policy.Account) error {
	return s.DB.RunTx(ctx, "storing entitlements", func(tx pgx.Tx) error { return putAccounts(ctx, tx, cluster, sourceConfig, list) })
}

func putAccounts(ctx context.Context, tx pgx.Tx, cluster, source string, list []policy.Account) error {
	names, parents, weights := []string{}, []string{}, []float64{}
	for _, a := range list {
		names, parents, weights = append(names, value.ValidText(a.Name)), append(parents, value.ValidText(a.Parent)), append(weights, a.Weight)
	}
	_, err := tx.Exec(ctx, qAccountsPut, cluster, source, names, parents, weights)
	return err
}

// SetSlurmShares makes the tree of accounts as slurmdbd has it exactly the given
// one.
func (s *Store) SetSlurmShares(ctx context.Context, cluster string, list []slurmdb.Association) error {
	accounts, names, of, weights, qos := newAccountTree(list), []string{}, []string{}, []*float64{}, []string{}
	for _, s := range list {
		if s.User == "" {
			continue
		}
		names, of, qos = append(names, value.ValidText(s.User)), append(of, value.ValidText(s.Account)), append(qos, value.ValidText(strings.Join(s.QOS, ",")))
		if weights = append(weights, nil); !s.InheritsShares {
			w := max(float64(s.Shares), weightWithoutShares)
			weights[len(weights)-1] = &w
		}
	}
	return s.DB.RunTx(ctx, "storing slurmdbd's shares", func(tx pgx.Tx) error {
		if err := putAccounts(ctx, tx, cluster, sourceSlurmdbd, accounts); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qAccountUsersPut, cluster, of, names, weights, qos)
		return err
	})
}

// weightWithoutShares is the weight of an account that slurmdbd gives no shares. A
// weight of 0 would mean that nothing is said.
const weightWithoutShares = 1e-6

// newAccountTree returns the accounts without root, whose children stand on top. An
// account that uses its parent's share (fairshare=parent) is as its parent's
// equal: its place is taken by what stands above.
func newAccountTree(list []slurmdb.Association) []policy.Account {
	above, inherits := map[string]string{}, map[string]bool{}
	for _, s := range list {
		if s.User == "" {
			above[s.Account], inherits[s.Account] = s.ParentAccount, s.InheritsShares
		}
	}
	parent := func(name string) string {
		p := above[name]
		for range above { // at most so deep, even if it were a circle
			if !inherits[p] {
				break
			}
			p = above[p]
		}
		if p == "root" {
			return ""
		}
		return p
	}
	var out []policy.Account
	for _, s := range list {
		if s.User != "" || s.Account == "root" {
			continue
		}
		a := policy.Account{Name: s.Account, Parent: parent(s.Account), Weight: max(float64(s.Shares), weightWithoutShares)}
		if s.InheritsShares {
			a.Weight = 1
		}
		out = append(out, a)
	}
	return out
}
