package client

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// get asks for a path with parameters and reads the answer into one.
func (c *Client) get(ctx context.Context, path string, params []wire.Param, answer any) error {
	return c.ask(ctx, http.MethodGet, path, wire.Encode(params), nil, answer)
}

// ask sends one request and reads the answer. An error that the daemon tells is an
// *api.Error, a daemon that cannot be reached an *UnreachableError.
func (c *Client) ask(ctx context.Context, method, path string, query url.Values, body, answer any) error {
	address := c.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := c.newRequest(ctx, method, address, body)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return explain(c.cfg.URL, c.cfg.Timeout, err)
	}
	defer response.Body.Close()
	raw, err := c.readAll(response)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return c.readError(response, raw)
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return c.newForeignError(response, fmt.Sprintf("its answer cannot be read: %v", err))
	}
	return nil
}

func (c *Client) newRequest(ctx context.Context, method, address string, body any) (*http.Request, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("writing the request: %w", err)
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("making a request of %s: %w", address, err)
	}
	request.Header.Set("User-Agent", c.cfg.UserAgent)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.cfg.Prover != nil {
		proof, err := c.cfg.Prover.Prove(ctx, method, request.URL.RequestURI(), request.URL.Host, raw)
		if err != nil {
			return nil, fmt.Errorf("proving who asks %s: %w", c.cfg.URL, err)
		}
		request.Header.Set("Authorization", proof)
	}
	return request, nil
}

// readAll reads an answer that is not too large.
func (c *Client) readAll(response *http.Response) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(response.Body, c.cfg.MaxReplyBytes+1))
	switch {
	case err != nil:
		return nil, explain(c.cfg.URL, c.cfg.Timeout, err)
	case int64(len(raw)) > c.cfg.MaxReplyBytes:
		return nil, &api.Error{Code: api.CodeTooLarge, Message: fmt.Sprintf("the answer of %s has more than %d MiB", c.cfg.URL, c.cfg.MaxReplyBytes>>20),
			Try: "ask for less: one partition, user or account"}
	}
	return raw, nil
}

// readError reads an answer that is no success.
func (c *Client) readError(response *http.Response, raw []byte) error {
	var told struct{ Error *api.Error }
	if json.Unmarshal(raw, &told) != nil || told.Error == nil || told.Error.Message == "" {
		what := "it answers " + response.Status
		if to := response.Header.Get("Location"); to != "" {
			what += fmt.Sprintf(" and points to %.200q, where nothing is sent", to)
		}
		return c.newForeignError(response, what)
	}
	e := told.Error
	switch e.Code {
	case api.CodeUnauthenticated:
		e.Try = join(e.Try, describeClocks(response.Header.Get("Date"), time.Now()))
	case api.CodeTooMany, api.CodeUnavailable:
		if s := response.Header.Get("Retry-After"); s != "" {
			e.Try = join(e.Try, "try again in "+s+" s")
		}
	case api.CodeInternal:
		if id := response.Header.Get(wire.RequestIDHeader); id != "" {
			e.Try = join(e.Try, "tell its operators request "+id)
		}
	}
	return e
}

// newForeignError says that what answers does not speak as fairbridge does.
func (c *Client) newForeignError(response *http.Response, what string) error {
	return &UnreachableError{URL: c.cfg.URL, Try: "is that the address of fairbridge, and its release not older than this program's?",
		Err: errors.New(what + " (" + response.Request.URL.Path + ")")}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// mostClockDifference is how far the clocks of two hosts may be apart before it is said.
const mostClockDifference = 30 * time.Second

// describeClocks says how far the server's clock, by its header Date, is from ours; "" where
// that is little or not known.
func describeClocks(date string, now time.Time) string {
	there, err := http.ParseTime(date)
	if err != nil {
		return ""
	}
	switch d := there.Sub(now).Round(time.Second); {
	case d > mostClockDifference:
		return fmt.Sprintf("its clock is %v ahead of this host's: have both set right (chrony, NTP)", d)
	case d < -mostClockDifference:
		return fmt.Sprintf("its clock is %v behind this host's: have both set right (chrony, NTP)", -d)
	}
	return ""
}

// UnreachableError is a daemon that could not be asked. Its code is api.CodeUnavailable.
type UnreachableError struct {
	URL string // that was tried
	Try string // what to try
	Err error  // what went wrong
}

// Error says what was tried, what went wrong and what to try.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("asking fairbridge at %s: %v: %s", e.URL, e.Err, e.Try)
}

// Unwrap returns the cause, and what it is to who asks.
func (e *UnreachableError) Unwrap() []error {
	return []error{e.Err, &api.Error{Code: api.CodeUnavailable, Message: e.Err.Error(), Try: e.Try}}
}

// explain says of an exchange that failed what to try. A caller that gave up is told so.
func explain(address string, timeout time.Duration, err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // it repeats the address
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("asking fairbridge at %s: %w", address, err)
	}
	return &UnreachableError{URL: address, Err: err, Try: adviseOn(err, timeout)}
}

// adviseOn says what to try.
func adviseOn(err error, timeout time.Duration) string {
	if advice := adviseOnTLS(err); advice != "" {
		return advice
	}
	var dns *net.DNSError
	var netError net.Error
	switch {
	case errors.As(err, &dns):
		return "no host of that name is known: is the address right?"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing answers there: does the daemon run, and is the address right?"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such socket: is this the daemon's host, and does it run?"
	case errors.Is(err, fs.ErrPermission):
		return "the socket is closed to you: its folder must be open to all (mode 0755)"
	case errors.As(err, &netError) && netError.Timeout():
		return fmt.Sprintf("no answer within %v: is the address right, does a firewall drop it, or is the daemon busy?", timeout)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return "it closed the connection: perhaps this host has too many open to it; try again, and to stop " +
			"all writing at once touch the STOP file on the daemon's host (stop_file, /etc/fairbridge/STOP)"
	}
	return "is the address right, and does the daemon run?"
}

// adviseOnTLS says what to try where no protected connection came about, "" where it did.
func adviseOnTLS(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return "its certificate is not trusted here: name the certificate of its authority as ca_file"
	case errors.As(err, &name):
		return "its certificate is for another name: use the name it is for in the address"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is not valid at this host's time: have it renewed, or this host's clock set right"
	case errors.As(err, &invalid):
		return "its certificate is not valid: have it made anew"
	case strings.Contains(err.Error(), "HTTP response to HTTPS client") || strings.Contains(err.Error(), "first record does not look like a TLS handshake"):
		return "what answers there does not speak TLS: is the port right?"
	}
	return ""
}
