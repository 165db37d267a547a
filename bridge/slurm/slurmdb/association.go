package slurmdb

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"slices"

	"fairbridge/bridge/slurm"
)

// Association is one association: what an account, or a user within it, is entitled
// to beside its siblings.
type Association struct {
	Account        string
	ParentAccount  string // of an account: the account above it; "" for root, and for users
	User           string // "": the account itself
	Shares         int64  // relative to its siblings
	InheritsShares bool   // the user has no share of its own: it uses the account's (fairshare=parent)
	QOS            []string
}

// fairshareParent is how Slurm writes fairshare=parent.
const fairshareParent = 0x7fffffff

// associationRecord is an association as slurmrestd writes it.
type associationRecord struct {
	Account       string   `json:"account"`
	Cluster       string   `json:"cluster"`
	ParentAccount string   `json:"parent_account"`
	Partition     string   `json:"partition"`
	User          string   `json:"user"`
	RawShares     int64    `json:"shares_raw"`
	QOS           []string `json:"qos"`
}

// Associations returns the cluster's tree of accounts and their users, sorted by
// account, then user, the account itself first. Associations with a single
// partition are left out: they do not change what an account is entitled to. bad names the
// records that make no sense.
func (r *Reader) Associations(ctx context.Context) (list []Association, bad []error, err error) {
	query := url.Values{"cluster": {r.cluster}}
	err = r.get(ctx, "associations?"+query.Encode(), func(in io.Reader) (slurm.ReplyMeta, error) {
		got, meta, err := readReply(in, "associations")
		if err == nil && len(meta.Errors) == 0 {
			list, bad = r.associationsFromRecords(got.Associations.records), got.Associations.bad
		}
		return meta, err
	})
	return list, bad, err
}

func (r *Reader) associationsFromRecords(all []associationRecord) []Association {
	var list []Association
	for _, a := range all {
		if a.Cluster != "" && a.Cluster != r.cluster || a.Partition != "" || a.Account == "" {
			continue
		}
		s := Association{Account: a.Account, User: a.User, Shares: max(a.RawShares, 0), QOS: a.QOS}
		if a.User == "" {
			s.ParentAccount = a.ParentAccount
		}
		if a.RawShares == fairshareParent {
			s.InheritsShares, s.Shares = true, 0
		}
		slices.Sort(s.QOS)
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Association) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.User, b.User))
	})
	return list
}
