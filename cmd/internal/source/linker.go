package source

import (
	"cmp"
	"context"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/settings"
)

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
