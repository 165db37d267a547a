package source

import (
	"context"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
)

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
