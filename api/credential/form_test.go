package credential

import (
	"strings"
	"testing"
)

// TestCanBe: what munge makes can be a credential; what cannot be one never comes to munge.
func TestCanBe(t *testing.T) {
	long := "MUNGE:" + strings.Repeat("AwQF", 30) + ":"
	for value, want := range map[string]bool{
		"Munge " + long: true, "MUNGE " + long: true,
		"": false, "Munge": false, "Munge ": false, "Munge MUNGE:AwQF:": false,
		"Bearer " + long: false, "Munge " + strings.TrimSuffix(long, ":"): false, "Munge " + long + " ": false,
		"Munge " + strings.Replace(long, "Aw", "A*", 1): false, "Munge  " + long: false,
		"Munge MUNGE:" + strings.Repeat("A", MaxLength) + ":": false,
	} {
		if got := CanBe([]string{value}); got != want {
			t.Errorf("%.90q: %v", value, got)
		}
	}
	if CanBe(nil) || CanBe([]string{"Munge " + long, "Munge " + long}) {
		t.Error("none, or two, can be one")
	}
}
