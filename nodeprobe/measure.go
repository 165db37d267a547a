package nodeprobe

import (
	"bytes"
	"encoding/json"
)

// Measure is a reading that may be missing. The zero Measure is unknown, so
// that an absent reading is never taken for zero. In JSON it is a number, and
// not there when unknown.
type Measure struct {
	Value float64
	Known bool
}

// KnownMeasure returns a measured value.
func KnownMeasure(v float64) Measure { return Measure{Value: v, Known: true} }

// MarshalJSON writes the number, or null where the field could not be left out.
func (m Measure) MarshalJSON() ([]byte, error) {
	if !m.Known {
		return []byte("null"), nil
	}
	return json.Marshal(m.Value)
}

// UnmarshalJSON reads a number, or null as unknown.
func (m *Measure) UnmarshalJSON(b []byte) error {
	*m = Measure{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(b, &m.Value); err != nil {
		return err
	}
	m.Known = true
	return nil
}
