package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func monitoring(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../packaging/monitoring/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMonitoring wants the dashboard and the alert rules to name only metrics of the page's table, which another test holds
// against those that the program registers.
func TestMonitoring(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rows(t, "admin-quickstart.md", regexp.MustCompile("^`fairbridge_[a-z_]+`$")) {
		known[strings.Trim(r[0], "`")] = true
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(monitoring(t, "dashboard.json")), &dashboard); err != nil || len(dashboard.Panels) < 10 {
		t.Fatalf("%d panels (%v)", len(dashboard.Panels), err)
	}
	for _, name := range []string{"dashboard.json", "alerts.yaml", "alerts_test.yaml"} {
		found := regexp.MustCompile(`fairbridge_[a-z_]+`).FindAllString(monitoring(t, name), -1)
		if len(found) < 5 {
			t.Errorf("%s names only %v: the search is broken", name, found)
		}
		for _, m := range found {
			if !known[m] && !known[strings.TrimSuffix(m, "_bucket")] {
				t.Errorf("%s: there is no metric %s", name, m)
			}
		}
	}
}

// TestAlerts wants a case for each rule, and has promtool play them, each quiet before it fires.
func TestAlerts(t *testing.T) {
	var rules, cases []string
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(monitoring(t, "alerts.yaml"), -1) {
		rules = append(rules, m[1])
	}
	for _, m := range regexp.MustCompile(`- name: (\w+)`).FindAllStringSubmatch(monitoring(t, "alerts_test.yaml"), -1) {
		cases = append(cases, m[1])
	}
	if !slices.Equal(rules, cases) || len(rules) == 0 {
		t.Errorf("rules %v, cases %v", rules, cases)
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("needs promtool (Debian's package prometheus) to play the rules")
	}
	cmd := exec.Command(promtool, "test", "rules", "alerts_test.yaml")
	cmd.Dir = "../packaging/monitoring"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}
