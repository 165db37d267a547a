package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/cmd/internal/cli"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/manpages"
)

// TestManualPages writes the pages as packages have them: one for each command that help shows, without a
// complaint of a formatter where there is one, and with every word of its help and every flag.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	if err := manpages.Write(newRootCommand(), dir); err != nil {
		t.Fatal(err)
	}
	pages := 0
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		pages++
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		text := strings.Join(strings.Fields(formatted(t, path)), " ")
		for _, word := range strings.Fields(c.Short + " --help " + c.Long + " " + c.Example) {
			if word != "####" && !strings.Contains(text, word) { // those are headings of cobra's
				t.Errorf("%s lacks %q:\n%.400s", path, word, text)
			}
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	root := newRootCommand()
	root.InitDefaultCompletionCmd()
	look(root)
	if written, err := os.ReadDir(dir); err != nil || len(written) != pages || pages < 40 {
		t.Errorf("%d pages of %d commands (%v)", len(written), pages, err)
	}
}

// formatted is a page as a terminal shows it.
func formatted(t *testing.T, path string) string {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not here to read the pages")
	}
	cmd := exec.Command(groff, "-Kutf8", "-rHY=0", "-man", "-ww", "-Tutf8", "-P-cbou", path)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Errorf("%s: %v\n%s", path, err, errs.String())
	}
	return string(text)
}

// TestNoWriterIsInstalled wants the writer of the pages in neither program, and in both when pages are made.
func TestNoWriterIsInstalled(t *testing.T) {
	for _, program := range []string{".", "../nodeprobe"} {
		for tags, want := range map[string]bool{"": false, "manpages": true} {
			deps, err := exec.Command("go", "list", "-deps", "-tags", tags, program).Output()
			if err != nil || strings.Contains(string(deps), "cobra/doc") != want {
				t.Errorf("%s with tags %q: github.com/spf13/cobra/doc is there: %t; %v", program, tags, !want, err)
			}
		}
	}
}

// TestCompletions has each shell that is there read its script.
func TestCompletions(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var out, errs bytes.Buffer
		if code := cli.Execute(context.Background(), newRootCommand(), []string{"completion", shell}, &out, &errs); code != cli.ExitOK ||
			!strings.Contains(out.String(), "fairbridge") {
			t.Errorf("%s: exit %d: %s", shell, code, errs.String())
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here to read its script", shell)
			continue
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = &out
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, text)
		}
	}
}
