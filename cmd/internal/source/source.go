// Package source says where the answers of the reading commands come from: from the
// configuration and the database, which administrators may read, or from the daemon, which
// everybody may ask.
package source

import (
	"context"
	"log/slog"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/actions"
	"fairbridge/api/answers"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/system"
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

// Actor does what operators ask for, and says what they did.
type Actor interface {
	// Act is as actions.Service.Act.
	Act(ctx context.Context, r api.ActionRequest) (*api.Action, error)
	// Actions returns what operators did, newest first: a page of so many, all where limit is 0.
	Actions(ctx context.Context, limit int, after string) (*api.Actions, error)
	// Describe says in a few words what is asked.
	Describe() string
	Close()
}

var _, _ Actor = (*local)(nil), (*remote)(nil)

// OpenActor opens what does what operators ask for, by Rule. The caller closes it.
func OpenActor(ctx context.Context, o *cli.Options) (Actor, error) {
	s, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if l, ok := s.(*local); ok {
		l.actions = l.system.NewActions()
	}
	return s.(Actor), nil // both are
}

// NewActorError is NewCommandError of an actor.
func NewActorError(a Actor, err error) error {
	s, _ := a.(Source)
	return NewCommandError(s, err)
}

// actor is who runs the program, as the author of what they do.
func (l *local) actor() api.Viewer { return api.NewLocalOperator(cli.PersonName()) }

// Act implements Actor.
func (l *local) Act(ctx context.Context, r api.ActionRequest) (*api.Action, error) {
	return l.actions.Act(ctx, l.actor(), r)
}

// Actions implements Actor.
func (l *local) Actions(ctx context.Context, limit int, after string) (*api.Actions, error) {
	all, err := l.actions.List(ctx, l.actor(), limit, after)
	for err == nil && limit == 0 && all.Next != "" {
		var page *api.Actions
		if page, err = l.actions.List(ctx, l.actor(), 0, all.Next); err == nil {
			all.Actions, all.Next = append(all.Actions, page.Actions...), page.Next
		}
	}
	return all, err
}

// OpenConfigured opens the configuration and the database, whatever else could be asked. The caller closes it.
func OpenConfigured(ctx context.Context, o *cli.Options) (Source, error) { return openLocal(ctx, o) }
