package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"sync"
	"time"

	"fairbridge/api"
)

// Lives and numbers of what browsers come with.
const (
	linkLife          = 5 * time.Minute
	sessionLife       = 8 * time.Hour
	maxLinksOfUser    = 5
	maxSessionsOfUser = 10
	maxTokens         = 10_000 // of all users
)

// newToken draws 256 bits.
func newToken() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// tokenEntry is whose a token is.
type tokenEntry struct {
	user  string
	csrf  string // of a session: what its pages send with actions
	until time.Time
}

// tokenStore keeps hashes of tokens, so that neither its memory nor the time of a look-up
// tells one.
type tokenStore struct {
	now       func() time.Time
	life      time.Duration
	mostOfOne int

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]tokenEntry
}

func newTokenStore(now func() time.Time, life time.Duration, mostOfOne int) *tokenStore {
	return &tokenStore{now: now, life: life, mostOfOne: mostOfOne, byHash: map[[sha256.Size]byte]tokenEntry{}}
}

// add makes a token of a user. The user's oldest makes way where they have too many.
func (s *tokenStore) add(user string) (token string, e tokenEntry, err error) {
	token, now := newToken(), s.now()
	e = tokenEntry{user: user, csrf: newToken(), until: now.Add(s.life)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(user, now)
	if len(s.byHash) >= maxTokens {
		return "", tokenEntry{}, &api.Error{Code: api.CodeTooMany, Message: "too many browsers are signed in", Try: "try again later"}
	}
	s.byHash[sha256.Sum256([]byte(token))] = e
	return token, e, nil
}

// makeRoom drops what ended, and the user's oldest.
func (s *tokenStore) makeRoom(user string, now time.Time) {
	for {
		var oldest [sha256.Size]byte
		count := 0
		for key, e := range s.byHash {
			switch {
			case !now.Before(e.until):
				delete(s.byHash, key)
			case e.user == user:
				if count == 0 || e.until.Before(s.byHash[oldest].until) {
					oldest = key
				}
				count++
			}
		}
		if count < s.mostOfOne {
			return
		}
		delete(s.byHash, oldest)
	}
}

// find returns whose a token is that is still good.
func (s *tokenStore) find(token string) (tokenEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byHash[sha256.Sum256([]byte(token))]
	return e, ok && s.now().Before(e.until)
}

// take is find for a token that is good once.
func (s *tokenStore) take(token string) (tokenEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	e, ok := s.byHash[key]
	delete(s.byHash, key)
	return e, ok && s.now().Before(e.until)
}
