package gate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/gate"
)

func TestConfigValidate(t *testing.T) {
	c := gate.Default()
	if err := c.Validate(); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	cases := []struct {
		key   string
		spoil func(*gate.Config)
	}{
		{"lease_min", func(c *gate.Config) { c.LeaseMin = c.Skew }},
		{"lease_max", func(c *gate.Config) { c.LeaseMax = 2 * time.Hour }},
		{"lease_total", func(c *gate.Config) { c.LeaseTotal = time.Minute }},
		{"quantum", func(c *gate.Config) { c.Quantum = 0 }},
		{"job_stops_4h", func(c *gate.Config) { c.JobStops4h = -1 }},
		{"account_stops_1h", func(c *gate.Config) { c.AccountStops1h = -1 }},
		{"stop_percent", func(c *gate.Config) { c.StopPercent = math.NaN() }},
		{"lost_percent_24h", func(c *gate.Config) { c.LostPercent24h = 101 }},
		{"mutations", func(c *gate.Config) { c.Mutations = 0 }},
		{"mutation_floor", func(c *gate.Config) { c.MutationFloor = c.Mutations + 1 }},
		{"mutation_rate", func(c *gate.Config) { c.MutationRate = math.Inf(1) }},
		{"plan_churn_percent", func(c *gate.Config) { c.PlanChurnPercent = 5 }},
		{"node_factor", func(c *gate.Config) { c.NodeFactor = 0.5 }},
		{"skew", func(c *gate.Config) { c.Skew = time.Hour }},
		{"exempt_users", func(c *gate.Config) { c.ExemptUsers = []string{"root", ""} }},
		{"exempt_jobs", func(c *gate.Config) { c.ExemptJobs = []int64{0} }},
	}
	all := gate.Default()
	for _, tc := range cases {
		c := gate.Default()
		tc.spoil(&c)
		tc.spoil(&all)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tc.key+":") {
			t.Errorf("%s: got %v, want an error that names it", tc.key, err)
		}
	}
	if n := strings.Count(all.Validate().Error(), "\n") + 1; n < len(cases) {
		t.Errorf("%d problems reported at once, want at least %d", n, len(cases))
	}
}
