package gate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
)

func TestConfigValidate(t *testing.T) {
	c := bridge.DefaultBudgets()
	if err := c.Validate(); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	cases := []struct {
		key   string
		spoil func(*bridge.Budgets)
	}{
		{"lease_min", func(c *bridge.Budgets) { c.LeaseMin = c.Skew }},
		{"lease_max", func(c *bridge.Budgets) { c.LeaseMax = 2 * time.Hour }},
		{"lease_total", func(c *bridge.Budgets) { c.LeaseTotal = time.Minute }},
		{"quantum", func(c *bridge.Budgets) { c.Quantum = 0 }},
		{"job_stops_4h", func(c *bridge.Budgets) { c.JobStops4h = -1 }},
		{"account_stops_1h", func(c *bridge.Budgets) { c.AccountStops1h = -1 }},
		{"stop_percent", func(c *bridge.Budgets) { c.StopPercent = math.NaN() }},
		{"lost_percent_24h", func(c *bridge.Budgets) { c.LostPercent24h = 101 }},
		{"mutations", func(c *bridge.Budgets) { c.MaxEdits = 0 }},
		{"mutation_floor", func(c *bridge.Budgets) { c.EditFloor = 0 }},
		{"mutation_rate", func(c *bridge.Budgets) { c.EditRate = math.Inf(1) }},
		{"plan_churn_percent", func(c *bridge.Budgets) { c.PlanChurnPercent = 5 }},
		{"node_factor", func(c *bridge.Budgets) { c.NodeFactor = 0.5 }},
		{"skew", func(c *bridge.Budgets) { c.Skew = time.Hour }},
		{"exempt_users", func(c *bridge.Budgets) { c.ExemptUsers = []string{"root", ""} }},
		{"exempt_jobs", func(c *bridge.Budgets) { c.ExemptJobs = []int64{0} }},
	}
	all := bridge.DefaultBudgets()
	for _, tc := range cases {
		c := bridge.DefaultBudgets()
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
