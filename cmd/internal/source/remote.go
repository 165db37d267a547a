package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/api"
	"fairbridge/api/client"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

// remote is the daemon, asked over HTTP.
type remote struct {
	*client.Client
	url string
}

// openRemote prepares to ask the daemon. Nothing is sent yet.
func openRemote(c choice) (Source, error) {
	f := settings.NewDefaultClient()
	if c.clientPath != "" {
		var err error
		if f, err = settings.LoadClient(c.clientPath); err != nil {
			return nil, asUsageError(err)
		}
	}
	url := cmp.Or(c.url, f.URL)
	if url == "" {
		return nil, cli.NewUsageError(fmt.Errorf("%s has no url, and --url and FAIRBRIDGE_URL say none", c.clientPath))
	}
	asker, err := client.New(client.Config{
		URL: url, CAFile: f.CAFile, Prover: &client.MungeProver{Command: f.Munge}, Timeout: f.Timeout, UserAgent: "fairbridge/" + version.ReadInfo().Version,
	})
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	return &remote{asker, url}, nil
}

// asUsageError marks what is wrong with a file as one of usage, unless it has its place in it.
func asUsageError(err error) error {
	var problem settings.Problem
	if errors.As(err, &problem) {
		return err
	}
	return cli.NewUsageError(err)
}

// Me asks whom the daemon takes us for.
func (r *remote) Me(ctx context.Context) (*api.Viewer, error) {
	v, err := r.Client.Me(ctx)
	return &v, err
}

// Describe implements Source.
func (r *remote) Describe() string { return "the daemon at " + r.url }

// How often it is asked again where the daemon takes no more requests for now, and how long is
// waited before.
const (
	maxRetries = 5
	retryAfter = time.Second
)

// AskInTurn asks, and again where the daemon takes no more requests of one user for now, as of
// a loop in a shell: they wait their turn. ask may be called several times.
func AskInTurn(ctx context.Context, ask func() error) error {
	_, err := retryTooMany(ctx, retryAfter, func() (*struct{}, error) { return nil, ask() })
	return err
}

// Report waits its turn: all reports are more requests than one user may send at once.
func (r *remote) Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	return retryTooMany(ctx, retryAfter, func() (*api.Report, error) { return r.Client.Report(ctx, name, q) })
}

// retryTooMany asks again while there were too many requests.
func retryTooMany[T any](ctx context.Context, wait time.Duration, ask func() (*T, error)) (*T, error) {
	for tries := 0; ; tries++ {
		answer, err := ask()
		if api.CodeOf(err) != api.CodeTooMany || tries == maxRetries {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Linker hands out addresses by which a browser signs in.
type Linker interface {
	NewLink(ctx context.Context) (*api.Link, error)
	Close()
}

var _ Linker = (*remote)(nil)

// OpenLinker opens the daemon that Rule leads to. Where that is a configuration it is the daemon
// on this host, by its socket: a browser asks a daemon, and no files. The caller closes it.
func OpenLinker(_ context.Context, o *cli.Options) (Linker, error) {
	c, err := newSituation(o).choose()
	if err != nil {
		return nil, err
	}
	if c.configPath != "" {
		f, err := settings.Load(c.configPath)
		if err != nil {
			return nil, asUsageError(err)
		}
		c = choice{url: "unix://" + cmp.Or(f.API.SocketPath(), defaultSocketPath)}
	}
	s, err := openRemote(c)
	if err != nil {
		return nil, err
	}
	return s.(*remote), nil
}

// NewLinkError is NewCommandError of a linker.
func NewLinkError(l Linker, err error) error {
	s, _ := l.(Source)
	return NewCommandError(s, err)
}

// NewCommandError returns an error of a source as one of a command, by which its exit status
// goes: what was asked makes no sense, or the daemon is out of reach or cannot answer now.
func NewCommandError(s Source, err error) error {
	var told *api.Error
	if !errors.As(err, &told) {
		return err
	}
	_, isLocal := s.(*local)
	switch {
	case told.Code == api.CodeBadRequest:
		return cli.NewUsageError(told)
	case !isLocal && (told.Code == api.CodeUnavailable || told.Code == api.CodeTooMany):
		return cli.NewUnreachableError(err)
	}
	return err
}
