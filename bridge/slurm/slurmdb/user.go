package slurmdb

import (
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
