package actions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"fairbridge/api"
)

// confirmationTime is how long what was told may be confirmed.
const confirmationTime = 5 * time.Minute

// confirmation is what Confirm holds: until when it holds, what was seen, and the proof
// that it is ours, for this request of this author.
type confirmation struct {
	until time.Time
	seen  [sha256.Size]byte
	proof [sha256.Size]byte
}

const confirmationLength = 8 + 2*sha256.Size

func (s *Service) newConfirmation(v *api.Viewer, r *api.ActionRequest, state string, now time.Time) string {
	c := confirmation{until: now.Add(confirmationTime), seen: sha256.Sum256([]byte(state))}
	c.proof = s.prove(&c, v, r)
	b := binary.BigEndian.AppendUint64(nil, uint64(c.until.UnixNano()))
	return base64.RawURLEncoding.EncodeToString(append(append(b, c.seen[:]...), c.proof[:]...))
}

func parseConfirmation(text string) (c confirmation, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != confirmationLength {
		return c, false
	}
	c.until = time.Unix(0, int64(binary.BigEndian.Uint64(b)))
	copy(c.seen[:], b[8:])
	copy(c.proof[:], b[8+sha256.Size:])
	return c, true
}

// prove is the HMAC over when the confirmation ends, what was seen, who asks and what for.
func (s *Service) prove(c *confirmation, v *api.Viewer, r *api.ActionRequest) (proof [sha256.Size]byte) {
	asked := *r
	asked.Confirm = ""
	text, _ := json.Marshal(struct { // nothing in it can fail
		Until        int64
		Seen         []byte
		User, Origin string
		api.ActionRequest
	}{c.until.UnixNano(), c.seen[:], v.User, v.Origin, asked})
	h := hmac.New(sha256.New, s.key[:])
	_, _ = h.Write(text)
	copy(proof[:], h.Sum(nil))
	return proof
}

// useConfirmation says why what is asked for may not be done by its confirmation, and lets it hold no
// longer where it may. It is known again by its proof: the same can be written in several ways.
func (s *Service) useConfirmation(v *api.Viewer, r *api.ActionRequest, p *proposal, now time.Time) error {
	const again = "ask again without confirm, and confirm what is told then"
	for used, until := range s.used {
		if now.After(until) {
			delete(s.used, used)
		}
	}
	c, ok := parseConfirmation(r.Confirm)
	proof := s.prove(&c, v, r)
	_, wasUsed := s.used[c.proof]
	switch {
	case !ok || !hmac.Equal(c.proof[:], proof[:]):
		return conflict(again, "this confirms something else: another request, of another author, or told by a daemon that was started anew since")
	case now.After(c.until):
		return conflict(again, "this was told more than %s ago", confirmationTime)
	case wasUsed:
		return conflict("the list of actions shows it", "this was confirmed already")
	case c.seen != sha256.Sum256([]byte(p.state)):
		return conflict(again, "it would do something else by now: %s", p.effect)
	}
	s.used[c.proof] = c.until
	return nil
}
