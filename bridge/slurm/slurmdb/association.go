package slurmdb

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"slices"

	"fairbridge/bridge/slurm"
)

// Share is one association: what an account, or a user within it, is entitled
// to beside its siblings.
type Share struct {
	Account string
	Parent  string // of an account: the account above it; "" for root, and for users
	User    string // "": the account itself
	Shares  int64  // relative to its siblings
	Inherit bool   // the user has no share of its own: it uses the account's (fairshare=parent)
	QOS     []string
}

// parentShares is how Slurm writes fairshare=parent.
const parentShares = 0x7fffffff

type association struct {
	Account   string   `json:"account"`
	Cluster   string   `json:"cluster"`
	Parent    string   `json:"parent_account"`
	Partition string   `json:"partition"`
	User      string   `json:"user"`
	Shares    int64    `json:"shares_raw"`
	QOS       []string `json:"qos"`
}

// Shares returns the cluster's tree of accounts and their users, sorted by
// account, then user, the account itself first. Associations with a single
// partition are left out: they do not change what an account is entitled to.
func (r *Reader) Shares(ctx context.Context) ([]Share, error) {
	var list []Share
	query := url.Values{"cluster": {r.cluster}}
	err := r.get(ctx, "associations?"+query.Encode(), func(in io.Reader) (slurm.ReplyMeta, error) {
		got, meta, err := readReply(in, "associations")
		if err != nil || len(meta.Errors) > 0 {
			return meta, err
		}
		list = r.sharesOf(*got.Associations)
		return meta, nil
	})
	return list, err
}

func (r *Reader) sharesOf(all []association) []Share {
	var list []Share
	for _, a := range all {
		if a.Cluster != "" && a.Cluster != r.cluster || a.Partition != "" || a.Account == "" {
			continue
		}
		s := Share{Account: a.Account, User: a.User, Shares: max(a.Shares, 0), QOS: a.QOS}
		if a.User == "" {
			s.Parent = a.Parent
		}
		if a.Shares == parentShares {
			s.Inherit, s.Shares = true, 0
		}
		slices.Sort(s.QOS)
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Share) int { return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.User, b.User)) })
	return list
}
