package manpages

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func tree() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things", Long: "tool does.\n.hidden starts with a dot, C:\\x with 'quotes'"}
	run := func(*cobra.Command, []string) {}
	sub := &cobra.Command{Use: "list WHAT", Short: "List", Example: "  tool list --all-of-it x", Run: run}
	sub.Flags().Bool("all-of-it", false, "also the old")
	root.AddCommand(sub, &cobra.Command{Use: "secret", Hidden: true, Run: run}, NewCommand("tool"))
	return root
}

func TestOnePageForEachCommandThatHelpShows(t *testing.T) {
	pages := Make(tree(), "1.0")
	var names []string
	for name := range pages {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"tool-list.1", "tool.1"}; !slices.Equal(names, want) {
		t.Errorf("pages %v, want %v", names, want)
	}
	for _, want := range []string{`\-\-all\-of\-it`, ".SH \"EXAMPLES\"", "tool list WHAT", `tool(1)`, `"tool 1.0"`} {
		if !strings.Contains(pages["tool-list.1"], want) {
			t.Errorf("tool-list.1 lacks %s:\n%s", want, pages["tool-list.1"])
		}
	}
}

func TestTextIsNoRoff(t *testing.T) {
	page := Make(tree(), "1.0")["tool.1"]
	for _, want := range []string{"\n\\&.hidden", `C:\ex`, `\(aqquotes\(aq`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
	}
}
