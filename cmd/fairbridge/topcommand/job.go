package topcommand

import (
	"context"
	"io"
	"time"

	"fairbridge/api"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/source"
)

// newExplanation is the story of a job, as explain tells it.
func newExplanation(address string) *subject {
	return withText(&subject{name: "explain " + address},
		func(ctx context.Context, s source.Source, _ time.Time) (*api.Job, error) { return s.Job(ctx, address) },
		func(w io.Writer, a *api.Job, c circumstances) { ask.PrintExplanation(w, a, c.isLocal, c.now) })
}

// newJobUse is how a job used what it got, as job shows it.
func newJobUse(address string) *subject {
	return withText(&subject{name: "job " + address},
		func(ctx context.Context, s source.Source, _ time.Time) (*api.JobUse, error) {
			return s.JobUse(ctx, address)
		},
		func(w io.Writer, a *api.JobUse, c circumstances) { ask.PrintJobUse(w, a, c.now) })
}
