package docs_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
)

var row = regexp.MustCompile(`(?m)^\| *([^|]+?) *\| *([^|]+?) *\|`)

// rows returns the first two columns of a page's tables whose first column
// matches.
func rows(t *testing.T, file string, first *regexp.Regexp) [][2]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]string
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		if first.MatchString(m[1]) {
			all = append(all, [2]string{m[1], strings.TrimSpace(m[2])})
		}
	}
	return all
}

func TestInvariantsAreTheGates(t *testing.T) {
	var want [][2]string
	for _, i := range invariant.All {
		want = append(want, [2]string{string(i.ID), i.Text})
	}
	if d := cmp.Diff(want, rows(t, "safety.md", regexp.MustCompile(`^I\d+$`))); d != "" {
		t.Errorf("safety.md differs from invariant.All (-invariant +page):\n%s", d)
	}
}

func TestBudgetsAreTheGatesDefaults(t *testing.T) {
	var want [][2]string
	v := reflect.ValueOf(bridge.DefaultBudgets())
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		want = append(want, [2]string{"`" + key + "`", printed(v.Field(i).Interface())})
	}
	section := regexp.MustCompile("^`[a-z0-9_]+`$")
	if d := cmp.Diff(want, rows(t, "safety.md", section)); d != "" {
		t.Errorf("safety.md differs from bridge.DefaultBudgets (-gate +page):\n%s", d)
	}
}

// printed writes a default as the page does.
func printed(v any) string {
	switch v := v.(type) {
	case time.Duration:
		return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(v.String())
	case []string:
		if len(v) == 0 {
			return "–"
		}
		return strings.Join(v, ", ")
	case []int64:
		if len(v) == 0 {
			return "–"
		}
	}
	return fmt.Sprint(v)
}
