package intake

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// TestSharing: what its owner says and what was measured are joined; a job of which neither is known has nothing.
func TestSharing(t *testing.T) {
	measured := bridge.Profile{MemMB: 9000, Busy: policy.KnownValue(.4), MemBusy: policy.KnownValue(.2), Source: "measured"}
	for name, c := range map[string]struct {
		comment string
		profile bridge.Profile
		want    *policy.Sharing
	}{
		"nothing":          {},
		"shareable":        {comment: "fairbridge:shareable", want: &policy.Sharing{}},
		"on what is left":  {comment: "fairbridge:opportunistic", want: &policy.Sharing{IsOpportunistic: true}},
		"measured":         {profile: measured, want: &policy.Sharing{MemMB: 9000, Utilisation: policy.KnownValue(.4), MemUtilisation: policy.KnownValue(.2), Source: "measured"}},
		"memory only":      {comment: "fairbridge:shareable", profile: bridge.Profile{MemMB: 1, Source: "class"}, want: &policy.Sharing{MemMB: 1, Source: "class"}},
		"neither is clear": {comment: "fairbridge:shareable=maybe"},
	} {
		d, out := slurm.ReadDirective(c.comment), policy.Job{}
		k := Input{Past: &bridge.Past{ProfileOf: func(*policy.Job) bridge.Profile { return c.profile }}}
		k.addSharing(&out, &d)
		if diff := cmp.Diff(c.want, out.Sharing); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
