package source

import (
	"context"
	"log/slog"

	"fairbridge/api"
	"fairbridge/api/actions"
	"fairbridge/api/answers"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/system"
)

// local is the record and Slurm, as the configuration names them. Who reads it sees all.
type local struct {
	*answers.Service
	system *system.System
	viewer api.Viewer
	// actions is for operators; nil: not opened by OpenActor.
	actions *actions.Service
}

// openLocal joins the parts that the configuration names. Nothing is asked of them yet.
func openLocal(ctx context.Context, o *cli.Options) (Source, error) {
	s, err := o.OpenSystem(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	service := s.NewAnswers(s.DB, func() api.Privacy { return api.Privacy{Source: "configuration"} })
	service.SumsFirst = true // the daemon does from time to time
	return &local{Service: service, system: s, viewer: api.NewLocalOperator(cli.PersonName())}, nil
}

// Close closes the database.
func (l *local) Close() { l.system.DB.Close() }

// Describe implements Source.
func (l *local) Describe() string {
	return "cluster " + l.system.File.Cluster + "'s configuration and database"
}

// ReadsRecord is true: see the function.
func (l *local) ReadsRecord() bool { return true }

// Me is who runs the program.
func (l *local) Me(context.Context) (*api.Viewer, error) { return &l.viewer, nil }

// Job implements JobReader.
func (l *local) Job(ctx context.Context, address string) (*api.Job, error) {
	return l.Service.Job(ctx, l.viewer, address)
}

// JobUse implements JobReader.
func (l *local) JobUse(ctx context.Context, address string) (*api.JobUse, error) {
	return l.Service.JobUse(ctx, l.viewer, address)
}

// When implements JobReader.
func (l *local) When(ctx context.Context, q api.WhenQuery) (*api.When, error) {
	return l.Service.When(ctx, l.viewer, q)
}

// Queue implements ListReader.
func (l *local) Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error) {
	return l.Service.Queue(ctx, l.viewer, q)
}

// Report implements ListReader.
func (l *local) Report(ctx context.Context, name string, q api.ReportQuery) (*api.Report, error) {
	return l.Service.Report(ctx, l.viewer, name, q)
}

// Changes implements ListReader.
func (l *local) Changes(ctx context.Context, q api.ChangeQuery) (*api.Changes, error) {
	return l.Service.Changes(ctx, l.viewer, q)
}

// Nodes implements ClusterReader.
func (l *local) Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error) {
	return l.Service.Nodes(ctx, l.viewer, q)
}

// Shares implements ClusterReader.
func (l *local) Shares(ctx context.Context) (*api.Shares, error) {
	return l.Service.Shares(ctx, l.viewer)
}

// Policies implements PolicyReader.
func (l *local) Policies(ctx context.Context) (*api.Policies, error) {
	return l.Service.Policies(ctx, l.viewer)
}

// Studies implements StudyReader.
func (l *local) Studies(ctx context.Context) (*api.Studies, error) {
	return l.Service.Studies(ctx, l.viewer)
}
