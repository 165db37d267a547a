package source

import (
	"context"

	"fairbridge/cmd/internal/cli"
)

// OpenConfigured opens the configuration and the database, whatever else could be asked. The caller closes it.
func OpenConfigured(ctx context.Context, o *cli.Options) (Source, error) { return openLocal(ctx, o) }
