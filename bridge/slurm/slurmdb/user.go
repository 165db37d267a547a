// Package slurmdb reads what slurmdbd, Slurm's accounting database, holds: the
// rows of its job table, its tree of associations, and what its users may do. All come through
// slurmrestd; rows come from the text of sacct too, where there is no REST.
//
// slurmdbd is the authority on the past. Its rows are taken as they are; what
// they mean is the business of accounting/runs.
package slurmdb

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// User is what somebody may do in Slurm by slurmdbd's own rights, on every cluster of it.
type User struct {
	Name       string
	IsOperator bool // administrator level Operator or Administrator
	// CoordinatedAccounts are the accounts whose coordinator the user is, with all below them, sorted.
	CoordinatedAccounts []string
}

// userRecord is a user as slurmrestd writes it.
type userRecord struct {
	Name               string   `json:"name"`
	AdministratorLevel wordList `json:"administrator_level"`
	Flags              wordList `json:"flags"`
	Coordinators       []struct {
		Name string `json:"name"`
	} `json:"coordinators"` // of accounts below, too: Slurm adds those itself
}

// Users returns every user that slurmdbd knows, sorted by name. A token that is no operator's
// sees itself only where PrivateData of slurmdbd.conf has users. bad names the records that make
// no sense, which give no rights.
func (r *Reader) Users(ctx context.Context) (list []User, bad []error, err error) {
	path := "users/"
	if r.client.API().Version >= 40 { // older ones tell coordinators always, and refuse to be asked
		path += "?" + url.Values{"with_coords": {"true"}}.Encode()
	}
	err = r.get(ctx, path, func(in io.Reader) (slurm.ReplyMeta, error) {
		got, meta, err := readReply(in, "users")
		if err == nil && len(meta.Errors) == 0 {
			list, bad = usersFromRecords(got.Users.records), got.Users.bad
		}
		return meta, err
	})
	return list, bad, err
}

func usersFromRecords(all []userRecord) []User {
	var list []User
	for i := range all {
		if u := &all[i]; u.Name != "" && !u.Flags.has("DELETED") {
			list = append(list, u.toUser())
		}
	}
	slices.SortFunc(list, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (u *userRecord) toUser() User {
	out := User{Name: u.Name, IsOperator: u.AdministratorLevel.has("Operator") || u.AdministratorLevel.has("Administrator")}
	for _, c := range u.Coordinators {
		if c.Name != "" {
			out.CoordinatedAccounts = append(out.CoordinatedAccounts, c.Name)
		}
	}
	slices.Sort(out.CoordinatedAccounts)
	out.CoordinatedAccounts = slices.Compact(out.CoordinatedAccounts)
	return out
}

// has reports whether a word is in the list, in any case.
func (w wordList) has(word string) bool {
	return slices.ContainsFunc(w, func(s string) bool { return strings.EqualFold(s, word) })
}

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
