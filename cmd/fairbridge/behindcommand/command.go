// Package behindcommand is the command behind: why the jobs of an account go behind, or before, those of others.
package behindcommand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/api/sharecompare"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

const behindHelp = `Say in words and numbers why the jobs of your account go behind those of another account
where shares decide, or before them: what both used, what was charged for it, of what
shares, and about until when that stays so, if both go on holding what they hold now.

Without ACCOUNT: the accounts ahead of yours of which you may see what they used, the
furthest first. Your account is that of -A, else the one in which you used most. An
account counts with all accounts below it; the older use is, the less it counts.

Policies that go by shares may weigh them together with other things, as age and size:
what was decided about a job, and why, is said by "fairbridge explain".

Exit status 3 when there is no such account, or you may not see what it used.

`

// opener opens where answers come from.
type opener func(ctx context.Context, o *cli.Options) (source.Source, error)

// Answer is what is printed as JSON.
type Answer struct {
	Account     string                    `json:"account"`
	AsOf        time.Time                 `json:"as_of,omitzero"`
	Stale       bool                      `json:"stale"`
	HalfLife    float64                   `json:"half_life"` // seconds
	Comparisons []sharecompare.Comparison `json:"comparisons"`
}

// NewCommand makes the command behind.
func NewCommand(o *cli.Options) *cobra.Command { return newCommand(o, source.Open) }

func newCommand(o *cli.Options, open opener) *cobra.Command {
	var account string
	c := &cobra.Command{
		Use:   "behind [ACCOUNT]",
		Short: "Why your account's jobs go behind, or before, those of others",
		Long:  behindHelp + source.Rule,
		Example: `  fairbridge behind
  fairbridge behind chemistry
  fairbridge behind chemistry -A physics --json`,
		Args: cli.CheckArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			other := ""
			if len(args) > 0 {
				other = args[0]
			}
			return answer(c, o, open, account, other)
		},
	}
	c.Flags().StringVarP(&account, "account", "A", "", "your account, where you have several")
	return o.AddURLFlag(o.AddJSONFlag(c))
}

// answer asks for the shares and prints what they say of the accounts.
func answer(c *cobra.Command, o *cli.Options, open opener, account, other string) error {
	s, err := open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	var shares *api.Shares
	var me *api.Viewer
	err = source.AskInTurn(c.Context(), func() (err error) {
		if me, err = s.Me(c.Context()); err == nil {
			shares, err = s.Shares(c.Context())
		}
		return err
	})
	if err != nil {
		return source.NewCommandError(s, err)
	}
	a, err := newAnswer(shares, me.User, account, other)
	if err != nil {
		printable.Fprintf(c.ErrOrStderr(), "%v\n", err)
		return cli.ErrFinding
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), a)
	}
	printAnswer(c.OutOrStdout(), a, time.Now())
	return nil
}

func printAnswer(w io.Writer, a *Answer, now time.Time) {
	for _, x := range a.Comparisons {
		output.WriteParagraph(w, "", x.Words)
		printable.Fprintf(w, "\n")
	}
	if len(a.Comparisons) == 0 {
		output.WriteParagraph(w, "", fmt.Sprintf("No account of which you may see what it used goes before %s, where shares decide.", a.Account))
		printable.Fprintf(w, "\n")
	}
	text := sharecompare.HalfLifeWords(time.Duration(a.HalfLife * float64(time.Second)))
	text += fmt.Sprintf(" As of the cycle of %s.", output.FormatTime(a.AsOf, now))
	if a.Stale {
		text += " There is no newer one: \"fairbridge shares\" says why."
	}
	output.WriteParagraph(w, "", text)
}

// mostComparisons is how many accounts ahead are told of.
const mostComparisons = 5

// newAnswer compares the account with the other one, or with those ahead of it. account is "" for that in which
// the user used most. Errors say what is not known, or not for who asks.
func newAnswer(s *api.Shares, user, account, other string) (*Answer, error) {
	if account = cmp.Or(account, accountOf(s, user)); account == "" {
		return nil, errors.New("it is not known which account is yours: nothing of you is on record yet; name it by -A ACCOUNT (\"fairbridge shares\" lists those that you may see)")
	}
	own, err := findAccount(s, account)
	if err != nil {
		return nil, err
	}
	halfLife := time.Duration(s.HalfLife * float64(time.Second))
	out := &Answer{Account: own.Name, AsOf: s.AsOf, Stale: s.Stale, HalfLife: s.HalfLife, Comparisons: []sharecompare.Comparison{}}
	if other == "" {
		for _, x := range accountsAhead(s, own) {
			out.Comparisons = append(out.Comparisons, sharecompare.Compare(own, x, halfLife))
		}
		return out, nil
	}
	beside, err := findAccount(s, other)
	switch {
	case err != nil:
		return nil, err
	case areRelated(s, own.Name, beside.Name):
		return nil, fmt.Errorf("%s and %s are no rivals: one is the other, or part of it, and has its share of what that has", printable.Truncate(own.Name, 40), printable.Truncate(beside.Name, 40))
	}
	out.Comparisons = append(out.Comparisons, sharecompare.Compare(own, beside, halfLife))
	return out, nil
}

// accountOf returns the account in which the user used most; "": none is known.
func accountOf(s *api.Shares, user string) string {
	var most *api.UserShare
	for i := range s.Users {
		if u := &s.Users[i]; u.Name == user && (most == nil || u.UsedService > most.UsedService) {
			most = u
		}
	}
	if most == nil {
		return ""
	}
	return most.Account
}

// findAccount returns an account whose use may be seen.
func findAccount(s *api.Shares, name string) (*api.AccountShare, error) {
	i := slices.IndexFunc(s.Accounts, func(a api.AccountShare) bool { return a.Name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("account %s is not known here, or not yours to see: \"fairbridge shares\" lists those that you may see", printable.Truncate(name, 40))
	case s.Accounts[i].AccountUse == nil:
		return nil, fmt.Errorf("what account %s used is private here", printable.Truncate(name, 40))
	}
	return &s.Accounts[i], nil
}

// accountsAhead returns accounts whose jobs would go before those of the account's where shares decide, the furthest
// first: those that have jobs waiting, or of which that is private.
func accountsAhead(s *api.Shares, own *api.AccountShare) (ahead []*api.AccountShare) {
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.AccountUse == nil || a.AccountJobs != nil && a.WaitingJobs == 0 || areRelated(s, own.Name, a.Name) ||
			sharecompare.Compare(own, a, 0).First != a.Name {
			continue
		}
		ahead = append(ahead, a)
	}
	slices.SortStableFunc(ahead, func(x, y *api.AccountShare) int {
		return cmp.Compare(sharecompare.UseOverShare(x), sharecompare.UseOverShare(y))
	})
	return ahead[:min(len(ahead), mostComparisons)]
}

// areRelated reports whether one of two accounts is the other or below it.
func areRelated(s *api.Shares, a, b string) bool {
	return sharecompare.IsBelow(s.Accounts, a, b) || sharecompare.IsBelow(s.Accounts, b, a)
}
