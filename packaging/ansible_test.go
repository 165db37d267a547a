package packaging_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestAnsibleRoleHasDefaults wants a default of every variable that the role's tasks ask for, and none that none asks for.
func TestAnsibleRoleHasDefaults(t *testing.T) {
	tasks, err := filepath.Glob("ansible/roles/fairbridge/tasks/*.yml")
	if err != nil || len(tasks) < 2 {
		t.Fatalf("%d files of tasks (%v)", len(tasks), err)
	}
	word, registered := regexp.MustCompile(`\bfairbridge_[a-z_]+`), regexp.MustCompile(`register: (fairbridge_[a-z_]+)`)
	var asked, made []string
	for _, path := range tasks {
		text := readFile(t, path)
		for _, m := range word.FindAll(text, -1) {
			asked = append(asked, string(m))
		}
		for _, m := range registered.FindAllSubmatch(text, -1) {
			made = append(made, string(m[1]))
		}
	}
	asked = slices.DeleteFunc(asked, func(name string) bool { return slices.Contains(made, name) })
	var defaults []string
	for _, m := range regexp.MustCompile(`(?m)^(fairbridge_[a-z_]+):`).FindAllSubmatch(readFile(t, "ansible/roles/fairbridge/defaults/main.yml"), -1) {
		defaults = append(defaults, string(m[1]))
	}
	slices.Sort(asked)
	slices.Sort(defaults)
	if asked = slices.Compact(asked); !slices.Equal(asked, defaults) {
		t.Errorf("tasks ask for %v, defaults are of %v", asked, defaults)
	}
}
