package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential"
)

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
