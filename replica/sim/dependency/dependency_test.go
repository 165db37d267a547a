package dependency

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse("afterok:1:2,afterany:3")
	if want := []Condition{{"afterok", 1}, {"afterok", 2}, {"afterany", 3}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if got, err := Parse(""); err != nil || got != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	for text, want := range map[string]string{"before:1": `"before:1": want after`, "afterok:x": `"x" is not a job id`, "afterok": "is not a job id"} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
