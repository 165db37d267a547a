package throwaway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// clock is the time inside a cluster.
type clock struct {
	base  time.Time // when it began to run faster
	speed int       // seconds inside for a second outside; 0: both are the same
}

// readClock reads the clock that the script up wrote; without one time is that of the machine.
func readClock(dir string) (clock, error) {
	text, err := os.ReadFile(filepath.Join(dir, "clock"))
	if errors.Is(err, fs.ErrNotExist) {
		return clock{}, nil
	}
	if err != nil {
		return clock{}, fmt.Errorf("reading the cluster's clock: %w", err)
	}
	_, setting, _ := strings.Cut(string(text), "FASTTIME=")
	var from int64
	var c clock
	if _, err := fmt.Sscan(setting, &from, &c.speed); err != nil {
		return clock{}, fmt.Errorf("reading the cluster's clock from %q: %w", text, err)
	}
	c.base = time.Unix(from, 0)
	return c, nil
}

// Now returns the time inside the cluster.
func (c *Cluster) Now() time.Time { return c.clock.timeInside(time.Now()) }

// RealDuration returns how long a time inside the cluster lasts outside.
func (c *Cluster) RealDuration(d time.Duration) time.Duration {
	return d / time.Duration(max(c.clock.speed, 1))
}

func (c clock) timeInside(now time.Time) time.Time {
	if c.speed == 0 {
		return now
	}
	return c.base.Add(now.Round(0).Sub(c.base) * time.Duration(c.speed))
}
