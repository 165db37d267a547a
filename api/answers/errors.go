package answers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/accounting"
	"fairbridge/api"
	"fairbridge/policy"
)

func badRequest(format string, a ...any) *api.Error {
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf(format, a...)}
}

func forbidden(message, try string) *api.Error {
	return &api.Error{Code: api.CodeForbidden, Message: message, Try: try}
}

// toldError is the error as the viewer may see it: what was being done and what to try; the whole story is
// for operators, since it may name hosts and files.
func toldError(v *api.Viewer, doing string, err error) error {
	var told *api.Error
	if errors.As(err, &told) {
		return told
	}
	code, message, try := api.CodeInternal, doing+" failed", "tell an operator; fairbridge doctor looks at everything"
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		code, message, try = api.CodeUnavailable, doing+" took too long", "try again in a while"
	case isUnavailable(err):
		code, message, try = api.CodeUnavailable, doing+": the database cannot be asked now", "try again in a while; squeue and sinfo still answer"
	}
	if v.IsOperator() {
		message = doing + ": " + err.Error()
	}
	told = &api.Error{Code: code, Message: message, Try: try}
	return &api.CausedError{Told: told, Cause: fmt.Errorf("%s: %w", doing, err)}
}

// isUnavailable reports whether the database is out of reach, and may be back.
func isUnavailable(err error) bool {
	return errors.Is(err, accounting.ErrUnreachable) || errors.Is(err, accounting.ErrDiskFull)
}

// recordTimeout is how long the database may take to answer where the last cycles in memory do instead.
const recordTimeout = 2 * time.Second

// askBriefly asks the database. One that does not answer in time counts as away: it may be there and hang.
func askBriefly(ctx context.Context, ask func(context.Context) error) error {
	brief, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	err := ask(brief)
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("no answer within %s: %w", policy.FormatDuration(recordTimeout), accounting.ErrUnreachable)
	}
	return err
}
