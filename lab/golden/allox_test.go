package golden

import (
	"fmt"
	"testing"
)

// TestAlloX wants the figures of AlloX in Shockwave's simulator to the last
// printed digit, although its matchings have many optima.
func TestAlloX(t *testing.T) {
	for _, c := range []struct {
		setting
		source string
		want   string
	}{
		{small, "published", "makespan 32488.621 avg 9926.307 rho 4.96351 mean 0.972573 present 9.06788 unfair 0.275 util 0.60813 rounds 271"},
		{medium, "rerun", "makespan 33872.463 avg 8133.651 rho 3.20634 mean 0.792337 present 6.96088 unfair 0.22273 util 0.61032 rounds 283"},
	} {
		t.Run(fmt.Sprint(c.jobs), func(t *testing.T) { c.digits(t, "allox", c.source, "allox", c.want) })
	}
}
