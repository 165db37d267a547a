package credential

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// metadata is what unmunge prints of a credential.
type metadata struct {
	status           int
	encoded, decoded time.Time
	ttl              int
	uid              uint32
	payload          string
}

// times says when it was made and when it was decoded, each by its own host's clock.
func (m *metadata) times() string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf(": made at %s, decoded at %s", m.encoded.Format(time.RFC3339), m.decoded.Format(time.RFC3339))
}

// parseMetadata reads all that unmunge prints: a line for each key, an empty one, the payload.
func parseMetadata(text string) (*metadata, error) {
	head, payload, found := strings.Cut(text, "\n\n")
	if !found {
		return nil, errors.New("reading what unmunge printed: it has no end of the metadata")
	}
	values := map[string]string{}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if _, twice := values[key]; !ok || twice {
			return nil, fmt.Errorf("reading what unmunge printed: the line %q", line)
		}
		values[key] = lastParenthesis(strings.TrimSpace(value))
	}
	m := &metadata{payload: payload}
	var numbers [6]uint64
	for i, key := range [...]string{"STATUS", "ENCODE_TIME", "DECODE_TIME", "TTL", "UID", "LENGTH"} {
		n, err := strconv.ParseUint(values[key], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("reading what unmunge printed: %s is %q", key, values[key])
		}
		numbers[i] = n
	}
	m.status, m.ttl, m.uid = int(numbers[0]), int(numbers[3]), uint32(numbers[4])
	m.encoded, m.decoded = time.Unix(int64(numbers[1]), 0).UTC(), time.Unix(int64(numbers[2]), 0).UTC()
	if numbers[5] != uint64(len(payload)) {
		return nil, fmt.Errorf("reading what unmunge printed: the payload has %d bytes, not %d", len(payload), numbers[5])
	}
	return m, nil
}

// lastParenthesis returns the number of "alice (1001)" or "Success (0)", and all of a value
// that has none.
func lastParenthesis(value string) string {
	if open := strings.LastIndexByte(value, '('); open >= 0 && strings.HasSuffix(value, ")") {
		return value[open+1 : len(value)-1]
	}
	return value
}
