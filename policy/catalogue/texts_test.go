package catalogue_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"fairbridge/policy/catalogue"
)

// unpublished are words for papers that no reader has.
var unpublished = regexp.MustCompile(`(?i)\b(brief|design document|our reference|issue [0-9]+|review|shared/)`)

// What users read of a policy names nothing that only its authors could look up.
func TestTextsNamePublishedWorkOnly(t *testing.T) {
	for _, s := range catalogue.Systems() {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if m := unpublished.Find(text); m != nil {
			t.Errorf("%s: its texts say %q, which no reader can look up", s.Name, m)
		}
	}
}
