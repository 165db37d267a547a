package restconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-resty/resty/v2"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
)

// errorClassByNumber sorts Slurm's error numbers (slurm_errno.h). Numbers that are
// missing fall to doubt: read again later, or believe only a look.
var errorClassByNumber = map[int]slurm.ErrorClass{
	1001: slurm.ErrorUnreachable, 1800: slurm.ErrorUnreachable, // slurmrestd could not connect to slurmctld
	1005: slurm.ErrorBusy, 1025: slurm.ErrorBusy, // protocol version, shutting down
	1007: slurm.ErrorBadToken, 6000: slurm.ErrorBadToken, 6001: slurm.ErrorBadToken, 9008: slurm.ErrorBadToken,
	2027: slurm.ErrorBusy, 2131: slurm.ErrorBusy, // a standby controller answered
	2017: slurm.ErrorJobGone,
	2018: slurm.ErrorJobChanged, // also said of a node list for a job that has started
	2020: slurm.ErrorJobChanged, 2021: slurm.ErrorJobChanged, 2024: slurm.ErrorJobChanged, 2042: slurm.ErrorJobChanged,
	2061: slurm.ErrorJobChanged, 2073: slurm.ErrorJobChanged, 2083: slurm.ErrorJobChanged, 2084: slurm.ErrorJobChanged,
	2085: slurm.ErrorJobChanged, 2086: slurm.ErrorJobChanged, 2185: slurm.ErrorJobChanged,
	2002: slurm.ErrorForbidden, 2010: slurm.ErrorForbidden, 2037: slurm.ErrorForbidden, 2052: slurm.ErrorForbidden,
	2050: slurm.ErrorForbidden, 2095: slurm.ErrorForbidden, 2096: slurm.ErrorForbidden,
}

// errorClassOfNumber returns the class of a number, or doubt.
func errorClassOfNumber(number int, doubt slurm.ErrorClass) slurm.ErrorClass {
	if c, ok := errorClassByNumber[number]; ok {
		return c
	}
	switch {
	case number >= 2000 && number < 2090, number > 2090 && number < 3000, number >= 9000 && number < 9400:
		return slurm.ErrorBadRequest
	}
	return doubt
}

// errorFromReply returns the error an answer stands for, nil if none. doubt is the
// class of what proves nothing: ErrorBusy when reading, ErrorOutcomeUnknown when writing.
func errorFromReply(m slurm.ReplyMeta, status int, doubt slurm.ErrorClass) error {
	m.Errors = slices.DeleteFunc(slices.Clone(m.Errors), isArraySuccess)
	if len(m.Errors) == 0 {
		if status == http.StatusOK {
			return nil
		}
		return &slurm.Error{Class: errorClassOfStatus(status, doubt), HTTPStatus: status, Text: http.StatusText(status)}
	}
	p := m.Errors[0]
	for _, q := range m.Errors {
		if q.ErrorNumber > 0 { // 22.05 puts "unspecified" ones before the one that tells
			p = q
			break
		}
	}
	e := &slurm.Error{Class: errorClassOfNumber(p.ErrorNumber, doubt), Number: p.ErrorNumber, HTTPStatus: status, Text: cleanExcerpt(p.Text)}
	if e.Class == doubt {
		e.Class = errorClassOfStatus(status, doubt)
	}
	if p.ErrorNumber == -1 || p.ErrorNumber == 1000 {
		e.Text += unspecifiedErrorHint(doubt)
	}
	return e
}

// unspecifiedErrorHint says what an error means of which Slurm says no more than that there was
// one. Right before each write the job was read, so that slurmctld was there a moment ago.
func unspecifiedErrorHint(doubt slurm.ErrorClass) string {
	if doubt == slurm.ErrorOutcomeUnknown {
		return "; Slurm gives no reason: a job_submit plugin refuses the change (slurmctld's log tells), or slurmctld has just gone down"
	}
	return "; slurmctld is down or does not accept the token (slurmrestd does not say which)"
}

// isArraySuccess reports whether an entry of errors[] stands for success: 22.05
// reports every record of an array it updated as failed, with a number where
// it did fail and with none where it did not.
func isArraySuccess(p slurm.Problem) bool {
	return p.ErrorNumber == 0 && strings.HasPrefix(p.Text, "job array update from ")
}

// errorClassOfStatus sorts HTTP statuses that come without a number of Slurm's.
func errorClassOfStatus(status int, doubt slurm.ErrorClass) slurm.ErrorClass {
	switch status {
	case http.StatusUnauthorized, http.StatusNetworkAuthenticationRequired:
		return slurm.ErrorBadToken
	case http.StatusForbidden:
		return slurm.ErrorForbidden
	case http.StatusNotFound:
		return slurm.ErrorVersionNotServed
	case http.StatusTooManyRequests:
		return slurm.ErrorBusy
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return slurm.ErrorBadRequest
	}
	return doubt
}

// errorFromNonJSON sorts an answer that slurmrestd would not have given to a good
// request: its plain texts, and what proxies and strangers send.
func (c *Conn) errorFromNonJSON(r *resty.Response, doubt slurm.ErrorClass) error {
	status := r.StatusCode()
	head, _ := io.ReadAll(io.LimitReader(r.RawBody(), 512))
	e := &slurm.Error{Class: errorClassOfStatus(status, doubt), HTTPStatus: status, Text: cleanExcerpt(string(head))}
	if status < 400 {
		if e.Class = slurm.ErrorGarbledReply; doubt == slurm.ErrorOutcomeUnknown {
			e.Class = doubt
		}
		e.Text = fmt.Sprintf("got %.60q where JSON was expected: is url that of slurmrestd?", r.Header().Get("Content-Type"))
	}
	if status == http.StatusUnauthorized && r.Request.Header.Get("X-SLURM-USER-TOKEN") == "" {
		e.Text += "; no token was sent: set token_file, or run as the user slurmrestd runs as"
	}
	return e
}

// errorFromFailedCall sorts a request that got none. The caller's context tells whether its own
// time was over before slurm.timeout.
func (c *Conn) errorFromFailedCall(caller context.Context, err error, connected bool, doubt slurm.ErrorClass) error {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e
	}
	if !connected {
		return &slurm.Error{Class: slurm.ErrorUnreachable, Err: fmt.Errorf("connecting to slurmrestd at %s: %w", c.cfg.URL, err)}
	}
	if dial, ok := asDialError(err); ok && doubt != slurm.ErrorOutcomeUnknown {
		return &slurm.Error{Class: slurm.ErrorUnreachable, Err: dial}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer from slurmrestd within %v: %w", c.cfg.Timeout, context.DeadlineExceeded)
		if caller.Err() != nil {
			err = fmt.Errorf("no answer from slurmrestd in the time that was left for it, less than slurm.timeout (%v): %w", c.cfg.Timeout, context.DeadlineExceeded)
		}
	}
	return &slurm.Error{Class: doubt, Err: err}
}

func asDialError(err error) (*net.OpError, bool) {
	var op *net.OpError
	return op, errors.As(err, &op) && op.Op == "dial"
}

// cleanExcerpt makes foreign text fit for a log line: one line, bounded, printable.
func cleanExcerpt(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return s
}

// BodyReader reads an answer's body. The error it returns for a body it cannot
// understand is reported as ErrorGarbledReply.
type BodyReader func(io.Reader) (slurm.ReplyMeta, error)

// Get reads path. Errors are *slurm.Error; an answer that lists errors is one,
// whatever its HTTP status.
func (c *Conn) Get(caller context.Context, path string, read BodyReader) (slurm.ReplyMeta, error) {
	ctx, cancel := context.WithTimeout(caller, c.cfg.Timeout)
	defer cancel()
	resp, connected, err := c.sendRequest(ctx, c.readClient, http.MethodGet, path, nil)
	if err != nil {
		return slurm.ReplyMeta{}, c.errorFromFailedCall(caller, err, connected, slurm.ErrorBusy)
	}
	defer resp.RawBody().Close()
	if !isJSON(resp) {
		return slurm.ReplyMeta{}, c.errorFromNonJSON(resp, slurm.ErrorBusy)
	}
	if resp.StatusCode() != http.StatusOK {
		read = readReplyMeta
	}
	meta, err := read(&limitedReader{source: resp.RawBody(), remainingBytes: c.cfg.MaxBytes})
	switch {
	case err != nil && ctx.Err() != nil:
		return meta, c.errorFromFailedCall(caller, ctx.Err(), true, slurm.ErrorBusy)
	case err != nil:
		return meta, newGarbledError(err, path, resp.StatusCode())
	}
	return meta, errorFromReply(meta, resp.StatusCode(), slurm.ErrorBusy)
}

// newGarbledError is the error of an answer that could not be read to its end.
func newGarbledError(err error, path string, status int) error {
	var e *slurm.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return &slurm.Error{Class: slurm.ErrorGarbledReply, HTTPStatus: status, Text: "the answer to GET " + path, Err: err}
}

// readReplyMeta reads the errors and warnings of an answer whose list is of no
// interest. What failed for single tasks of a job counts as an error of all.
func readReplyMeta(r io.Reader) (slurm.ReplyMeta, error) {
	results, meta, err := new(decode.Decoder).TaskResults(r)
	for _, res := range results {
		if res.ErrorNumber != 0 {
			meta.Errors = append(meta.Errors, slurm.Problem{ErrorNumber: res.ErrorNumber, Text: res.StepID + " " + res.Text})
		}
	}
	return meta, err
}

func isJSON(r *resty.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header().Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// errReplyTooLarge ends the reading of an answer that exceeds the limit.
var errReplyTooLarge = errors.New("the answer is larger than max_bytes")

// limitedReader fails rather than ends when its allowance is used up, so that a
// huge answer is never taken for a complete one.
type limitedReader struct {
	source         io.Reader
	remainingBytes int64
}

func (c *limitedReader) Read(p []byte) (int, error) {
	if c.remainingBytes <= 0 {
		return 0, errReplyTooLarge
	}
	if int64(len(p)) > c.remainingBytes {
		p = p[:c.remainingBytes]
	}
	n, err := c.source.Read(p)
	c.remainingBytes -= int64(n)
	return n, err
}

// maxWriteReplyBytes bounds the answer to a write, in bytes.
const maxWriteReplyBytes = 1 << 20

// Post sends one write, once: it is never retried. A nil error means that
// Slurm said yes without a warning. Whether it may have been done in spite of an
// error, slurm.OutcomeOf says.
func Post(caller context.Context, c *Conn, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(caller, c.cfg.Timeout)
	defer cancel()
	c.writeCount.Add(1)
	resp, connected, err := c.sendRequest(ctx, c.writeClient, http.MethodPost, path, body)
	if err != nil {
		return c.errorFromFailedCall(caller, err, connected, slurm.ErrorOutcomeUnknown)
	}
	defer resp.RawBody().Close()
	if !isJSON(resp) {
		return c.errorFromNonJSON(resp, slurm.ErrorOutcomeUnknown)
	}
	meta, err := readReplyMeta(&limitedReader{source: resp.RawBody(), remainingBytes: maxWriteReplyBytes})
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: resp.StatusCode(), Err: err}
	}
	if err := errorFromReply(meta, resp.StatusCode(), slurm.ErrorOutcomeUnknown); err != nil {
		return err
	}
	if len(meta.Warnings) > 0 { // a field was ignored: only a look can tell what became of the write
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: resp.StatusCode(),
			Err: errors.New("answered with a warning: " + cleanExcerpt(strings.Join(meta.Warnings, "; ")))}
	}
	return nil
}
