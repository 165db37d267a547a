package restconn

import (
	"log/slog"
)

// secret is a token or key. However it is printed, it does not show.
type secret string

const redacted = "(secret)"

func (secret) String() string { return redacted }

func (secret) GoString() string { return redacted }

func (secret) LogValue() slog.Value { return slog.StringValue(redacted) }

func (secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
