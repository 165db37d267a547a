package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fairbridge/policy"
)

// DigestText is the SHA-256 of a text, in hex.
func DigestText(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// DigestPlan is the Digest of the plan's JSON: what a replay must reproduce.
func DigestPlan(p *policy.Plan) (string, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("printing the plan: %w", err)
	}
	return DigestText(b), nil
}
