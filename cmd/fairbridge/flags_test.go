package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/cmd/fairbridge-lab/root"
	"fairbridge/cmd/internal/cli"

	"github.com/spf13/cobra"
)

// absurdNumbers are refused by every flag that is a number.
var absurdNumbers = []string{
	"99999999999999999999",
	"-99999999999999999999",
	"1e300",
	"NaN",
	"Inf",
	"-Inf",
	"",
	"soon",
	"0x",
	"-1e15",
	"9000000000000000000",
	"1000000000h",
	"-1h",
}

// tooMany are refused by flags besides.
var tooMany = map[string][]string{
	"seeds": {
		"0",
		"-1",
		"1000000000",
	}, "jobs": {"0", "-5", "1000000000"}, "load": {"0", "-1", "1e9"}, "parallel": {"0", "1000000000"},
	"days": {
		"0",
		"100000",
	}, "gpus": {"0", "1000000000"}, "accounts": {"0", "1000000000"}, "round": {"0s", "1ms", "10000h"}, "gpus-per-proc": {"0", "-1", "1e9"},
	"window": {"0s", "-1s"}, "overlap": {"-1s"}, "wait": {"-1s"}, "cycle": {"-1"},
}

// TestAbsurdNumbers gives every numeric flag of every command absurd values. The
// answer names the flag and the range before anything is read, drawn or connected to.
func TestAbsurdNumbers(t *testing.T) {
	tried := map[string]bool{}
	forEachCommand(func(program func() *cobra.Command, c *cobra.Command) {
		for _, name := range numericFlags(c) {
			tried[name] = true
			for _, value := range slices.Concat(absurdNumbers, tooMany[name]) {
				_, path, _ := strings.Cut(c.CommandPath(), " ")
				var out, errs bytes.Buffer
				code := cli.Execute(
					t.Context(),
					program(),
					append(strings.Fields(path), "--"+name+"="+value),
					&out,
					&errs,
				)
				if code != cli.ExitUsage || !strings.Contains(errs.String(), `"--`+name+`" flag: want `) ||
					out.Len() > 0 {
					t.Errorf(
						"%s --%s=%s: exit %d, %s%s (has it a range, by cli.SetRange?)",
						path,
						name,
						value,
						code,
						errs.String(),
						out.String(),
					)
				}
			}
		}
	})
	for name := range tooMany {
		if !tried[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}

// programs make the commands of fairbridge and fairbridge-lab.
var programs = []func() *cobra.Command{newRootCommand, root.NewCommand}

// forEachCommand goes through the commands of both programs.
func forEachCommand(do func(program func() *cobra.Command, c *cobra.Command)) {
	for _, program := range programs {
		for next := []*cobra.Command{program()}; len(next) > 0; next = next[1:] {
			do(program, next[0])
			next = append(next, next[0].Commands()...)
		}
	}
}

// numericFlags are the names of a command's flags that are numbers or durations. Their
// defaults lie within their range or stand for a default of something else.
func numericFlags(c *cobra.Command) []string {
	var names []string
	for _, name := range []string{"seed", "seeds", "jobs", "load", "parallel", "days", "gpus", "accounts", "round", "gpus-per-proc", "window", "overlap", "wait", "cycle"} {
		if f := c.Flags().Lookup(name); f != nil && !isListOfJobs(f.Name, f.Value.Type()) {
			names = append(names, name)
		}
	}
	return append(names, otherNumericFlags(c, names)...)
}

// isListOfJobs reports whether a flag is no number of jobs but which: 4711,47_3.
func isListOfJobs(name, kind string) bool { return name == "jobs" && kind == "string" }

// otherNumericFlags are those that the list above does not know yet.
func otherNumericFlags(c *cobra.Command, known []string) []string {
	var names []string
	for line := range strings.Lines(c.LocalFlags().FlagUsages()) {
		fields := strings.Fields(line)
		for i, f := range fields {
			if name, ok := strings.CutPrefix(f, "--"); ok && i+1 < len(fields) && !slices.Contains(known, name) &&
				slices.Contains([]string{"int", "int64", "uint64", "float", "float64", "duration"}, fields[i+1]) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Files that cannot be written are said before the work, under the names they were asked
// for.
func TestOutputFilesAreCheckedFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no", "such", "out")
	jobs := []string{"--generate", "shockwave", "--jobs", "100000", "--cluster", "4", "--policy", "shockwave"}
	for _, args := range [][]string{
		append([]string{"compare", "--html", file}, jobs...),
		append([]string{"compare", "--per-job", file}, jobs...),
		{"trace", "generate", "day", "--days", "3660", "--gpus", "1000000", "--to", file},
		{"trace", "generate", "gavel", "--jobs", "10", "--to", "-", "--tables", file},
		{"trace", "convert", "none.trace", "--to", file},
	} {
		var out, errs bytes.Buffer
		code := cli.Execute(t.Context(), root.NewCommand(), args, &out, &errs)
		want := "writing " + file + ": there is no folder " + filepath.Dir(file)
		if code != cli.ExitFailed || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("%v: exit %d, %s%s", args, code, errs.String(), out.String())
		}
	}
}
