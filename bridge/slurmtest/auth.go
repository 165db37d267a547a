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

// access says who may come in: see Config.
type access struct {
	tokens map[string]string
	key    []byte
	local  string
	state  Auth
}

// caller is who asks.
type caller struct {
	user string
	here bool // with credentials; without any the answer is 401
	good bool // slurmctld takes them
}

// caller finds who asks. 22.05 knows fewer headers than the others.
func (a *access) caller(h http.Header, old bool, now time.Time) caller {
	token, name := h.Get("X-SLURM-USER-TOKEN"), h.Get("X-SLURM-USER-NAME")
	if token == "" && !old {
		token, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	}
	if token == "" {
		return caller{user: a.local, here: a.local != "", good: true}
	}
	if old && name == "" {
		return caller{}
	}
	user, good := a.verify(token, name, now)
	return caller{user: user, here: true, good: good && a.state == Normal}
}

// verify maps a token to its user. SlurmUser may act as any user.
func (a *access) verify(token, name string, now time.Time) (string, bool) {
	user := ""
	switch {
	case a.tokens != nil:
		user = a.tokens[token]
	case a.key != nil:
		user = a.signed(token, now)
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
func (a *access) signed(token string, now time.Time) string {
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
