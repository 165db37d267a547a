package livetest

import (
	"strings"
	"testing"
)

func TestSlurmIsShared(t *testing.T) {
	c := SharedCluster(t)
	if SharedCluster(t) != c {
		t.Error("the second call started another cluster")
	}
	out, err := c.Run(t.Context(), "alice", "sinfo", "-h", "-p", "gpu", "-o", "%D %G")
	if err != nil || strings.TrimSpace(out) != "4 gpu:a100:8" {
		t.Errorf("sinfo says %q (%v), want 4 nodes of 8 GPUs", out, err)
	}
}
