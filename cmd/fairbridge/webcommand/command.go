// Package webcommand has the command that serves the pages to one browser on this host: of a daemon, of the record, or
// of a recording.
package webcommand

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/api/page"
	"fairbridge/api/page/recording"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
	"fairbridge/cmd/settings"
)

// flags are those of the command.
type flags struct {
	listen, recording, record, study string
	isDemo                           bool
	maxJobs                          int
}

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "web",
		Short: "The queue, jobs, nodes, shares and changes as pages for your browser",
		Long: `Serve the pages on this host, with your own rights, until Ctrl-C: the queue, jobs,
nodes, shares, idle GPUs, estimates, changes, and what other policies would have done.
The address that is printed signs in the one browser that opens it first; whoever opens
it is you there.

With --recording all pages come from a file that --record wrote, and neither a daemon
nor Slurm is asked. A recording holds all that who recorded it may see.

` + source.Rule,
		Example: `  fairbridge web
  fairbridge web --demo
  fairbridge web --record today.json && fairbridge web --recording today.json
  fairbridge replay --since 7d --json > study.json && fairbridge web --study study.json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	s := c.Flags()
	s.StringVar(&f.listen, "listen", "127.0.0.1:8470", "serve on this address of this host; port 0: any that is free")
	s.StringVar(&f.recording, "recording", "", "serve from this recording")
	s.BoolVar(&f.isDemo, "demo", false, "serve from the recording that is part of the program: a simulated day")
	s.StringVar(&f.record, "record", "", "write a recording to this file, and end")
	s.StringVar(&f.study, "study", "", "show this study in place of those that are stored: what compare or replay printed with --json")
	s.IntVar(&f.maxJobs, "jobs", recording.MaxJobs, "record the stories of so many jobs at most")
	cli.SetRange(c, "jobs", "1", strconv.Itoa(api.MaxLimit))
	c.MarkFlagsMutuallyExclusive("recording", "demo", "record")
	return o.AddURLFlag(c)
}

func (f *flags) run(c *cobra.Command, o *cli.Options) error {
	study, err := f.readStudy()
	if err != nil {
		return cli.NewUsageError(err)
	}
	if f.isDemo || f.recording != "" {
		return f.serveRecording(c, study)
	}
	a, err := source.OpenActor(c.Context(), o)
	if err != nil {
		return err
	}
	defer a.Close()
	s, ok := a.(source.Source)
	if !ok {
		return errors.New("what does actions does not answer questions")
	}
	if f.record != "" {
		return source.NewCommandError(s, f.writeRecording(c, s, study))
	}
	me, err := s.Me(c.Context())
	if err != nil {
		return source.NewCommandError(s, err)
	}
	g := newGuard(me.IsOperator())
	return f.serve(c, g, page.Config{
		Open: func(*http.Request) page.Source { return newPageSource(s, study) }, CSRF: g.csrfOf,
		Act: func(r *http.Request, csrf string, request api.ActionRequest) (*api.Action, error) {
			if !g.isMeant(r, csrf) {
				return nil, &api.Error{Code: api.CodeForbidden, Message: "the form is not of this session", Try: "load the page again"}
			}
			return a.Act(r.Context(), request)
		},
		Actions: func(r *http.Request) (*api.Actions, error) { return a.Actions(r.Context(), page.ActionsPerPage, "") },
		Note:    "As " + me.User + ", from " + s.Describe() + ".",
	})
}

// withStudies shows other studies than the source's.
type withStudies struct {
	page.Source
	studies *api.Studies
}

// Studies implements page.RecordReader.
func (w withStudies) Studies(context.Context) (*api.Studies, error) { return w.studies, nil }

// newPageSource shows a study that a file has, if one was named, in place of those of the source.
func newPageSource(s page.Source, study *api.Studies) page.Source {
	if study == nil {
		return s
	}
	return withStudies{s, study}
}

func (f *flags) readStudy() (*api.Studies, error) {
	if f.study == "" {
		return nil, nil
	}
	file, err := os.Open(f.study)
	if err != nil {
		return nil, fmt.Errorf("--study: %w", err)
	}
	defer file.Close()
	return page.ReadStudy(file)
}

func (f *flags) serveRecording(c *cobra.Command, study *api.Studies) error {
	rec, err := recording.Demo()
	if f.recording != "" {
		rec, err = recording.ReadFile(f.recording)
	}
	if err != nil {
		return err
	}
	return f.serve(c, newGuard(false), page.Config{
		Open: func(*http.Request) page.Source { return newPageSource(rec, study) }, Now: func() time.Time { return rec.At },
		Note: "A recording of " + rec.At.Format("2 Jan 2006, 15:04") + " UTC: nothing here is live.",
	})
}

func (f *flags) writeRecording(c *cobra.Command, s source.Source, study *api.Studies) error {
	rec, err := recording.Record(c.Context(), newPageSource(s, study), time.Now(), f.maxJobs, func(ask func() error) error { return source.AskInTurn(c.Context(), ask) })
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.record, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	if err := errors.Join(rec.Write(file), file.Close()); err != nil {
		return err
	}
	printable.Fprintf(c.ErrOrStderr(), "%s has %d jobs, the stories of %d, and %d changes. It holds all that you may see.\n", f.record, len(rec.QueueAnswer.Jobs), len(rec.Jobs), len(rec.ChangesAnswer.Changes))
	return nil
}

// How long a browser may take, and requests under way have at the end.
const (
	headerTime = 5 * time.Second
	endTime    = time.Second
)

// serve serves pages behind a guard until the command is stopped.
func (f *flags) serve(c *cobra.Command, g *guard, cfg page.Config) error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s (another port may be free): %w", f.listen, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		_ = l.Close()
		return cli.NewUsageError(fmt.Errorf("--listen %s: pages are not encrypted here, and serve this host only: write 127.0.0.1:PORT", f.listen))
	}
	cfg.Log = new(settings.File).NewLogger(c.ErrOrStderr())
	g.next, g.host = page.NewHandler(cfg), l.Addr().String()
	s := &http.Server{Handler: g, ReadHeaderTimeout: headerTime}
	printable.Fprintln(c.OutOrStdout(), g.link())
	stop := context.AfterFunc(c.Context(), func() {
		left, end := context.WithTimeout(context.WithoutCancel(c.Context()), endTime)
		defer end()
		if s.Shutdown(left) != nil {
			_ = s.Close()
		}
	})
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving pages: %w", err)
	}
	return nil
}

// cookieName is the cookie of the session. Browsers take this host for as safe as https.
const cookieName = "__Host-fairbridge-web"

// guard lets the one browser through that opened the link: every user of this host can reach the port.
type guard struct {
	next   http.Handler
	host   string // that browsers must have asked for: no name of another site that leads here
	mayAct bool

	session, csrf string
	mu            sync.Mutex
	token         string // of the link; "": it was used
}

func newGuard(mayAct bool) *guard {
	return &guard{mayAct: mayAct, session: rand.Text(), csrf: rand.Text(), token: rand.Text()}
}

// link is the address that signs a browser in, once.
func (g *guard) link() string { return "http://" + g.host + "/link/" + g.token }

// ServeHTTP refuses what is not of the session.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for k, v := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"} {
		h.Set(k, v)
	}
	switch {
	case r.Host != g.host:
		http.Error(w, "ask for "+g.host, http.StatusMisdirectedRequest)
	case g.take(r):
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.session, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode})
		h.Set("Content-Type", "text/html; charset=utf-8")
		// No redirect: a browser that came from another site would follow it without the cookie.
		printable.Fprintf(w, `<!doctype html><html lang="en"><title>fairbridge</title><meta http-equiv="refresh" content="0;url=%[1]s"><p><a href="%[1]s">Go on</a>`, page.Prefix+"queue")
	case !g.isKnown(r):
		http.Error(w, "This browser is not signed in, or the link was used: start fairbridge web again.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// take reports whether a request follows the link, for the first time.
func (g *guard) take(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method != http.MethodGet || g.token == "" || !isSame(r.URL.Path, "/link/"+g.token) {
		return false
	}
	g.token = ""
	return true
}

func (g *guard) isKnown(r *http.Request) bool {
	cookies := r.CookiesNamed(cookieName)
	return len(cookies) == 1 && isSame(cookies[0].Value, g.session)
}

// csrfOf is what a form must hold.
func (g *guard) csrfOf(*http.Request) string {
	if !g.mayAct {
		return ""
	}
	return g.csrf
}

// isMeant reports whether a form was sent by a page of this session.
func (g *guard) isMeant(r *http.Request, csrf string) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	return g.mayAct && isSame(csrf, g.csrf) && (site == "" || site == "same-origin") && (origin == "" || origin == "http://"+g.host)
}

func isSame(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
