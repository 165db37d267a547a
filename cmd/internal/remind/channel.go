package remind

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"fairbridge/bridge/reminders"
	"fairbridge/cmd/settings"
)

// channel is a way to tell owners.
type channel interface {
	name() string
	canTell(*reminders.Message) bool
	send(context.Context, *reminders.Message) error
}

// retryable marks an error after which a message may be sent again, because it cannot have arrived.
type retryable struct {
	error
	isAway bool // it is not of this message: nothing can be sent by the channel now
}

// Unwrap returns the error that was marked.
func (e retryable) Unwrap() error { return e.error }

func isRetryable(err error) bool {
	_, ok := errors.AsType[retryable](err)
	return ok
}

func isAway(err error) bool {
	e, ok := errors.AsType[retryable](err)
	return ok && e.isAway
}

// maxTries bounds how often a message is tried by one channel at a look.
const maxTries = 3

// sendBy sends a message by one channel, a few times while the channel is away. A message that is turned away for
// now waits for another look: seconds do not help a full mailbox or against greylisting.
func sendBy(ctx context.Context, c channel, m *reminders.Message, pause time.Duration) error {
	for try := 1; ; try++ {
		err := c.send(ctx, m)
		if err == nil || try == maxTries || !isAway(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try) * pause):
		}
	}
}

// newChannels returns the configured ways.
func newChannels(r *settings.Reminders, now func() time.Time) ([]channel, error) {
	var list []channel
	if r.MailServer != "" {
		m, err := newMailer(r, now)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	if r.WebhookURL != "" {
		pool, err := readAuthorities(r.WebhookCAFile)
		if err != nil {
			return nil, fmt.Errorf("reminders.webhook_ca_file: %w", err)
		}
		list = append(list, newWebhook(r.WebhookURL, r.WebhookSecretFile, pool, now))
	}
	return list, nil
}

func newMailer(r *settings.Reminders, now func() time.Time) (*mailer, error) {
	pool, err := readAuthorities(r.MailCAFile)
	if err != nil {
		return nil, fmt.Errorf("reminders.mail_ca_file: %w", err)
	}
	return &mailer{server: r.MailServer, security: r.MailTLS, user: r.MailUser, passwordFile: r.MailPasswordFile, from: r.MailFrom, authorities: pool, now: now}, nil
}

// readAuthorities reads who issues certificates; "": those of the host, nil.
func readAuthorities(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate", path)
	}
	return pool, nil
}

// Check looks whether owners could be told: the mail server is asked and logged in to, and secrets are read. Nothing is
// sent. The errors are by the channel's name.
func Check(ctx context.Context, r *settings.Reminders) map[string]error {
	found := map[string]error{}
	if r.MailServer != "" {
		m, err := newMailer(r, time.Now)
		if err == nil {
			err = m.check(ctx)
		}
		found["mail"] = err
	}
	if r.WebhookURL != "" {
		_, err := readAuthorities(r.WebhookCAFile)
		found["webhook"] = errors.Join(err, newWebhook(r.WebhookURL, r.WebhookSecretFile, nil, time.Now).check(ctx))
	}
	return found
}
