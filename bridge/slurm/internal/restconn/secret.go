package restconn

import (
	"log/slog"
)

// secret is a token or key. However it is printed, it does not show.
type secret string

const redactedText = "(secret)"

func (secret) String() string { return redactedText }

func (secret) GoString() string { return redactedText }

func (secret) LogValue() slog.Value { return slog.StringValue(redactedText) }

func (secret) MarshalText() ([]byte, error) { return []byte(redactedText), nil }
