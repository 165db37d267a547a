package client

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"fairbridge/api"
)

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
