package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
)

// TestBillingWeights: what makes no sense is told with its place; what does reaches the loop's configuration.
func TestBillingWeights(t *testing.T) {
	const head = "cluster: c\npartitions: [{name: gpu}]\n"
	for text, want := range map[string]string{
		"{t4: -1}":       "f.yaml:3:29: gpus.billing_weight.t4: -1 is not between 0 and 1e9",
		"{t4: .nan}":     "f.yaml:3:29: gpus.billing_weight.t4: NaN is not between 0 and 1e9",
		"{t4: .inf}":     "f.yaml:3:29: gpus.billing_weight.t4: +Inf is not between 0 and 1e9",
		"{t4: 1001}":     "f.yaml:3:29: gpus.billing_weight.t4: 1001 is not between 0 and 1000 GPU-hours charged for an hour",
		"{t4: cheap}":    `f.yaml:3:29: gpus.billing_weight.t4: want a number, got "cheap"`,
		"[t4]":           "f.yaml:3:24: gpus.billing_weight: want keys and values, got a list",
		"{t4: 0, h: 2.}": "",
	} {
		f, err := Parse("f.yaml", []byte(head+"gpus: {billing_weight: "+text+"}\n"))
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(text, err)
		}
		c, err := f.LoopConfig()
		if d := cmp.Diff(policy.BillingWeights{"t4": 0, "h": 2}, c.BillingWeights); d != "" || err != nil {
			t.Error(text, err, d)
		}
	}
	f, err := Parse("f.yaml", []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := f.LoopConfig(); err != nil || len(c.BillingWeights) != 0 || c.BillingWeights.Of("a100") != 1 {
		t.Errorf("by default types are charged as they are: %v, %v", c.BillingWeights, err)
	}
}
