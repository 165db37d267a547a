package policy_test

import (
	"testing"

	"fairbridge/policy"
)

// Types as sites, drivers and clouds call them.
func TestSpeedOf(t *testing.T) {
	for _, faster := range [][2]string{
		{"v100", "k80"}, {"v100", "p100"}, {"p100", "k80"}, {"a100", "v100"}, {"h100", "a100"}, {"b200", "h100"}, {"h200", "a100"},
		{"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB"}, {"nvidia_h100_80gb_hbm3", "nvidia_a100-sxm4-40gb"}, {"h100", "nvidia_h100_pcie"},
		{"NVIDIA L40S", "NVIDIA L4"}, {"a100", "a10"}, {"a10", "a2"}, {"NVIDIA RTX 6000 Ada Generation", "Quadro RTX 6000"}, {"A40", "Tesla T4"},
		{"mi300x", "mi250x"}, {"nvidia_rtx_a6000", "nvidia_geforce_rtx_3090"},
	} {
		a, ok := policy.DataSheetSpeed(faster[0])
		b, ok2 := policy.DataSheetSpeed(faster[1])
		if !ok || !ok2 || a <= b {
			t.Errorf("%s is taken for %g, %s for %g", faster[0], a, faster[1], b)
		}
	}
	for _, typ := range []string{"", "gpu", "big", "a1000", "xv100", "1g.5gb", "grid"} {
		if v, ok := policy.DataSheetSpeed(typ); ok {
			t.Errorf("%q is taken for a GPU of speed %g", typ, v)
		}
	}
	s := policy.Snapshot{Speeds: []policy.Speed{{Type: "big", Speed: 5}, {Type: "v100", Speed: 9}}}
	for typ, want := range map[string]float64{"big": 5, "v100": 9, "k80": 4.4} {
		if v, ok := s.SpeedOf(typ); v != want || !ok {
			t.Errorf("the speed of %s is %g, want %g", typ, v, want)
		}
	}
}
