package catalogue_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fairbridge/policy/catalogue"
)

// TestEveryPolicyHasACase wants, for every policy of the catalogue, a text case that
// shows its idea, and in every case a text that says why each job gets what it gets.
func TestEveryPolicyHasACase(t *testing.T) {
	files, err := filepath.Glob("../paper/*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]int{}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(strings.Fields(string(a.Comment))) < 10 {
			t.Errorf("%s does not say why its jobs get what they get", file)
		}
		for _, f := range a.Files {
			if f.Name == "policy" {
				cases[strings.Fields(string(f.Data))[0]]++
			}
		}
	}
	for _, e := range catalogue.Systems() {
		if cases[e.Name] == 0 {
			t.Errorf("policy %s has no case in its testdata", e.Name)
		}
	}
}
