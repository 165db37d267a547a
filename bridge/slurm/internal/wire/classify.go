package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/go-resty/resty/v2"

	"fairbridge/bridge/slurm"
)

// classByNumber sorts Slurm's error numbers (slurm_errno.h). Numbers that are
// missing fall to doubt: read again later, or believe only a look.
var classByNumber = map[int]slurm.Class{
	1001: slurm.Unreachable, 1800: slurm.Unreachable, // slurmrestd could not connect to slurmctld
	1005: slurm.Busy, 1025: slurm.Busy, // protocol version, shutting down
	1007: slurm.Denied, 6000: slurm.Denied, 6001: slurm.Denied, 9008: slurm.Denied,
	2027: slurm.Busy, 2131: slurm.Busy, // a standby controller answered
	2017: slurm.Gone,
	2018: slurm.Changed, // also said of a node list for a job that has started
	2020: slurm.Changed, 2021: slurm.Changed, 2024: slurm.Changed, 2042: slurm.Changed,
	2061: slurm.Changed, 2073: slurm.Changed, 2083: slurm.Changed, 2084: slurm.Changed,
	2085: slurm.Changed, 2086: slurm.Changed, 2185: slurm.Changed,
	2002: slurm.Refused, 2010: slurm.Refused, 2037: slurm.Refused, 2052: slurm.Refused,
	2050: slurm.Refused, 2095: slurm.Refused, 2096: slurm.Refused,
}

// classOf returns the class of a number, or doubt.
func classOf(number int, doubt slurm.Class) slurm.Class {
	if c, ok := classByNumber[number]; ok {
		return c
	}
	switch {
	case number >= 2000 && number < 2090, number > 2090 && number < 3000, number >= 9000 && number < 9400:
		return slurm.Rejected
	}
	return doubt
}

// replyError returns the error an answer stands for, nil if none. doubt is the
// class of what proves nothing: Busy when reading, Unclear when writing.
func replyError(m slurm.Meta, status int, doubt slurm.Class) error {
	m.Errors = slices.DeleteFunc(slices.Clone(m.Errors), isArraySuccess)
	if len(m.Errors) == 0 {
		if status == http.StatusOK {
			return nil
		}
		return &slurm.Error{Class: statusClass(status, doubt), Status: status, Text: http.StatusText(status)}
	}
	p := m.Errors[0]
	for _, q := range m.Errors {
		if q.Number > 0 { // 22.05 puts "unspecified" ones before the one that tells
			p = q
			break
		}
	}
	e := &slurm.Error{Class: classOf(p.Number, doubt), Number: p.Number, Status: status, Text: excerpt(p.Text)}
	if e.Class == doubt {
		e.Class = statusClass(status, doubt)
	}
	if p.Number == -1 || p.Number == 1000 {
		e.Text += "; slurmctld is down or does not accept the token (slurmrestd does not say which)"
	}
	return e
}

// isArraySuccess reports whether an entry of errors[] stands for success: 22.05
// reports every record of an array it updated as failed, with a number where
// it did fail and with none where it did not.
func isArraySuccess(p slurm.Problem) bool {
	return p.Number == 0 && strings.HasPrefix(p.Text, "job array update from ")
}

// statusClass sorts HTTP statuses that come without a number of Slurm's.
func statusClass(status int, doubt slurm.Class) slurm.Class {
	switch status {
	case http.StatusUnauthorized, http.StatusNetworkAuthenticationRequired:
		return slurm.Denied
	case http.StatusForbidden:
		return slurm.Refused
	case http.StatusNotFound:
		return slurm.NoVersion
	case http.StatusTooManyRequests:
		return slurm.Busy
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return slurm.Rejected
	}
	return doubt
}

// notJSONError sorts an answer that slurmrestd would not have given to a good
// request: its plain texts, and what proxies and strangers send.
func (c *Conn) notJSONError(r *resty.Response, doubt slurm.Class) error {
	status := r.StatusCode()
	head, _ := io.ReadAll(io.LimitReader(r.RawBody(), 512))
	e := &slurm.Error{Class: statusClass(status, doubt), Status: status, Text: excerpt(string(head))}
	if status < 400 {
		if e.Class = slurm.Garbled; doubt == slurm.Unclear {
			e.Class = doubt
		}
		e.Text = fmt.Sprintf("got %.60q where JSON was expected: is url that of slurmrestd?", r.Header().Get("Content-Type"))
	}
	if status == http.StatusUnauthorized && r.Request.Header.Get("X-SLURM-USER-TOKEN") == "" {
		e.Text += "; no token was sent: set token_file, or run as the user slurmrestd runs as"
	}
	return e
}

// callError sorts a request that got none.
func (c *Conn) callError(err error, connected bool, doubt slurm.Class) error {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e
	}
	if !connected {
		return &slurm.Error{Class: slurm.Unreachable, Err: fmt.Errorf("connecting to slurmrestd at %s: %w", c.cfg.URL, err)}
	}
	if dial, ok := dialError(err); ok && doubt != slurm.Unclear {
		return &slurm.Error{Class: slurm.Unreachable, Err: dial}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer from slurmrestd within %v: %w", c.cfg.Timeout, context.DeadlineExceeded)
	}
	return &slurm.Error{Class: doubt, Err: err}
}

func dialError(err error) (*net.OpError, bool) {
	var op *net.OpError
	return op, errors.As(err, &op) && op.Op == "dial"
}

// excerpt makes foreign text fit for a log line: one line, bounded, printable.
func excerpt(s string) string {
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
