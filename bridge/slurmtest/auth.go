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

// authenticator says who may come in: see Config.
type authenticator struct {
	tokens map[string]string
	key    []byte
	local  string
	state  Auth
}

// requester is who asks.
type requester struct {
	user    string
	isLocal bool // with credentials; without any the answer is 401
	isValid bool // slurmctld takes them
}

// callerOf finds who asks. 22.05 knows fewer headers than the others.
func (a *authenticator) callerOf(h http.Header, old bool, now time.Time) requester {
	token, name := h.Get("X-SLURM-USER-TOKEN"), h.Get("X-SLURM-USER-NAME")
	if token == "" && !old {
		token, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	}
	if token == "" {
		return requester{user: a.local, isLocal: a.local != "", isValid: true}
	}
	if old && name == "" {
		return requester{}
	}
	user, good := a.verify(token, name, now)
	return requester{user: user, isLocal: true, isValid: good && a.state == Normal}
}

// verify maps a token to its user. SlurmUser may act as any user.
func (a *authenticator) verify(token, name string, now time.Time) (string, bool) {
	user := ""
	switch {
	case a.tokens != nil:
		user = a.tokens[token]
	case a.key != nil:
		user = a.verifySignature(token, now)
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

// verifySignature returns the user of a token of our key that has not run out.
func (a *authenticator) verifySignature(token string, now time.Time) string {
	t, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return a.key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now }))
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
