package source

import (
	"errors"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
)

// NewCommandError returns an error of a source as one of a command, by which its exit status
// goes: what was asked makes no sense, or the daemon is out of reach or cannot answer now.
func NewCommandError(s Source, err error) error {
	var told *api.Error
	if !errors.As(err, &told) {
		return err
	}
	_, isLocal := s.(*local)
	switch {
	case told.Code == api.CodeBadRequest:
		return cli.NewUsageError(told)
	case !isLocal && (told.Code == api.CodeUnavailable || told.Code == api.CodeTooMany):
		return cli.NewUnreachableError(err)
	}
	return err
}
