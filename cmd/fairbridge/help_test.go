package main

import (
	"strings"
	"testing"

	"fairbridge/cmd/fairbridge-lab/root"

	"github.com/spf13/cobra"
)

// TestEveryCommandIsExplained wants each command to say in a line what it does
// and to show how it is called.
func TestEveryCommandIsExplained(t *testing.T) {
	seen := 0
	forEachCommand(func(_ func() *cobra.Command, c *cobra.Command) {
		seen++
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short text %q: want a line without a full stop", c.CommandPath(), c.Short)
		}
		if !strings.Contains(c.Example, "  fairbridge") {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for _, l := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if len(l) > 90 {
				t.Errorf("%s: a line of its help is %d wide: %s", c.CommandPath(), len(l), l)
			}
		}
	})
	if seen < 15 {
		t.Errorf("looked at only %d commands", seen)
	}
}

// TestReadersSpeakJSON wants --json on every command that prints something for
// people to read.
func TestReadersSpeakJSON(t *testing.T) {
	for _, path := range []string{
		"nodes", "shares", "behind", "study", "replay", "changes", "whoami", "plan", "queue", "explain", "when", "policies", "doctor", "release", "report", "guard check", "guard show", "guard demote", "guard clear", "operate stop", "operate resume", "operate mode", "operate release", "operate undo", "operate list", "job", "version", "db init", "db migrate", "db status",
	} {
		wantJSON(t, newRootCommand(), path)
	}
	for _, path := range []string{"simulate", "compare", "trace info", "train dl2", "train mlf-rl", "train symphony-net", "train harmony-rl", "search pcs", "recommend power"} {
		wantJSON(t, root.NewCommand(), path)
	}
}

func wantJSON(t *testing.T, program *cobra.Command, path string) {
	t.Helper()
	if c, _, err := program.Find(strings.Fields(path)); err != nil || c.Flag("json") == nil {
		t.Errorf("%s: no --json (%v)", path, err)
	}
}
