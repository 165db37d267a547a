package behindcommand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

// fakeSource answers what shares there are, as a user.
type fakeSource struct {
	source.Source
	shares api.Shares
}

func (f *fakeSource) Me(context.Context) (*api.Viewer, error)     { return &api.Viewer{User: "ann"}, nil }
func (f *fakeSource) Shares(context.Context) (*api.Shares, error) { return &f.shares, nil }
func (f *fakeSource) Close()                                      {}

// run runs the command line and returns what it printed.
func (f *fakeSource) run(t *testing.T, line ...string) (out, errs string, err error) {
	t.Helper()
	o := &cli.Options{}
	root := &cobra.Command{Use: "fairbridge", SilenceUsage: true, SilenceErrors: true}
	o.AddFlagsTo(root)
	root.AddCommand(newCommand(o, func(context.Context, *cli.Options) (source.Source, error) { return f, nil }))
	var b, e bytes.Buffer
	root.SetOut(printable.NewWriter(&b))
	root.SetErr(printable.NewWriter(&e))
	root.SetArgs(append([]string{"behind"}, line...))
	err = root.ExecuteContext(t.Context())
	return strings.Join(strings.Fields(b.String()), " "), e.String(), err
}

// site has an account that used much, two that used less, of which one wants nothing, one that used more, and one whose
// use is private.
func site() *fakeSource {
	a := func(name, parent string, hours, held float64, waiting int) api.AccountShare {
		return api.AccountShare{Name: name, Parent: parent, Entitled: .25, AccountUse: &api.AccountUse{UsedPart: hours / 100, UsedService: policy.GPUSeconds(hours * 3600), HeldService: policy.GPUSeconds(held * 3600)}, AccountJobs: &api.AccountJobs{WaitingJobs: waiting}}
	}
	return &fakeSource{shares: api.Shares{
		AsOf: time.Now(), HalfLife: 7 * 24 * 3600,
		Accounts: []api.AccountShare{
			a("below", "physics", 5, 0, 3), a("chemistry", "", 20, 80, 1), a("idle", "", 0, 0, 0), a("law", "", 15, 0, 2), a("more", "", 35, 0, 2), a("physics", "", 30, 0, 5),
			{Name: "secret", Entitled: .25},
		},
		Users: []api.UserShare{{Name: "ann", Account: "idle"}, {Name: "ann", Account: "physics", UsedService: 10}, {Name: "bob", Account: "law", UsedService: 99}},
	}}
}

func TestBehindOne(t *testing.T) {
	out, _, err := site().run(t, "chemistry")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"physics used 30.0 GPU-hours, which is 30.0 % of all use, of a share of 25.0 %", "chemistry used 80.0 GPU-hours (charged 20.0), which is 20.0 %",
		"the jobs of physics go behind those of chemistry, and that stays so while both hold what they hold now", "half after each 7d", "As of the cycle of",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q: %s", want, out)
		}
	}
	if out, _, err = site().run(t, "physics", "-A", "law"); err != nil || !strings.Contains(out, "jobs of law go before those of physics") {
		t.Errorf("%s, %v", out, err)
	}
}

// Without an account: those ahead that want something, the furthest first.
func TestAllAhead(t *testing.T) {
	out, _, err := site().run(t, "--json")
	var a Answer
	if err == nil {
		err = json.Unmarshal([]byte(out), &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	if a.Account != "physics" || len(a.Comparisons) != 2 || a.Comparisons[0].Other != "law" || a.Comparisons[1].Other != "chemistry" || a.Comparisons[0].First != "law" {
		t.Errorf("%+v", a)
	}
	if out, _, err = site().run(t, "-A", "idle"); err != nil || !strings.Contains(out, "No account of which you may see what it used goes before idle") {
		t.Errorf("%s, %v", out, err)
	}
}

// What is not known, private, or no rival is told, and the status says so.
func TestNotToBeCompared(t *testing.T) {
	for line, want := range map[string]string{
		"secret": "what account secret used is private", "nowhere": "not known here, or not yours to see", "below": "are no rivals", "physics": "are no rivals", "law -A secret": "is private",
	} {
		out, errs, err := site().run(t, strings.Fields(line)...)
		if !errors.Is(err, cli.ErrFinding) || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %q, %q, %v", line, out, errs, err)
		}
	}
	f := site()
	f.shares.Users = nil
	if _, errs, err := f.run(t); !errors.Is(err, cli.ErrFinding) || !strings.Contains(errs, "-A ACCOUNT") {
		t.Errorf("%q, %v", errs, err)
	}
}
