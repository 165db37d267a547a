package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

const sharesHelp = `Show what each account is entitled to by its shares, what part of the service it got
(older service counts less), what it holds and what it waits for, and say in words where
that leaves it. Below it the users that you may see.

`

func newSharesCommand(o *cli.Options, open opener) *cobra.Command {
	var accounts string
	c := &cobra.Command{
		Use:   "shares",
		Short: "What accounts are entitled to, got, hold and want",
		Long:  sharesHelp + source.Rule,
		Example: `  fairbridge shares
  fairbridge shares -A physics
  fairbridge shares --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
				a, err := s.Shares(ctx)
				if err != nil {
					return err
				}
				keepAccounts(a, splitList(accounts))
				if o.JSON {
					return output.WriteJSON(c.OutOrStdout(), a)
				}
				printShares(c.OutOrStdout(), a, whyNoCycle(source.ReadsRecord(s), DaemonStateOf(ctx, s, a.Stale)), time.Now())
				return nil
			})
		},
	}
	c.Flags().StringVarP(&accounts, "account", "A", "", "only these accounts")
	return c
}

// keepAccounts leaves out accounts that are not named; no name is all of them.
func keepAccounts(a *api.Shares, names []string) {
	if len(names) == 0 {
		return
	}
	a.Accounts = slices.DeleteFunc(a.Accounts, func(s api.AccountShare) bool { return !slices.Contains(names, s.Name) })
	a.Users = slices.DeleteFunc(a.Users, func(s api.UserShare) bool { return !slices.Contains(names, s.Account) })
}

func printShares(w io.Writer, a *api.Shares, whyOld string, now time.Time) {
	if len(a.Accounts) > 0 {
		list := NewShareList(a)
		list.print(w)
		printShareWords(w, a.Accounts)
		printable.Fprintf(w, "\n")
	}
	if len(a.Users) > 0 {
		t := output.NewTable(w, "USER", "ACCOUNT", "GOT", "HOLDS", "WAITING JOBS")
		for _, u := range a.Users {
			t.AddRow(printable.Truncate(u.Name, 20), printable.Truncate(u.Account, 20), u.UsedService, u.RunningGPUs, u.WaitingJobs)
		}
		t.Print()
		printable.Fprintf(w, "\n")
	}
	if len(a.Accounts)+len(a.Users) == 0 {
		printable.Fprintf(w, "No account is one that was asked for and that you may see.\n\n")
	}
	if a.Hidden > 0 {
		output.WriteParagraph(w, "", fmt.Sprintf("%d of others not shown: your site keeps what they used private.", a.Hidden))
	}
	output.WriteParagraph(w, "", asOfText(a.AsOf, a.Stale, whyOld, now))
}

// NewShareList lists accounts.
func NewShareList(a *api.Shares) List {
	l := List{Head: []string{"ACCOUNT", "PARENT", "SHARES", "ENTITLED", "GOT", "LAST 24H", "HOLDS", "WANTS"}}
	for _, s := range a.Accounts {
		cells := []any{printable.Truncate(s.Name, 20), printable.Truncate(s.Parent, 14), fmt.Sprintf("%g", s.Weight), shareText(s.Entitled)}
		l.add(s.Name, append(append(cells, useCells(s.AccountUse)...), jobCells(s.AccountJobs)...)...)
	}
	return l
}

// printShareWords says in words where that leaves each account: beside the figures they would be a column of
// a few letters on a terminal.
func printShareWords(w io.Writer, all []api.AccountShare) {
	isFirst := true
	for _, s := range all {
		if s.Words == "" {
			continue
		}
		if isFirst {
			printable.Fprintf(w, "\n")
		}
		isFirst = false
		output.WriteParagraph(w, printable.Truncate(s.Name, 20)+": ", s.Words)
	}
}

// useCells are what an account got, and in the last day; a dash where that is private.
func useCells(u *api.AccountUse) []any {
	if u == nil {
		return []any{"–", "–"}
	}
	return []any{shareText(u.UsedPart), u.RecentService}
}

// jobCells are what an account holds and wants; a dash where that is private.
func jobCells(j *api.AccountJobs) []any {
	if j == nil {
		return []any{"–", "–"}
	}
	return []any{j.RunningGPUs, fmt.Sprintf("%d in %s", j.WaitingGPUs, policy.FormatCount(j.WaitingJobs, "job"))}
}

func shareText(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// WriteShareDetails says in words where an account stands, and what its users got.
func WriteShareDetails(w io.Writer, a *api.Shares, account string) {
	for _, s := range a.Accounts {
		if s.Name == account {
			output.WriteParagraph(w, "", s.Words)
		}
	}
	t := output.NewTable(w, "USER", "GOT", "HOLDS", "WAITING JOBS")
	for _, u := range a.Users {
		if u.Account == account {
			t.AddRow(printable.Truncate(u.Name, 20), u.UsedService, u.RunningGPUs, u.WaitingJobs)
		}
	}
	if t.Length() > 0 {
		printable.Fprintf(w, "\n")
		t.Print()
	}
}
