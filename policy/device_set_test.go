package policy_test

import (
	"slices"
	"testing"

	"fairbridge/policy"
)

func TestDeviceSet(t *testing.T) {
	d := policy.NewDeviceSet(7, 0, 1, 2, 3, 63)
	if got := d.String(); got != "0-3,7,63" {
		t.Errorf("prints %q", got)
	}
	if got := d.Indexes(); !slices.Equal(got, []int{0, 1, 2, 3, 7, 63}) || d.Count() != 6 {
		t.Errorf("has %v, %d", got, d.Count())
	}
	if d.Has(4) || d.Has(-1) || d.Has(64) || !d.Has(63) {
		t.Error("has others than it was made of")
	}
	if unknown := policy.NewDeviceSet(1, 64); unknown != 0 || unknown.String() != "?" {
		t.Errorf("device 64 makes it %v", unknown)
	}
}
