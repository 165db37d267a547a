package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	unit   = "../../scripts/systemd/nodeprobe.service"
	manual = "../../docs/nodeprobe.md"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The manual's table has every metric and no other.
func TestManualHasTheMetrics(t *testing.T) {
	names := func(re, text string) []string {
		var out []string
		for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	served := names(`(?m)^# TYPE (\S+)`, read(t, "../../nodeprobe/serve/testdata/metrics.txt"))
	told := names("`(nodeprobe_[a-z_]+)`", read(t, manual))
	if !slices.Equal(served, told) {
		t.Errorf("served:\n%s\nin the manual:\n%s", strings.Join(served, "\n"), strings.Join(told, "\n"))
	}
}

// The manual's table has every flag with its default.
func TestManualHasTheFlags(t *testing.T) {
	text := read(t, manual)
	root := newRootCommand()
	for _, name := range []string{"listen", "interval", "deadline", "nvml"} {
		f := root.Flags().Lookup(name)
		if f == nil || !strings.Contains(text, "`--"+name+"` | `"+f.DefValue+"`") {
			t.Errorf("--%s: %+v", name, f)
		}
	}
}

func TestUnit(t *testing.T) {
	text := read(t, unit)
	for _, want := range []string{"Type=notify", "SendSIGKILL=no", "KillMode=mixed", "RestartPreventExitStatus=2"} {
		if !strings.Contains(text, want) {
			t.Errorf("without %s", want)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze to check the unit further")
	}
	local := strings.Replace(text, "/usr/bin/nodeprobe", "/bin/true", 1) // it must exist to be verified
	local = regexp.MustCompile(`(?m)^Documentation=.*\n`).ReplaceAllString(local, "")
	path := filepath.Join(t.TempDir(), "nodeprobe.service")
	if err := os.WriteFile(path, []byte(local), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), "nodeprobe.service") {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}
