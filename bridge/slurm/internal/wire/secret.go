package wire

import "log/slog"

// secret is a token or key. However it is printed, it does not show.
type secret string

const hidden = "(secret)"

func (secret) String() string               { return hidden }
func (secret) GoString() string             { return hidden }
func (secret) LogValue() slog.Value         { return slog.StringValue(hidden) }
func (secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
