package remind

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"fairbridge/bridge/reminders"
	"fairbridge/bridge/slurm/safefile"
)

const (
	webhookTimeout = 10 * time.Second
	// A secret of a webhook has so many bytes.
	minWebhookSecret, maxWebhookSecret = 16, 4096
)

// webhook posts messages as JSON. Its URL may hold a secret: no error has it.
type webhook struct {
	url, secretFile string
	client          *http.Client
	now             func() time.Time
}

func newWebhook(address, secretFile string, authorities *x509.CertPool, now func() time.Time) *webhook {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}, Proxy: http.ProxyFromEnvironment,
		DisableKeepAlives: true,
	}
	return &webhook{address, secretFile, &http.Client{
		Transport: transport, Timeout: webhookTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, now}
}

func (w *webhook) name() string { return "webhook" }

func (w *webhook) canTell(*reminders.Message) bool { return true }

// send posts a message. An error is retryable where no connection was made: through no proxy, or with no certificate
// that is believed. Once there was one, the message may have arrived, whatever the answer: also where a proxy in front
// answers 503 or 504.
func (w *webhook) send(ctx context.Context, msg *reminders.Message) error {
	var isConnected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { isConnected.Store(true) }})
	r, err := w.newRequest(ctx, msg)
	if err != nil {
		return err
	}
	reply, err := w.client.Do(r)
	if err != nil {
		err = fmt.Errorf("posting to the webhook: %w", withoutURL(err))
		if !isConnected.Load() {
			return retryable{err, true}
		}
		return err
	}
	defer reply.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(reply.Body, 64<<10))
	if reply.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answers %d %s", reply.StatusCode, http.StatusText(reply.StatusCode)) // its own words may repeat anything
	}
	return nil
}

// check reads the secret; no request is sent, since it would be a message.
func (w *webhook) check(context.Context) error {
	_, err := safefile.ReadSecret(w.secretFile, minWebhookSecret, maxWebhookSecret)
	return err
}

// newRequest makes the signed request: the HMAC is of the time, a dot and the body, so that an old request cannot be
// sent again by whoever saw it.
func (w *webhook) newRequest(ctx context.Context, msg *reminders.Message) (*http.Request, error) {
	secret, err := safefile.ReadSecret(w.secretFile, minWebhookSecret, maxWebhookSecret)
	if err != nil {
		return nil, retryable{fmt.Errorf("the webhook's secret: %w", err), true}
	}
	body, err := json.Marshal(msg)
	if err != nil {
		return nil, fmt.Errorf("writing the webhook's body: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the webhook's URL is none")
	}
	stamp := fmt.Sprint(w.now().Unix())
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Fairbridge-Timestamp", stamp)
	r.Header.Set("X-Fairbridge-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	r.Header.Set("Idempotency-Key", idempotencyKey(msg))
	return r, nil
}

// idempotencyKey is the same whenever a message tells of the same steps of the same jobs of a cluster, also where it
// was claimed again and has another ID.
func idempotencyKey(msg *reminders.Message) string {
	var steps []string
	for _, e := range msg.Jobs {
		steps = append(steps, fmt.Sprintf("%d:%d", e.Job, e.StepSeconds))
	}
	slices.Sort(steps)
	sum := sha256.Sum256([]byte(msg.Cluster + "\n" + strings.Join(steps, "\n")))
	return "fairbridge-" + hex.EncodeToString(sum[:16])
}

// withoutURL is the error without the URL that package http writes into it.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
