package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/restconn"
)

// session is a connection, and the API version that was agreed on.
type session struct {
	conn            *restconn.Conn
	pinnedVersion   string // the version the configuration wants; "" for the best
	onVersionChange func() // called when another version is agreed on

	mu             sync.Mutex // what follows
	api            API
	versionWarning string
}

// API returns the version in use and what it can do.
func (s *session) API() API {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.api
}

// VersionWarning says what people should know about the version in use; "" when
// there is nothing.
func (s *session) VersionWarning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versionWarning
}

// Token returns what the current token says of itself.
func (s *session) Token() (restconn.Token, error) { return s.conn.Token() }

// Conn returns the connection, for package writer.
func (s *session) Conn() *restconn.Conn { return s.conn }

// negotiateVersion asks slurmrestd which versions it serves and picks one.
func (s *session) negotiateVersion(ctx context.Context) error {
	var served []int
	_, err := s.conn.Get(ctx, "/openapi/v3", func(r io.Reader) (slurm.ReplyMeta, error) {
		var err error
		served, err = readServedVersions(r)
		return slurm.ReplyMeta{}, err
	})
	if err != nil {
		return fmt.Errorf("asking slurmrestd for its API versions: %w", err)
	}
	api, warning, err := chooseVersion(served, s.pinnedVersion)
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorVersionNotServed, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api.Version != api.Version {
		s.onVersionChange()
	}
	s.api, s.versionWarning = api, warning
	return nil
}

// get reads one path of the version in use. When slurmrestd no longer serves
// the version, another is agreed on and the read is done again.
func (s *session) get(ctx context.Context, path string, read restconn.BodyReader) (slurm.ReplyMeta, error) {
	meta, err := s.conn.Get(ctx, "/slurm/"+s.API().Name()+"/"+path, read)
	var e *slurm.Error
	if !errors.As(err, &e) || e.Class != slurm.ErrorVersionNotServed {
		return meta, err
	}
	if err := s.negotiateVersion(ctx); err != nil {
		return meta, err
	}
	return s.conn.Get(ctx, "/slurm/"+s.API().Name()+"/"+path, read)
}
