package source

import (
	"context"

	"fairbridge/cmd/internal/cli"
)

// Open opens where the answers come from by Rule. The caller closes it.
func Open(ctx context.Context, o *cli.Options) (Source, error) {
	c, err := newSituation(o).choose()
	if err != nil {
		return nil, err
	}
	if c.configPath != "" {
		o.ConfigPath = c.configPath
		return openLocal(ctx, o)
	}
	return openRemote(c)
}
