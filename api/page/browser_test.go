package page_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"fairbridge/api"
	"fairbridge/api/page"
	"fairbridge/api/page/recording"
)

//go:embed testdata/checks.js
var checks string

// widths are of a phone, a small and a large screen, in CSS pixels.
var widths = []int64{390, 1280, 1920}

// findChromium returns the browser; where there is none the test is skipped, or fails where the environment says
// that there must be one.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("FAIRBRIDGE_REQUIRE_CHROMIUM") != "" {
		t.Fatal("there is no chromium, and FAIRBRIDGE_REQUIRE_CHROMIUM is set: apt-get install chromium")
	}
	t.Skip("there is no chromium (apt-get install chromium): pages are not looked at in a browser")
	return ""
}

// browser is a tab, and what it complained of.
type browser struct {
	context.Context
	mu         sync.Mutex
	complaints []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(findChromium(t)), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &browser{Context: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.complaints = append(b.complaints, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			b.complaints = append(b.complaints, "console: "+string(e.Type))
		case *cdplog.EventEntryAdded:
			b.complaints = append(b.complaints, e.Entry.Text)
		}
	})
	if err := chromedp.Run(b, cdplog.Enable()); err != nil {
		t.Fatalf("starting chromium: %v", err)
	}
	return b
}

// takeComplaints returns what the browser complained of since.
func (b *browser) takeComplaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.complaints
	b.complaints = nil
	return list
}

// TestInChromium opens and filters every view at every width, light and dark: nothing overflows or overlaps, the
// console stays empty, and what people need to read a page is there.
func TestInChromium(t *testing.T) {
	b := newBrowser(t)
	rec := readDemo(t)
	if os.Getenv("FAIRBRIDGE_SCREENSHOTS") == "" { // pictures show what was recorded
		rec.QueueAnswer.Jobs[len(rec.QueueAnswer.Jobs)-1].Name = strings.Repeat("long", 60)
		rec.StudiesAnswer = newStudies(" and " + strings.Repeat("long", 60)) // the recording has one without dates
	}
	s := httptest.NewServer(newHandlerAt(rec, rec.At))
	defer s.Close()
	all := append([]string{"jobs/" + url.PathEscape(rec.QueueAnswer.Jobs[0].Address)}, views...)
	for _, width := range widths {
		for _, scheme := range []string{"light", "dark"} {
			for _, path := range all {
				what := fmt.Sprintf("%s at %d px, %s", path, width, scheme)
				address, _, _ := strings.Cut(path, "?")
				var wrong []string
				err := chromedp.Run(b, chromedp.EmulateViewport(width, 800),
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
					chromedp.Navigate(s.URL+page.Prefix+address), chromedp.Evaluate(checks, &wrong), shoot(width, scheme, address))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				for _, w := range append(wrong, b.takeComplaints()...) {
					t.Errorf("%s: %s", what, w)
				}
			}
		}
	}
	b.lookAsOperator(t, rec)
	for _, path := range views {
		b.filter(t, s.URL+page.Prefix, path)
	}
}

// lookAsOperator looks at the changes with a form in each row.
func (b *browser) lookAsOperator(t *testing.T, rec *recording.Recording) {
	t.Helper()
	s := httptest.NewServer(page.NewHandler(page.Config{
		Open: func(*http.Request) page.Source { return rec }, CSRF: func(*http.Request) string { return "token" }, Log: slog.New(slog.DiscardHandler),
		Act: func(*http.Request, string, api.ActionRequest) (*api.Action, error) {
			return nil, errors.New("not asked")
		},
		Actions: func(*http.Request) (*api.Actions, error) {
			undo := api.ActionRequest{Kind: api.ActionUndo, Change: rec.ChangesAnswer.Changes[0].ID, Why: "ticket 3"}
			return &api.Actions{Actions: []api.Action{{ID: 2, ActionRequest: undo, By: "oper", Origin: "browser", Effect: "It is given back.", Stands: true}, {ID: 1, By: strings.Repeat("long", 60)}}}, nil
		},
	}))
	defer s.Close()
	for _, width := range widths {
		var wrong []string
		var forms int
		err := chromedp.Run(b, chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.URL+page.Prefix+"changes"), chromedp.Evaluate(checks, &wrong),
			chromedp.Evaluate(`document.querySelectorAll("form[method=post]").length`, &forms))
		if err != nil || len(wrong)+len(b.takeComplaints()) > 0 || forms == 0 {
			t.Errorf("an operator's changes at %d px: %v, %d forms, %v", width, err, forms, wrong)
		}
	}
}

// filter types into the first field of a view's form and sends it: the page then has the address of what was asked.
func (b *browser) filter(t *testing.T, base, path string) {
	t.Helper()
	address, query, ok := strings.Cut(path, "?")
	if !ok {
		return // there is nothing to filter
	}
	name, value, _ := strings.Cut(query, "=")
	var wrong []string
	var at, kept string
	field := fmt.Sprintf(`form [name=%q]`, name)
	err := chromedp.Run(b, chromedp.Navigate(base+address), chromedp.SetValue(field, value, chromedp.ByQuery))
	if err == nil {
		_, err = chromedp.RunResponse(b, chromedp.Click("form button", chromedp.ByQuery))
	}
	if err == nil {
		err = chromedp.Run(b, chromedp.Location(&at), chromedp.Value(field, &kept, chromedp.ByQuery), chromedp.Evaluate(checks, &wrong))
	}
	if err != nil || !strings.Contains(at, query) || kept != value || len(wrong)+len(b.takeComplaints()) > 0 {
		t.Errorf("filtering %s led to %s with %q in the field: %v %v", path, at, kept, err, wrong)
	}
}

// shoot takes a picture of a view on a small screen into the folder that FAIRBRIDGE_SCREENSHOTS names; "": it does not.
func shoot(width int64, scheme, address string) chromedp.ActionFunc {
	return func(ctx context.Context) error {
		folder := os.Getenv("FAIRBRIDGE_SCREENSHOTS")
		view, _, _ := strings.Cut(address, "/")
		name := "page-" + strings.TrimSuffix(view, "jobs") + map[bool]string{true: "job"}[view == "jobs"]
		switch {
		case folder == "", width == 1920, (width == 390 || scheme == "dark") && view != "queue", width == 390 && scheme == "dark":
			return nil
		case width == 390:
			name += "-phone"
		case scheme == "dark":
			name += "-dark"
		}
		picture, err := cdppage.CaptureScreenshot().WithFormat(cdppage.CaptureScreenshotFormatWebp).WithQuality(70).Do(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+".webp"), picture, 0o644)
	}
}

// TestRefreshInChromium renews a page in place, and says so when no newer one can be had.
func TestRefreshInChromium(t *testing.T) {
	b := newBrowser(t)
	rec := readDemo(t)
	s := httptest.NewServer(newHandlerAt(rec, rec.At))
	defer s.Close()
	var shown, lost string
	renew := func() chromedp.Action {
		return chromedp.Evaluate("refresh()", nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })
	}
	if err := chromedp.Run(b, chromedp.Navigate(s.URL+page.Prefix+"shares")); err != nil {
		t.Fatal(err)
	}
	rec.SharesAnswer.Accounts[0].Words = "This is news."
	if err := chromedp.Run(b, renew(), chromedp.Text("main", &shown), chromedp.Text("#lost", &lost, chromedp.NodeReady)); err != nil || !strings.Contains(shown, "This is news.") || lost != "" {
		t.Errorf("renewed: %v, %q, %q", err, shown, lost)
	}
	s.Close()
	if err := chromedp.Run(b, renew(), chromedp.Text("main", &shown), chromedp.Text("#lost", &lost)); err != nil || !strings.Contains(shown, "This is news.") || !strings.Contains(lost, "No newer page") {
		t.Errorf("without a server: %v, %q, %q", err, shown, lost)
	}
}
