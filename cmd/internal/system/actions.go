package system

import (
	"context"
	"time"

	"fairbridge/api/actions"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/settings"
)

// NewActions returns what does what operators ask for: at once in this system's loop, elsewhere by
// the record. It reads Slurm by connections of its own, so that it is in no cycle's way.
func (s *System) NewActions() *actions.Service {
	return actions.New(actions.Parts{
		Config: s.Loop.Config, Record: s.DB, Demotions: s.DB, Ledger: s.DB, Cluster: slurmReader{s.File}, Now: time.Now, Stop: s.Stop,
	})
}

// slurmReader reads Slurm once, and connects for that: operators act seldom.
type slurmReader struct {
	file *settings.File
}

// Observe reads all of it.
func (r slurmReader) Observe(ctx context.Context) (*slurm.View, error) {
	client, err := OpenREST(ctx, r.file)
	if err != nil {
		return nil, err
	}
	return client.Observe(ctx)
}
