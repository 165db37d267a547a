package update

import (
	"encoding/json"
	"strconv"
	"strings"
)

// valueState says what a value in a body amounts to.
type valueState int

const (
	valueIgnored   valueState = iota // accepted, and nothing happens
	valueGiven                       // a number
	valueUnlimited                   // {"infinite":true}
	valueInvalid                     // not a number at all
)

// parseNumber reads what v0.0.39 and later take for a number: a bare one, one in
// quotes, or the struct, which without "set" is ignored in silence.
func parseNumber(raw json.RawMessage) (int64, valueState) {
	var n json.Number
	if s := strings.Trim(string(raw), `"`); json.Unmarshal([]byte(s), &n) == nil && s != "null" {
		if v, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return v, valueGiven
		}
	}
	var s struct {
		Set, Infinite bool
		Number        int64
	}
	switch {
	case string(raw) == "null":
		return 0, valueIgnored
	case len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &s) != nil:
		return 0, valueInvalid
	case s.Infinite:
		return 0, valueUnlimited
	case !s.Set:
		return 0, valueIgnored
	}
	return s.Number, valueGiven
}

// parseText reads a string.
func parseText(raw json.RawMessage) (string, bool) {
	var s string
	ok := len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// parseBool reads a bool.
func parseBool(raw json.RawMessage) (v, ok bool) {
	ok = string(raw) != "null" && json.Unmarshal(raw, &v) == nil
	return v, ok
}

// parseGPUs reads "gres/gpu:a100:2", "gres:gpu:2" and, for 22.05, "gpu:2".
func parseGPUs(s string, bare bool) (kind *string, n int, ok bool) {
	rest, found := strings.CutPrefix(strings.Replace(s, "gres:", "gres/", 1), "gres/")
	if !found && !bare {
		return nil, 0, false
	}
	parts := strings.Split(rest, ":")
	if parts[0] == "gpu" {
		parts = parts[1:]
	} else if !bare {
		return nil, 0, false
	}
	if len(parts) == 0 || len(parts) > 2 {
		return nil, 0, false
	}
	n, err := strconv.Atoi(parts[len(parts)-1])
	if len(parts) == 2 {
		kind = &parts[0]
	}
	return kind, n, err == nil
}
