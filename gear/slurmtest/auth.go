package slurmtest

import (
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// AuthState says what becomes of every token, whatever it is.
type AuthState int

// The states of authentication.
const (
	AuthNormal  AuthState = iota // as configured
	AuthExpired                  // every token is refused as expired
	AuthForged                   // every token is refused as not ours; Slurm answers the same
)

// authenticator says who may come in: see Config.
type authenticator struct {
	userByToken map[string]string
	signingKey  []byte
	localUser   string
	authState   AuthState
}

// requester is who asks.
type requester struct {
	user           string
	hasCredentials bool // with credentials; without any the answer is 401
	isAccepted     bool // slurmctld takes them
}

// findRequester finds who asks. 22.05 knows fewer headers than the others.
func (a *authenticator) findRequester(h http.Header, old bool, now time.Time) requester {
	token, name := h.Get("X-SLURM-USER-TOKEN"), h.Get("X-SLURM-USER-NAME")
	if token == "" && !old {
		token, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	}
	if token == "" {
		return requester{user: a.localUser, hasCredentials: a.localUser != "", isAccepted: true}
	}
	if old && name == "" {
		return requester{}
	}
	user, good := a.verifyToken(token, name, now)
	return requester{user: user, hasCredentials: true, isAccepted: good && a.authState == AuthNormal}
}

// verifyToken maps a token to its user. SlurmUser may act as any user.
func (a *authenticator) verifyToken(token, name string, now time.Time) (string, bool) {
	user := ""
	switch {
	case a.userByToken != nil:
		user = a.userByToken[token]
	case a.signingKey != nil:
		user = a.userFromSignedToken(token, now)
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

// userFromSignedToken returns the user of a token of our key that has not run out.
func (a *authenticator) userFromSignedToken(token string, now time.Time) string {
	t, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return a.signingKey, nil },
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
