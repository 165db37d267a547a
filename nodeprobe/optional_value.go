package nodeprobe

import (
	"bytes"
	"encoding/json"
)

// OptionalValue is a reading that may be missing. The zero OptionalValue is unknown, so
// that an absent reading is never taken for zero. In JSON it is a number, and
// not there when unknown.
type OptionalValue struct {
	Value float64
	Known bool
}

// KnownValue returns a measured value.
func KnownValue(v float64) OptionalValue { return OptionalValue{Value: v, Known: true} }

// MarshalJSON writes the number, or null where the field could not be left out.
func (m OptionalValue) MarshalJSON() ([]byte, error) {
	if !m.Known {
		return []byte("null"), nil
	}
	return json.Marshal(m.Value)
}

// UnmarshalJSON reads a number, or null as unknown.
func (m *OptionalValue) UnmarshalJSON(b []byte) error {
	*m = OptionalValue{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(b, &m.Value); err != nil {
		return err
	}
	m.Known = true
	return nil
}
