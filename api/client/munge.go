package client

import (
	"context"

	"fairbridge/api/credential"
)

// MungeProver proves who asks by a munge credential for each request.
type MungeProver struct {
	Command []string // munge, with what must stand beside it
}

// Prove makes the credential. An error says what to try.
func (m *MungeProver) Prove(ctx context.Context, method, requestURI, host string, body []byte) (string, error) {
	text, err := credential.Encode(ctx, m.Command, credential.NewPayload(method, requestURI, host, body))
	if err != nil {
		return "", err
	}
	return "Munge " + text, nil
}
