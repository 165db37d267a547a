package page

import (
	"context"

	"fairbridge/api"
)

// JobReader tells of jobs.
type JobReader interface {
	Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error)
	Job(ctx context.Context, address string) (*api.Job, error)
}

// ClusterReader tells of nodes and shares.
type ClusterReader interface {
	Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error)
	Shares(ctx context.Context) (*api.Shares, error)
}

// RecordReader tells of what was, and what would have been.
type RecordReader interface {
	Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error)
	Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error)
	Studies(ctx context.Context) (*api.Studies, error)
}

// Source answers for one viewer. Errors that are told to them are *api.Error.
type Source interface {
	JobReader
	ClusterReader
	RecordReader
}
