package remind

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	store "fairbridge/accounting/reminders"
	"fairbridge/bridge/reminders"
)

// round is the sending of one look.
type round struct {
	*Service
	epoch    int64
	at       time.Time
	away     map[string]error  // channels that send nothing now, by name
	refusals map[string]string // owners who are told at another look, and why
}

// tellAll sends the messages of a look. One that is turned away for now keeps no other from being sent. What a channel
// that is away would have to send waits for another look, and that is the error.
func (s *Service) tellAll(ctx context.Context, epoch int64, at time.Time, messages []reminders.Message) (waits error) {
	r := &round{s, epoch, at, map[string]error{}, map[string]string{}}
	defer func() { s.lastRefusals = r.refusals }()
	for i := range messages {
		err := r.tell(ctx, &messages[i])
		switch {
		case err == nil:
		case !isAway(err):
			return err
		case waits == nil:
			waits = err
		}
	}
	return waits
}

// tell claims a message and sends it. That it could not be sent is written down. Where it cannot have arrived by any
// channel the claim is given back.
func (r *round) tell(ctx context.Context, m *reminders.Message) error {
	usable := slices.DeleteFunc(slices.Clone(r.channels), func(c channel) bool { return !c.canTell(m) })
	if len(usable) == 0 || ctx.Err() != nil {
		return ctx.Err() // the owner has no address
	}
	if err := r.findAway(usable, m); err != nil {
		return err
	}
	ok, err := r.store.Claim(ctx, r.rules.Cluster, r.epoch, r.at, store.Limits{PerOwner: r.rules.MessagesPerOwner, InAll: r.rules.MessagesInAll}, m)
	if err != nil || !ok {
		return err
	}
	sentBy, failures := r.send(ctx, usable, m)
	if len(sentBy) == 0 && !slices.ContainsFunc(failures, func(err error) bool { return !isRetryable(err) }) {
		return r.giveBack(ctx, usable, m, errors.Join(failures...))
	}
	return r.finish(ctx, m, sentBy, errors.Join(failures...))
}

// findAway returns why no channel can send the message now, nil where one may.
func (r *round) findAway(usable []channel, m *reminders.Message) error {
	var why []error
	for _, c := range usable {
		if err := r.away[c.name()]; err != nil {
			why = append(why, err)
		}
	}
	if len(why) < len(usable) {
		return nil
	}
	return retryable{fmt.Errorf("message to %s, who is told at another look: %w", m.User, errors.Join(why...)), true}
}

// send sends a message by every channel that is not away, and notes which are.
func (r *round) send(ctx context.Context, usable []channel, m *reminders.Message) (sentBy []string, failures []error) {
	for _, c := range usable {
		err := r.away[c.name()]
		if err == nil {
			err = sendBy(ctx, c, m, r.pause)
		}
		if isAway(err) {
			r.away[c.name()] = err
		}
		if err != nil {
			failures = append(failures, err)
		} else {
			sentBy = append(sentBy, c.name())
		}
	}
	return sentBy, failures
}

// giveBack releases the claim of a message that cannot have arrived. The error is that all channels are away, or the
// database's; that this one was turned away is logged, once while it is the same.
func (r *round) giveBack(ctx context.Context, usable []channel, m *reminders.Message, failure error) error {
	if err := r.store.Release(context.WithoutCancel(ctx), r.rules.Cluster, m.ID); err != nil {
		return err
	}
	if err := r.findAway(usable, m); err != nil {
		return err
	}
	if r.refusals[m.User] = failure.Error(); r.refusals[m.User] != r.lastRefusals[m.User] {
		r.log.Warn("an owner is told of idle GPUs at another look", "user", m.User, "error", failure)
	}
	return nil
}

// finish writes down what became of a message that was sent, or may have been, or was refused for good.
func (r *round) finish(ctx context.Context, m *reminders.Message, sentBy []string, failure error) error {
	r.metrics.NoteMessage(len(sentBy) > 0)
	if failure != nil {
		r.log.Warn("an owner was not told of idle GPUs", "user", m.User, "message", m.ID, "error", failure)
	}
	return r.store.Finish(context.WithoutCancel(ctx), r.rules.Cluster, m.ID, sentBy, failure)
}
