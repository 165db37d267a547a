package slurmtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/replica/sim"
)

// Config says what to serve and to whom.
type Config struct {
	World         *sim.World
	ListenAddress string // "127.0.0.1:0" when empty; "unix:/path" for a socket
	APIVersions   []int  // API versions, 45 for v0.0.45; those of the world's release when empty

	// Who may come in. With nothing set any token is good, and the user is the
	// one in X-SLURM-USER-NAME, "slurm" without it.
	UserByToken map[string]string // token → user
	SigningKey  []byte            // HS256 key: tokens are verified, with their expiry by the world's clock
	LocalUser   string            // user of every caller without a token, as on a unix socket

	Speed         float64             // the world follows the wall clock so many times as fast; 0: it stands unless moved
	ReadWallClock func() time.Time    // wall clock; time.Now when nil
	TimeZone      *time.Location      // of the slurmrestd host, for 22.05's begin times; UTC when nil
	Sleep         func(time.Duration) // how faults wait; time.Sleep when nil
}

// knownVersions returns the API versions of all releases, sorted.
func knownVersions() []int {
	all := slices.Concat(slices.Collect(maps.Values(versionsByRelease))...)
	slices.Sort(all)
	return slices.Compact(all)
}

func (c Config) withDefaults() (Config, error) {
	if c.World == nil {
		return c, fmt.Errorf("slurmtest: Config.World is missing")
	}
	release := c.World.Version()
	if c.APIVersions == nil {
		for prefix, list := range versionsByRelease {
			if strings.HasPrefix(release, prefix) {
				c.APIVersions = list
			}
		}
	}
	known := knownVersions()
	isUnknown := func(v int) bool { return !slices.Contains(known, v) }
	if len(c.APIVersions) == 0 || slices.ContainsFunc(c.APIVersions, isUnknown) {
		return c, fmt.Errorf("slurmtest: API versions %v of Slurm %s: want some of %d to %d", c.APIVersions, release, known[0], known[len(known)-1])
	}
	if c.ListenAddress == "" {
		c.ListenAddress = "127.0.0.1:0"
	}
	if c.ReadWallClock == nil {
		c.ReadWallClock = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = time.Sleep
	}
	if c.TimeZone == nil {
		c.TimeZone = time.UTC
	}
	return c, nil
}
