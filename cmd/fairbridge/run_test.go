package main

import (
	"strings"
	"testing"
)

func TestTheDaemonIsNotRoot(t *testing.T) {
	for _, c := range []struct {
		uid     int
		allowed bool
		fine    bool
	}{{0, false, false}, {0, true, true}, {1000, false, true}} {
		err := checkNotRoot(c.uid, c.allowed)
		if (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "--allow-root") {
			t.Errorf("user %d, allowed %v: %v", c.uid, c.allowed, err)
		}
	}
}
