package operate

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestTimesToCome(t *testing.T) {
	for text, want := range map[string]time.Time{
		"": {}, "36h": noon.Add(36 * time.Hour), "7d": noon.AddDate(0, 0, 7), "90m": noon.Add(90 * time.Minute), "2026-03-02T15:00": noon.Add(3 * time.Hour), "2026-03-03": noon.Add(12 * time.Hour),
	} {
		if got, err := parseUntil(text, noon); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "-3h", "0h", "0d", "-1d", "2026-03-02", "2020-01-01", "d", "99999999999d9"} {
		if got, err := parseUntil(text, noon); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestOnlyYesIsYes(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, " yes ": true, "": false, "n\n": false, "yep\n": false, "\n": false} {
		var asked bytes.Buffer
		if got := cli.ReadYes(t.Context(), strings.NewReader(answer), &asked, "the daemon at x"); got != want || asked.String() != "Do it (the daemon at x)? [y/N] " {
			t.Errorf("%q: %t after %q", answer, got, asked.String())
		}
	}
}

// fake does what it is asked for, in two steps.
type fake struct {
	asked     []api.ActionRequest
	err       error
	conflicts int // confirmations that come too late
}

func (f *fake) Act(_ context.Context, r api.ActionRequest) (*api.Action, error) {
	f.asked = append(f.asked, r)
	if f.err != nil {
		return nil, f.err
	}
	a := &api.Action{ActionRequest: r, Effect: "It stops.", By: "oper"}
	if r.Confirm == "" {
		a.Confirm = "token"
		return a, nil
	}
	if f.conflicts > 0 {
		f.conflicts--
		return nil, &api.Error{Code: api.CodeConflict, Message: "it would do something else by now"}
	}
	a.ID = 7
	return a, nil
}

func (f *fake) Actions(context.Context, int, string) (*api.Actions, error) {
	return &api.Actions{Actions: []api.Action{
		{ID: 3, By: "oper", Origin: "munge", At: noon, Stands: true, ActionRequest: api.ActionRequest{Kind: api.ActionMode, Partition: "gpu", Mode: "rank", Why: "\x1b[31mred"}},
		{ID: 2, By: "ann", Origin: "local", At: noon, Ended: noon, ActionRequest: api.ActionRequest{Kind: api.ActionResume, Job: "47_3"}},
		{ID: 1, By: "oper", Origin: "munge", At: noon, Ended: noon.Add(time.Hour), EndedBy: "ann", ActionRequest: api.ActionRequest{Kind: api.ActionUndo, Change: 815, Job: "47_3"}},
	}}, f.err
}

func (f *fake) Describe() string { return "a test" }
func (f *fake) Close()           {}

// runCommand runs the command over a fake, and returns what it printed.
func runCommand(t *testing.T, f *fake, args ...string) (string, error) {
	t.Helper()
	c := newCommand(&cli.Options{}, func(context.Context, *cli.Options) (source.Actor, error) { return f, nil })
	var out bytes.Buffer
	c.SetArgs(args)
	c.SetIn(strings.NewReader("y\n"))
	c.SetOut(&out)
	c.SetErr(&out)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// TestNothingIsDoneUnlessItIsMeant: without a terminal it must be said.
func TestNothingIsDoneUnlessItIsMeant(t *testing.T) {
	f := &fake{}
	out, err := runCommand(t, f, "stop", "--why", "so")
	if !cli.IsUsageError(err) || !strings.Contains(err.Error(), "--yes") || !strings.Contains(out, "It stops.") || len(f.asked) != 1 {
		t.Errorf("%s; %v; asked %v", out, err, f.asked)
	}
	f = &fake{}
	out, err = runCommand(t, f, "mode", "gpu", "rank", "--why", "so", "--until", "2h", "--yes")
	if err != nil || !strings.Contains(out, "Done, as action 7 of oper") || len(f.asked) != 2 || f.asked[1].Confirm != "token" || f.asked[0].Partition != "gpu" || f.asked[0].Mode != "rank" || f.asked[0].Until.IsZero() {
		t.Errorf("%s; %v; asked %+v", out, err, f.asked)
	}
	if out, err = runCommand(t, &fake{}, "undo", "815", "--why", "so", "--yes", "--json"); err != nil || !strings.HasPrefix(out, "{") || !strings.Contains(out, `"change": 815`) {
		t.Errorf("%s; %v", out, err)
	}
	for _, args := range [][]string{{"stop", "--yes"}, {"stop", "--yes", "--why", " "}, {"undo", "x", "--why", "so"}, {"release", "--why", "so"}, {"stop", "--why", "so", "--until", "soon"}} {
		f := &fake{}
		if out, err := runCommand(t, f, args...); !cli.IsUsageError(err) || len(f.asked) > 0 {
			t.Errorf("%v: %s; %v; asked %v", args, out, err, f.asked)
		}
	}
}

// TestToldAnewWhereSomethingCameBetween: what is told holds only while it is so; then it is told and asked again, but not forever.
func TestToldAnewWhereSomethingCameBetween(t *testing.T) {
	f := &fake{conflicts: 2}
	out, err := runCommand(t, f, "release", "7", "--why", "so", "--yes")
	if err != nil || strings.Count(out, "It stops.") != 3 || strings.Count(out, "no longer as told") != 2 || !strings.Contains(out, "Done, as action 7") || f.asked[2].Confirm != "" {
		t.Errorf("%s; %v; asked %+v", out, err, f.asked)
	}
	f = &fake{conflicts: 1000}
	if out, err = runCommand(t, f, "release", "7", "--why", "so", "--yes"); api.CodeOf(err) != api.CodeConflict || len(f.asked) != 2*maxTells {
		t.Errorf("%s; %v; asked %d times", out, err, len(f.asked))
	}
}

// TestSinceWhen: only a stop asked of the daemon does not wait for a cycle.
func TestSinceWhen(t *testing.T) {
	const atOnce, nextCycle = "the daemon that was asked sends nothing from now on", "the leading daemon goes by it from its next cycle on"
	for want, a := range map[string]api.Action{
		atOnce:          {Origin: "munge", ActionRequest: api.ActionRequest{Kind: api.ActionStop}},
		nextCycle:       {Origin: "local", ActionRequest: api.ActionRequest{Kind: api.ActionStop}},
		nextCycle + " ": {Origin: "munge", ActionRequest: api.ActionRequest{Kind: api.ActionMode}},
	} {
		if got := sinceWhenText(&a); !strings.HasPrefix(got, strings.TrimSpace(want)) {
			t.Errorf("%s by %s: %s", a.Kind, a.Origin, got)
		}
	}
}

// TestRefusals: what is not known is told by the exit status, what is refused is an error.
func TestRefusals(t *testing.T) {
	f := &fake{err: &api.Error{Code: api.CodeNotFound, Message: "job 9 is not in the queue", Try: "squeue"}}
	if out, err := runCommand(t, f, "release", "9", "--why", "so", "--yes"); !errors.Is(err, cli.ErrFinding) || !strings.Contains(out, "job 9 is not in the queue: squeue") {
		t.Errorf("%s; %v", out, err)
	}
	f.err = &api.Error{Code: api.CodeForbidden, Message: "only operators"}
	if _, err := runCommand(t, f, "release", "9", "--why", "so", "--yes"); err == nil || cli.IsUsageError(err) || !strings.Contains(err.Error(), "only operators") {
		t.Error(err)
	}
}

// TestList: one line each, with how it ended.
func TestList(t *testing.T) {
	out, err := runCommand(t, &fake{}, "list")
	for _, want := range []string{"mode gpu rank", "oper (munge)", "stands", "resume 47_3", "undo 815, job 47_3", "by ann"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s%v", want, out, err)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("a text of somebody's reaches the terminal: %q", out)
	}
	if out, err = runCommand(t, &fake{}, "list", "--standing"); err != nil || strings.Contains(out, "undo") || !strings.Contains(out, "mode gpu rank") {
		t.Errorf("%s; %v", out, err)
	}
}
