package api

import (
	"errors"
	"net/http"
)

// Code says of which kind an error is.
type Code string

// The codes.
const (
	CodeBadRequest      Code = "bad_request"     // what is asked makes no sense; Message names what
	CodeUnauthenticated Code = "unauthenticated" // it was not proven who asks
	CodeForbidden       Code = "forbidden"       // it was, and they may not
	CodeNotFound        Code = "not_found"       // there is none, or it is private: the answer does not tell which
	CodeConflict        Code = "conflict"        // it changed since it was confirmed
	CodeTooLarge        Code = "too_large"       // headers, body or address
	CodeTooMany         Code = "too_many"        // requests; try again later
	CodeUnavailable     Code = "unavailable"     // what is needed for the answer is out of reach now
	CodeInternal        Code = "internal"        // a fault of ours
)

var statusByCode = map[Code]int{
	CodeBadRequest: http.StatusBadRequest, CodeUnauthenticated: http.StatusUnauthorized, CodeForbidden: http.StatusForbidden,
	CodeNotFound: http.StatusNotFound, CodeConflict: http.StatusConflict, CodeTooLarge: http.StatusRequestEntityTooLarge,
	CodeTooMany: http.StatusTooManyRequests, CodeUnavailable: http.StatusServiceUnavailable, CodeInternal: http.StatusInternalServerError,
}

// Error is an error that is told to who asks. Its message holds no secret and nothing that
// is not theirs to see.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`       // what was wrong
	Try     string `json:"try,omitempty"` // what to try
}

// Error says what was wrong, and what to try.
func (e *Error) Error() string {
	if e.Try == "" {
		return e.Message
	}
	return e.Message + ": " + e.Try
}

// Status is the HTTP status of the error.
func (e *Error) Status() int { return statusByCode[e.Code] }

// CausedError is an Error with its cause, which is for the log and not for who asks.
type CausedError struct {
	Told  *Error
	Cause error
}

// Error is what is told.
func (e *CausedError) Error() string { return e.Told.Error() }

// Unwrap returns what is told, and its cause.
func (e *CausedError) Unwrap() []error { return []error{e.Told, e.Cause} }

// CodeOf returns the code of an error, CodeInternal where it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}
