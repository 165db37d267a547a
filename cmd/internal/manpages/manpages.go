// Package manpages makes manual pages, in the macros of man(7), from the help of a program's commands: one a command.
package manpages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/version"
)

// pageWidth is what a page holds beside its margin on a terminal of 80 columns.
const pageWidth = 72

// Make returns the text of every page by its file's name, such as fairbridge-db-init.1, for the command, which must be
// the program's root, and all below it that help shows. version stands in each page's footer. No date does: the same
// help gives the same bytes.
func Make(root *cobra.Command, version string) map[string]string {
	pages := map[string]string{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		pages[pageName(c)+".1"] = page(c, version)
		for _, sub := range visible(c) {
			visit(sub)
		}
	}
	visit(root)
	return pages
}

// visible are the commands directly below one that its help shows, but for help itself.
func visible(c *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all = append(all, sub)
		}
	}
	return all
}

// pageName is the command's path with dashes: man fairbridge-db-init.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func page(c *cobra.Command, version string) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString(".TH \"" + escape(strings.ToUpper(pageName(c))) + "\" 1 \"\" \"" + escape(c.Root().Name()+" "+version) + "\"\n")
	b.WriteString(".nh\n.ad l\n") // no word of a command is parted
	b.WriteString(".SH NAME\n" + escape(pageName(c)+" - ") + escape(c.Short) + "\n")
	section(&b, "SYNOPSIS", c.UseLine())
	section(&b, "DESCRIPTION", c.Long)
	section(&b, "COMMANDS", commands(c))
	section(&b, "OPTIONS", c.LocalFlags().FlagUsagesWrapped(pageWidth))
	section(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags().FlagUsagesWrapped(pageWidth))
	section(&b, "EXAMPLES", c.Example)
	section(&b, "SEE ALSO", seeAlso(c))
	return b.String()
}

func commands(c *cobra.Command) string {
	var lines []string
	for _, sub := range visible(c) {
		lines = append(lines, sub.Name()+strings.Repeat(" ", max(1, 14-len(sub.Name())))+sub.Short)
	}
	return strings.Join(lines, "\n")
}

func seeAlso(c *cobra.Command) string {
	var names []string
	if c.HasParent() {
		names = append(names, pageName(c.Parent())+"(1)")
	}
	for _, sub := range visible(c) {
		names = append(names, pageName(sub)+"(1)")
	}
	return strings.Join(names, "\n")
}

// section writes a text line by line as it is, which is how help is written; nothing where there is none.
func section(b *strings.Builder, title, text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	b.WriteString(".SH \"" + title + "\"\n.nf\n")
	for line := range strings.Lines(text + "\n") {
		b.WriteString(escape(strings.TrimSuffix(line, "\n")) + "\n")
	}
	b.WriteString(".fi\n")
}

// escape makes a line of text one that roff prints unchanged: no escape, no request, and dashes that can be copied.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`, "'", `\(aq`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	var b strings.Builder
	for _, r := range line {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(`\[u` + fmt.Sprintf("%04X", r) + "]") // whatever the formatter takes its input for
		}
	}
	return b.String()
}

// NewCommand returns the command "manual DIR", which help does not show: packages are made by it. It writes the pages of
// the whole program into DIR, which it makes.
func NewCommand(program string) *cobra.Command {
	return &cobra.Command{
		Use: "manual DIR", Short: "Write the manual pages of all commands into a folder", Hidden: true, Args: cobra.ExactArgs(1),
		Example: "  " + program + " manual /usr/local/share/man/man1",
		RunE: func(c *cobra.Command, args []string) error {
			return write(args[0], Make(c.Root(), version.ReadInfo().Version))
		},
	}
}

func write(dir string, pages map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of manual pages: %w", err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing a manual page: %w", err)
		}
	}
	return nil
}
