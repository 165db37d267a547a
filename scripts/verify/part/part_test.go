package part

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// record is a test that keeps why it was skipped.
type record struct{ skipped string }

func (*record) Helper()                            {}
func (r *record) Skipf(format string, args ...any) { r.skipped = fmt.Sprintf(format, args...) }

func TestOnlySkipsInEveryOtherRun(t *testing.T) {
	for running, want := range map[string]string{"": "left to make verify PART=chaos", "fuzz": "left to make verify PART=chaos", "chaos": ""} {
		t.Setenv(Variable, running)
		var r record
		Only(&r, "chaos")
		if r.skipped != want || Runs("chaos") != (want == "") {
			t.Errorf("where part %q runs the test says %q, want %q", running, r.skipped, want)
		}
	}
}

func TestUndeclaredPartsPanic(t *testing.T) {
	t.Setenv(Variable, "kaos")
	defer func() {
		if why := recover(); !strings.Contains(fmt.Sprint(why), `"kaos"`) {
			t.Errorf("it panics with %v", why)
		}
	}()
	Only(t, "kaos")
	t.Error("a part that is not declared runs")
}

// TestTable wants every row to be whole, and every package that it names to be there.
func TestTable(t *testing.T) {
	var names []string
	for _, p := range Table {
		names = append(names, p.Name)
		if p.About == "" || len(p.Commands) == 0 {
			t.Errorf("part %q lacks what it is about, or commands", p.Name)
		}
		for _, argument := range slices.Concat(p.Commands...) {
			folder, isPackage := strings.CutPrefix(argument, "./")
			if _, err := os.Stat("../../../" + strings.TrimSuffix(folder, "/...")); isPackage && err != nil {
				t.Errorf("part %s: %v", p.Name, err)
			}
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(Table) {
		t.Error("two parts have one name")
	}
}
