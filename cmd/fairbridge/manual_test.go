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
)

// TestManualPages writes the pages as packages have them: one for each command that help shows, without a
// complaint of a formatter where there is one, and with every flag of the command.
func TestManualPages(t *testing.T) {
	dir := t.TempDir()
	var errs bytes.Buffer
	if code := cli.Execute(context.Background(), newRootCommand(), []string{"manual", dir}, &errs, &errs); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	pages := 0
	var look func(*cobra.Command)
	look = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "help" {
			return
		}
		pages++
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		if text := strings.Join(strings.Fields(formatted(t, path)), " "); !strings.Contains(text, c.Short) ||
			!strings.Contains(text, "--help") {
			t.Errorf("%s does not say what it does, or its flags:\n%.400s", path, text)
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

// formatted is a page as a terminal shows it; the page's own text where no formatter is there.
func formatted(t *testing.T, path string) string {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(string(text), `\-`, "-")
	}
	cmd := exec.Command(groff, "-man", "-ww", "-Tutf8", "-P-cbou", path)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	text, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Errorf("%s: %v\n%s", path, err, errs.String())
	}
	return string(text)
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
