// Package source says where the answers of the reading commands come from: from the
// configuration and the database, which administrators may read, or from the daemon, which
// everybody may ask.
package source

import (
	"context"

	"fairbridge/accounting/report"
	"fairbridge/api"
)

// JobReader answers about one job.
type JobReader interface {
	Job(ctx context.Context, address string) (*api.Job, error)
	JobUse(ctx context.Context, address string) (*report.JobUse, error)
	When(ctx context.Context, q api.WhenQuery) (*api.When, error)
}

// ListReader answers about many.
type ListReader interface {
	Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error)
	Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error)
	Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error)
}

// ClusterReader answers about the cluster and who asks.
type ClusterReader interface {
	Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error)
	Shares(ctx context.Context) (*api.Shares, error)
	Me(ctx context.Context) (*api.Viewer, error)
}

// PolicyReader says what decides where, and how fairbridge is.
type PolicyReader interface {
	Policies(ctx context.Context) (*api.Policies, error)
	Health(ctx context.Context) (*api.Health, error)
}

// StudyReader says what other policies would have done.
type StudyReader interface {
	Studies(ctx context.Context) (*api.Studies, error)
}

// ReadsRecord reports whether answers come from configuration and database, with no daemon asked: nobody knows
// then whether one runs.
func ReadsRecord(s Source) bool {
	r, ok := s.(interface{ ReadsRecord() bool })
	return ok && r.ReadsRecord()
}

// Source answers what the reading commands ask. Who asks is the same all the time. Errors that
// are told to them are *api.Error.
type Source interface {
	JobReader
	ListReader
	ClusterReader
	PolicyReader
	StudyReader
	// Describe says in a few words where the answers come from.
	Describe() string
	Close()
}
