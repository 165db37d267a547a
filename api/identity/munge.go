package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential"
)

// MaxBody is the most bytes of a body that a munge credential is bound to.
const MaxBody = 64 << 10

// maxDecodes is how many processes decode at once; more requests wait.
const maxDecodes = 8

// mungeDecoder decodes each credential once.
type mungeDecoder struct {
	command []string
	seen    *replayCache
	slots   chan struct{}
}

func newMungeDecoder(command []string, now func() time.Time) *mungeDecoder {
	return &mungeDecoder{command: command, seen: newReplayCache(now), slots: make(chan struct{}, maxDecodes)}
}

// proveByMunge tells who made the credential of the request.
func (i *Identifier) proveByMunge(r *http.Request) (proof, error) {
	cred, err := mungeCredential(r)
	if cred == "" || err != nil {
		return proof{}, err
	}
	if len(i.cfg.Unmunge) == 0 {
		return proof{}, refuse("credentials of munge are not accepted here (api.unmunge)", "ask the operators")
	}
	if err := i.checkHost(r); err != nil {
		return proof{}, err
	}
	body, err := readBody(r)
	if err != nil {
		return proof{}, err
	}
	d, err := i.munge.decode(r.Context(), cred)
	if err != nil {
		return proof{}, err
	}
	want := credential.NewPayload(r.Method, r.RequestURI, r.Host, body)
	if subtle.ConstantTimeCompare([]byte(d.Payload), []byte(want)) != 1 {
		return proof{}, refuse("the munge credential was made for another request", "make one for each; what stands between must change neither host, path nor body")
	}
	name, err := i.users.nameOf(r.Context(), d.UID)
	return proof{name, api.OriginMunge}, err
}

// mostNames is how many of the daemon's names an error tells.
const mostNames = 5

// checkHost refuses a request over TLS that was made for another host: whoever was asked there, with the
// same key of munge, could hand it on to here and be taken for who made it.
func (i *Identifier) checkHost(r *http.Request) error {
	if r.TLS == nil || i.cfg.Hosts != nil && i.cfg.Hosts.IsOwn(r.Host) {
		return nil
	}
	try := "the operators can give this address in api.url, or have it in the certificate"
	if i.cfg.Hosts != nil {
		if names := i.cfg.Hosts.List(); len(names) > 0 {
			try = "ask by " + strings.Join(names[:min(len(names), mostNames)], " or ") + "; or have the operators set api.url"
		}
	}
	return refuse("the request was made for a host that is not this daemon by its own names", try)
}

// mungeCredential returns the credential in the header, "" where there is none.
func mungeCredential(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return "", nil
	}
	scheme, cred, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Munge") || cred == "" {
		return "", refuse("the header Authorization is not one Munge credential", "send no token of Slurm here: it could act for you")
	}
	return cred, nil
}

// readBody reads the body, and puts it back.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large) || len(body) > MaxBody:
		return nil, &api.Error{Code: api.CodeTooLarge, Message: "the body of the request is too large", Try: "at most 64 kB"}
	case err != nil:
		return nil, &api.Error{Code: api.CodeBadRequest, Message: "the body of the request ended early"}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

func (m *mungeDecoder) decode(ctx context.Context, cred string) (*credential.Decoded, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return nil, &api.Error{Code: api.CodeUnavailable, Message: "too many requests wait for munge", Try: "try again"}
	}
	d, err := credential.Decode(ctx, m.command, cred)
	if err != nil {
		return nil, err
	}
	return d, m.seen.add(d.UID, cred)
}

// replayLife is how long a credential could be believed again: from as much before as after
// it was made, with some to spare.
const replayLife = 3 * credential.Life

// maxReplays bounds what is remembered, and maxReplaysOfUser what is of one user, so that nobody
// keeps others from being believed; each takes about 100 bytes.
const (
	maxReplays       = 100_000
	maxReplaysOfUser = 5_000
)

// replayCache remembers credentials that were used: munged remembers only those that it
// decoded itself, since it was started.
type replayCache struct {
	now func() time.Time

	mu    sync.Mutex
	used  map[[sha256.Size]byte]use
	order [][sha256.Size]byte // as they came, which is as they end
	count map[uint32]int      // of each user
}

// use is by whom a credential was made, and until when it must be remembered.
type use struct {
	uid   uint32
	until time.Time
}

func newReplayCache(now func() time.Time) *replayCache {
	return &replayCache{now: now, used: map[[sha256.Size]byte]use{}, count: map[uint32]int{}}
}

// add notes a credential of a user, and refuses one that was used, and one that there is no room to
// remember. By what it decodes to: a text can be written in more than one way.
func (c *replayCache) add(uid uint32, cred string) error {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(cred, "MUNGE:"), ":"))
	if err != nil {
		return refuse("the munge credential is not valid here", "make a new one")
	}
	key, now := sha256.Sum256(raw), c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(now)
	if _, used := c.used[key]; used {
		return refuse("the munge credential was used before", "make a new one for each request")
	}
	if c.count[uid] >= maxReplaysOfUser || len(c.used) >= maxReplays {
		return &api.Error{Code: api.CodeTooMany, Message: "too many requests", Try: "try again in a minute"}
	}
	c.used[key] = use{uid, now.Add(replayLife)}
	c.count[uid]++
	c.order = append(c.order, key)
	return nil
}

func (c *replayCache) forget(now time.Time) {
	for len(c.order) > 0 && now.After(c.used[c.order[0]].until) {
		uid := c.used[c.order[0]].uid
		if c.count[uid]--; c.count[uid] == 0 {
			delete(c.count, uid)
		}
		delete(c.used, c.order[0])
		c.order = c.order[1:]
	}
}
