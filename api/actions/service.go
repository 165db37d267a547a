// Package actions does what operators ask for: each action is told in a sentence first, done once
// when that is confirmed, and recorded with its author. What follows from it is the loop's: this package
// writes to the record only.
package actions

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/operations"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

// Record keeps what operators did.
type Record interface {
	AddAction(ctx context.Context, cluster string, a *operations.RecordedAction, isOver bool, ends []int64) error
	StandingActions(ctx context.Context, cluster string) ([]bridge.OperatorAction, error)
	ListActions(ctx context.Context, cluster string, before int64, limit int) ([]operations.RecordedAction, error)
}

// Observer reads Slurm.
type Observer interface {
	Observe(context.Context) (*slurm.View, error)
}

// Parts are what a service works with.
type Parts struct {
	Config    bridge.Config // cluster, partitions with their modes, STOP file, and how long jobs are left alone
	Record    Record
	Demotions bridge.Demotions
	Ledger    push.IntentReader
	Cluster   Observer
	Now       func() time.Time
	// Stop ends writing of the loop in this process at once; nil: there is none.
	Stop *push.StopSwitch
}

// Service does what operators ask for. It is safe for concurrent use.
type Service struct {
	Parts
	key   [32]byte // proves that a confirmation is one of ours
	mutex sync.Mutex
	// doneCount counts the actions that were done: it changes under the mutex only.
	doneCount atomic.Int64
	used      map[[sha256.Size]byte]time.Time // proofs of the confirmations that were used, until when they would hold
}

// New makes a service. Confirmations hold with the service that gave them only.
func New(p Parts) *Service {
	s := &Service{Parts: p, used: map[[sha256.Size]byte]time.Time{}}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

// Act says what a request would do, with what confirms it, or, where it is confirmed, does it. Errors are
// *api.Error: CodeForbidden for who is no operator, CodeConflict where what is confirmed is not what it
// would do any more, was done already, or cannot be done now.
func (s *Service) Act(ctx context.Context, v api.Viewer, r api.ActionRequest) (*api.Action, error) {
	if err := checkMayAct(&v); err != nil {
		return nil, err
	}
	now := s.Now().UTC()
	if err := checkRequest(&r, now); err != nil {
		return nil, err
	}
	for {
		before := s.doneCount.Load()
		p, err := s.propose(ctx, &r)
		if err != nil {
			return nil, toldError("looking what this would do", err)
		}
		if r.Confirm == "" {
			a := p.newAction(&v, r)
			a.Confirm = s.newConfirmation(&v, &r, p.state, now)
			return a, nil
		}
		a, err := s.do(ctx, &v, r, p, now, before)
		if !errors.Is(err, errActedMeanwhile) {
			return a, err
		}
	}
}

// errActedMeanwhile says that what would be done was told before another action was done.
var errActedMeanwhile = errors.New("another action was done meanwhile")

// do does what is confirmed, once, unless another action was done since the proposal was made: doneCount was before
// then. Slurm is not waited for under the mutex, so that a stop waits for no other action.
func (s *Service) do(
	ctx context.Context, v *api.Viewer, r api.ActionRequest, p *proposal, now time.Time, before int64,
) (*api.Action, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.doneCount.Load() != before {
		return nil, errActedMeanwhile
	}
	if err := s.useConfirmation(v, &r, p, now); err != nil {
		return nil, err
	}
	p.action.By, p.action.Origin, p.action.Why, p.action.Effect = v.User, v.Origin, r.Why, p.effect
	p.action.Until = r.Until
	if p.lasts > 0 && r.Until.IsZero() {
		p.action.Until = now.Add(p.lasts).Truncate(time.Second)
	}
	if err := s.Record.AddAction(ctx, s.Config.ClusterName, &p.action, p.isOver, p.ends); err != nil {
		return nil, toldError("recording it", err)
	}
	s.doneCount.Add(1)
	if p.action.Kind == bridge.OperatorStop {
		s.Stop.Stop(p.action.ID)
	}
	r.Confirm, r.Until = "", p.action.Until
	a := p.newAction(v, r)
	a.ID, a.At, a.Stands = p.action.ID, p.action.At.UTC(), !p.isOver
	if p.isOver {
		a.Ended, a.EndedBy = a.At, a.By
	}
	return a, nil
}

// List returns what operators did, the newest first: for operators only.
func (s *Service) List(ctx context.Context, v api.Viewer, limit int, after string) (*api.Actions, error) {
	if err := checkMayAct(&v); err != nil {
		return nil, err
	}
	before, err := strconv.ParseInt(after, 10, 64)
	switch {
	case after != "" && (err != nil || before <= 0):
		return nil, badRequest("after: %q is not the next of a page", after)
	case limit < 0 || limit > api.MaxLimit:
		return nil, badRequest("limit: %d is not between 1 and %d", limit, api.MaxLimit)
	case limit == 0:
		limit = api.DefaultLimit
	}
	list, err := s.Record.ListActions(ctx, s.Config.ClusterName, before, limit+1)
	if err != nil {
		return nil, toldError("reading what operators did", err)
	}
	out := &api.Actions{Actions: []api.Action{}}
	for i := range list[:min(len(list), limit)] {
		out.Actions = append(out.Actions, newListed(&list[i]))
	}
	if len(list) > limit {
		out.Next = strconv.FormatInt(list[limit-1].ID, 10)
	}
	return out, nil
}

func newListed(r *operations.RecordedAction) api.Action {
	return api.Action{
		ID: r.ID, Effect: r.Effect, By: r.By, Origin: r.Origin, At: r.At, Ended: r.Ended, EndedBy: r.EndedBy, Stands: r.Stands,
		ActionRequest: api.ActionRequest{Kind: api.ActionKind(r.Kind), Partition: r.Partition, Mode: r.Mode, Job: r.Jobs.Address, Change: r.Change, Why: r.Why, Until: r.Until},
	}
}

func checkMayAct(v *api.Viewer) error {
	if v.IsOperator() && v.User != "" {
		return nil
	}
	try := "ask an operator: a user with AdminLevel Operator or Administrator in Slurm, or one of api.operators"
	if v.RoleUnknown != "" {
		try = "whether you are one could not be told: " + v.RoleUnknown
	}
	return &api.Error{Code: api.CodeForbidden, Message: "only operators see and do this", Try: try}
}

func badRequest(format string, a ...any) *api.Error {
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf(format, a...)}
}

func conflict(try, format string, a ...any) *api.Error {
	return &api.Error{Code: api.CodeConflict, Message: fmt.Sprintf(format, a...), Try: try}
}

// toldError is the error as an operator sees it, who may see all of it.
func toldError(doing string, err error) error {
	var told *api.Error
	switch {
	case errors.As(err, &told):
		return told
	case errors.Is(err, operations.ErrEnded):
		return conflict("ask again what it would do", "what it was to end does not stand any more")
	case errors.Is(err, accounting.ErrUnreachable), errors.Is(err, accounting.ErrDiskFull), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errSlurmAway):
		return &api.Error{Code: api.CodeUnavailable, Message: doing + ": " + err.Error(), Try: "try again in a while; the STOP file on the daemon's host stops all writing in any case"}
	}
	cause := fmt.Errorf("%s: %w", doing, err)
	told = &api.Error{Code: api.CodeInternal, Message: cause.Error(), Try: "fairbridge doctor looks at everything"}
	return &api.CausedError{Told: told, Cause: cause}
}

// confirmationTime is how long what was told may be confirmed.
const confirmationTime = 5 * time.Minute

// confirmation is what Confirm holds: until when it holds, what was seen, and the proof
// that it is ours, for this request of this author.
type confirmation struct {
	until time.Time
	seen  [sha256.Size]byte
	proof [sha256.Size]byte
}

const confirmationLength = 8 + 2*sha256.Size

func (s *Service) newConfirmation(v *api.Viewer, r *api.ActionRequest, state string, now time.Time) string {
	c := confirmation{until: now.Add(confirmationTime), seen: sha256.Sum256([]byte(state))}
	c.proof = s.prove(&c, v, r)
	b := binary.BigEndian.AppendUint64(nil, uint64(c.until.UnixNano()))
	return base64.RawURLEncoding.EncodeToString(append(append(b, c.seen[:]...), c.proof[:]...))
}

func parseConfirmation(text string) (c confirmation, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != confirmationLength {
		return c, false
	}
	c.until = time.Unix(0, int64(binary.BigEndian.Uint64(b)))
	copy(c.seen[:], b[8:])
	copy(c.proof[:], b[8+sha256.Size:])
	return c, true
}

// prove is the HMAC over when the confirmation ends, what was seen, who asks and what for.
func (s *Service) prove(c *confirmation, v *api.Viewer, r *api.ActionRequest) (proof [sha256.Size]byte) {
	asked := *r
	asked.Confirm = ""
	text, _ := json.Marshal(struct { // nothing in it can fail
		Until        int64
		Seen         []byte
		User, Origin string
		api.ActionRequest
	}{c.until.UnixNano(), c.seen[:], v.User, v.Origin, asked})
	h := hmac.New(sha256.New, s.key[:])
	_, _ = h.Write(text)
	copy(proof[:], h.Sum(nil))
	return proof
}

// useConfirmation says why what is asked for may not be done by its confirmation, and lets it hold no
// longer where it may. It is known again by its proof: the same can be written in several ways.
func (s *Service) useConfirmation(v *api.Viewer, r *api.ActionRequest, p *proposal, now time.Time) error {
	const again = "ask again without confirm, and confirm what is told then"
	for used, until := range s.used {
		if now.After(until) {
			delete(s.used, used)
		}
	}
	c, ok := parseConfirmation(r.Confirm)
	proof := s.prove(&c, v, r)
	_, wasUsed := s.used[c.proof]
	switch {
	case !ok || !hmac.Equal(c.proof[:], proof[:]):
		return conflict(again, "this confirms something else: another request, of another author, or told by a daemon that was started anew since")
	case now.After(c.until):
		return conflict(again, "this was told more than %s ago", confirmationTime)
	case wasUsed:
		return conflict("the list of actions shows it", "this was confirmed already")
	case c.seen != sha256.Sum256([]byte(p.state)):
		return conflict(again, "it would do something else by now: %s", p.effect)
	}
	s.used[c.proof] = c.until
	return nil
}
