package cycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fairbridge/bridge"
)

// sign adds what it takes to decide the cycle again, and to know whether that
// came out the same.
func sign(c *bridge.Cycle, t *Evaluation) error {
	var err error
	if c.Snapshot, err = json.Marshal(t.Snapshot); err != nil {
		return fmt.Errorf("writing the snapshot of partition %s: %w", t.Partition.Name, err)
	}
	own, err := json.Marshal(t.Own)
	if err != nil {
		return fmt.Errorf("writing the plan of partition %s: %w", t.Partition.Name, err)
	}
	c.Digest, c.Own = digest(c.Snapshot), digest(own)
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
