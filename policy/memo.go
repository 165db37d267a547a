package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Memo is what a policy wants to find again in its next snapshot. It is JSON
// to all but its policy; within a process the value itself is handed on,
// and encoded only when it is stored. The zero Memo is none.
type Memo struct {
	value      any
	rawJSON    json.RawMessage
	isTimeless bool
}

// Remember wraps a value. It must encode as JSON without loss, and must not be
// changed afterwards.
func Remember(value any) Memo { return Memo{value: value} }

// RememberTimeless wraps, like Remember, a value that time alone does not change: while no job
// waits and the same jobs run on the same nodes, every decision would make of it the very
// same again. A simulation may then leave decisions out.
func RememberTimeless(value any) Memo { return Memo{value: value, isTimeless: true} }

// MemoFromJSON wraps stored JSON.
func MemoFromJSON(raw []byte) Memo { return Memo{rawJSON: raw} }

// IsZero reports whether there is nothing to remember.
func (m Memo) IsZero() bool { return m.value == nil && len(m.rawJSON) == 0 }

// IsTimeless reports whether time alone does not change what is remembered (RememberTimeless):
// so of nothing. It is not stored.
func (m Memo) IsTimeless() bool { return m.IsZero() || m.isTimeless }

// HandedOn returns the very value that was remembered; ok is false where it is no T, or was stored
// in between.
func HandedOn[T any](m Memo) (value T, ok bool) {
	value, ok = m.value.(T)
	return value, ok
}

// IsStored reports whether what was remembered has been stored in between, and is JSON now.
func (m Memo) IsStored() bool { return m.value == nil && len(m.rawJSON) > 0 }

// Recall returns what was remembered as a T, the zero T if nothing was. It
// must not be changed: it may be the very value that was remembered.
func Recall[T any](m Memo) (T, error) {
	if v, ok := m.value.(T); ok {
		return v, nil
	}
	var v T
	raw, err := m.MarshalJSON()
	if err != nil || m.IsZero() {
		return v, err
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("reading what was remembered: %w", err)
	}
	return v, nil
}

// MarshalJSON implements json.Marshaler.
func (m Memo) MarshalJSON() ([]byte, error) {
	switch {
	case m.value != nil:
		return json.Marshal(m.value)
	case len(m.rawJSON) > 0:
		return m.rawJSON, nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Memo) UnmarshalJSON(b []byte) error {
	*m = Memo{}
	if string(b) != "null" {
		m.rawJSON = bytes.Clone(b)
	}
	return nil
}

// Equal reports whether both encode alike.
func (m Memo) Equal(o Memo) bool {
	a, err := json.Marshal(m) // compact, unlike MarshalJSON
	b, errB := json.Marshal(o)
	return err == nil && errB == nil && bytes.Equal(a, b)
}
