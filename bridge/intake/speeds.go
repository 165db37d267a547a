package intake

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
)

// combineSpeeds puts together what history and the site say of how fast types of GPU
// are, sorted by type. History's word comes first. It knows ratios only: its
// speeds are brought to the scale of the site's, and of policy.DataSheetSpeed, by the
// types that both know.
func combineSpeeds(history, site []policy.Speed) []policy.Speed {
	given := policy.Snapshot{Speeds: site}
	sum, n := 0.0, 0.0
	for _, h := range history {
		if v, ok := given.SpeedOf(h.Type); ok && h.Speed > 0 {
			sum, n = sum+math.Log(v/h.Speed), n+1
		}
	}
	scale := 1.0
	if n > 0 {
		scale = math.Exp(sum / n)
	}
	var out []policy.Speed
	for _, h := range history {
		if h.Speed > 0 {
			out = append(out, policy.Speed{Type: h.Type, Speed: h.Speed * scale})
		}
	}
	for _, s := range site {
		if !slices.ContainsFunc(out, func(o policy.Speed) bool { return o.Type == s.Type }) {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b policy.Speed) int { return cmp.Compare(a.Type, b.Type) })
	return out
}
