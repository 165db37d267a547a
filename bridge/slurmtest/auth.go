package slurmtest

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Auth says what becomes of every token, whatever it is.
type Auth int

// The states of authentication.
const (
	Normal  Auth = iota // as configured
	Expired             // every token is refused as expired
	Forged              // every token is refused as not ours; Slurm answers the same
)

// SetAuth changes the state, as when a token runs out or the key is changed.
func (s *Server) SetAuth(a Auth) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.auth = a
}

// who finds the caller. here is false when no credentials came at all (401);
// good is false when slurmctld would refuse them.
func (s *Server) who(r *http.Request) (user string, here, good bool) {
	token, name := r.Header.Get("X-SLURM-USER-TOKEN"), r.Header.Get("X-SLURM-USER-NAME")
	old := s.old()
	if token == "" && !old {
		token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	if token == "" {
		return s.cfg.Local, s.cfg.Local != "", true
	}
	if old && name == "" {
		return "", false, false
	}
	user, good = s.verify(token, name)
	return user, true, good && s.auth == Normal
}

// verify maps a token to its user. SlurmUser may act as anybody.
func (s *Server) verify(token, name string) (string, bool) {
	user := ""
	switch {
	case s.cfg.Tokens != nil:
		user = s.cfg.Tokens[token]
	case s.cfg.Key != nil:
		user = s.signed(token)
	default:
		if user = name; user == "" {
			user = "slurm"
		}
	}
	switch {
	case user == "":
		return "", false
	case name == "" || name == user:
		return user, true
	}
	return name, user == "slurm" || user == "root"
}

// signed returns the user of a token of our key that has not run out.
func (s *Server) signed(token string) string {
	t, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return s.cfg.Key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return s.world.Now() }))
	if err != nil {
		return ""
	}
	claims, _ := t.Claims.(jwt.MapClaims)
	if sun, ok := claims["sun"].(string); ok {
		return sun
	}
	user, _ := claims["username"].(string)
	return user
}

// old reports whether 22.05 is played.
func (s *Server) old() bool { return strings.HasPrefix(s.world.Version(), "22.05") }

// newest reports whether 26.05 or later is played, which answers 422 where
// earlier releases answered 500.
func (s *Server) newest() bool { return s.world.Version() >= "26.05" }
