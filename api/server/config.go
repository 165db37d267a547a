// Package server answers questions over HTTP: the routes of the API, who may ask how often
// and how much, and the OpenAPI document. What is answered, and who asks, is told by what it
// is given; it decides nothing itself.
package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"fairbridge/api"
)

// JobAnswers tells of the queue and its jobs.
type JobAnswers interface {
	Queue(ctx context.Context, v api.Viewer, q api.QueueQuery) (*api.Queue, error)
	Job(ctx context.Context, v api.Viewer, address string) (*api.Job, error)
	JobUse(ctx context.Context, v api.Viewer, address string) (*api.JobUse, error)
}

// ClusterAnswers tells of nodes, shares and policies.
type ClusterAnswers interface {
	Nodes(ctx context.Context, v api.Viewer, q api.NodeQuery) (*api.Nodes, error)
	Shares(ctx context.Context, v api.Viewer) (*api.Shares, error)
	Policies(ctx context.Context, v api.Viewer) (*api.Policies, error)
}

// StudyAnswers tells of what other policies would have done.
type StudyAnswers interface {
	Studies(ctx context.Context, v api.Viewer) (*api.Studies, error)
}

// RecordAnswers tells of what was and what would be.
type RecordAnswers interface {
	When(ctx context.Context, v api.Viewer, q api.WhenQuery) (*api.When, error)
	Changes(ctx context.Context, v api.Viewer, q api.ChangeQuery) (*api.Changes, error)
	Report(ctx context.Context, v api.Viewer, name string, q api.ReportQuery) (*api.Report, error)
}

// HealthAnswers tells anybody whether fairbridge works.
type HealthAnswers interface {
	Health(ctx context.Context) (*api.Health, error)
}

// Answers is where answers come from. What it tells users is an *api.Error; any other error
// is logged and told as a fault.
type Answers interface {
	JobAnswers
	ClusterAnswers
	RecordAnswers
	StudyAnswers
	HealthAnswers
}

// Identity tells who asks.
type Identity interface {
	// Identify returns who sent a request, or an *api.Error.
	Identify(r *http.Request) (api.Viewer, error)
	// MayAct refuses a request that changes something where another site may have had a
	// browser send it.
	MayAct(r *http.Request, v api.Viewer) error
}

// Links makes browsers known.
type Links interface {
	// NewLink makes an address that shows a browser to be the viewer, once.
	NewLink(v api.Viewer) (url string, until time.Time, err error)
	// Redeem makes the browser known that follows such an address, and sends it to /.
	Redeem(w http.ResponseWriter, r *http.Request)
}

// Actions carries out what operators ask for.
type Actions interface {
	Act(ctx context.Context, v api.Viewer, request api.ActionRequest) (*api.Action, error)
	List(ctx context.Context, v api.Viewer, limit int, after string) (*api.Actions, error)
}

// Config is what a handler is made of.
type Config struct {
	Answers  Answers
	Identity Identity
	Links    Links   // nil: none are handed out
	Actions  Actions // nil: none can be asked for
	Limits   Limits
	Metrics  *Metrics
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
	// Private says what is private, for who asks who they are; nil: they are not told.
	Private func() api.Privacy
}

// Limits bounds what is spent on who asks.
type Limits struct {
	Rate  float64 // requests a second of one user
	Burst int     // requests of one user at once, beyond the rate
	// AddressRate and AddressBurst bound the requests of one address for which nobody is
	// known: those that show nothing of who sends them, and, apart from them, those whose
	// credential was refused.
	AddressRate  float64
	AddressBurst int
	// MaxInFlight is how many requests of one user are answered at once.
	MaxInFlight int
	// Capacity is how much is answered at once: a request counts as one and one more for
	// each rowsPerUnit rows that it asks for, so that memory is bounded too. A user has no more
	// than a quarter of it, beyond a first request.
	Capacity int64
	// UnreadBytes is how many bytes of answers wait at once to be read by who asked, but for
	// those of smallReply; a user's are as bounded as those of Capacity.
	UnreadBytes int64
	// QueueTime is how long a request waits for its turn, AnswerTime how long its answer may take.
	QueueTime, AnswerTime time.Duration
	MaxBodyBytes          int64
	MaxURLBytes           int
}

// DefaultLimits returns limits for a daemon with 1 GiB of memory.
func DefaultLimits() Limits {
	return Limits{
		Rate: 10, Burst: 30, AddressRate: 20, AddressBurst: 100, MaxInFlight: 8, Capacity: 64, UnreadBytes: 128 << 20,
		QueueTime: time.Second, AnswerTime: 20 * time.Second, MaxBodyBytes: 64 << 10, MaxURLBytes: 8 << 10,
	}
}
