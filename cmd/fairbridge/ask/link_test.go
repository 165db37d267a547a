package ask

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// fakeLinker hands out one link, or an error.
type fakeLinker struct{ err error }

func (f *fakeLinker) NewLink(context.Context) (*api.Link, error) {
	return &api.Link{URL: "https://ctl/link/abc", Until: time.Now().Add(time.Minute)}, f.err
}
func (f *fakeLinker) Close() {}

// TestLink wants the address alone on standard output, so that a script can open it.
func TestLink(t *testing.T) {
	run := func(linkErr error, args ...string) (stdout, stderr string, err error) {
		c := newLinkCommand(&cli.Options{}, func(context.Context, *cli.Options) (source.Linker, error) { return &fakeLinker{linkErr}, nil })
		var out, errs bytes.Buffer
		c.SetOut(&out)
		c.SetErr(&errs)
		c.SetArgs(args)
		c.SilenceErrors, c.SilenceUsage = true, true
		err = c.ExecuteContext(t.Context())
		return out.String(), errs.String(), err
	}
	if out, errs, err := run(nil); err != nil || out != "https://ctl/link/abc\n" || !strings.Contains(errs, "Good once") {
		t.Errorf("%q, %q, %v", out, errs, err)
	}
	if out, _, err := run(&api.Error{Code: api.CodeUnavailable, Message: "browsers cannot reach fairbridge here (api.listen)"}); err == nil || out != "" || !strings.Contains(err.Error(), "api.listen") {
		t.Errorf("%q, %v", out, err)
	}
}
