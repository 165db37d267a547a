// Package bundlecommand has the command that packs a support bundle.
package bundlecommand

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// flags are those of the command.
type flags struct{ to, namesFile, since string }

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "bundle",
		Short: "Pack what helps others to help you, without names",
		Long: `Pack version, configuration, what doctor finds, the last cycles and decisions, and counts
of changes into one .tar.gz. Nothing is changed, and nothing is sent anywhere.

Times, counts, sizes and words of fairbridge's own, such as modes and states, stay as they
are. Every other value, a name, path, host, sentence or number of a job, is replaced by a
hash: the same value by the same one within a bundle, by a random key that is not kept.
Passwords, tokens and keys are not read. Look at it before you send it: it is text.

Ask as the user fairbridge (sudo -u fairbridge), who may read configuration and database.

What cannot be had, because the database or Slurm is gone, is named with the reason, and
the exit status is 3.`,
		Example: `  fairbridge bundle
  fairbridge bundle --since 2h --to /tmp/bundle.tar.gz
  fairbridge bundle --names-file names.json     keep which hash is which name`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	s := c.Flags()
	s.StringVar(&f.to, "to", "", "write to this new file (default: fairbridge-bundle-TIME.tar.gz here)")
	s.StringVar(&f.since, "since", "24h", "cycles, decisions and changes since then: so long ago, or a time")
	s.StringVar(&f.namesFile, "names-file", "", "keep which hash is which name in this new file. Do not send it")
	return c
}

func (f *flags) run(c *cobra.Command, o *cli.Options) error {
	now := time.Now()
	since, _, err := cli.ParsePeriod(f.since, "", now)
	if err != nil {
		return cli.NewUsageError(err)
	}
	r := newRedactor()
	parts := collect(c.Context(), o, r, since)
	if err := f.write(r, parts, now); err != nil {
		return err
	}
	return f.print(c, parts)
}

// write writes the bundle, and before it the names where they are wanted, to files that were not there.
func (f *flags) write(r *redactor, parts []part, now time.Time) error {
	if f.to == "" {
		f.to = "fairbridge-bundle-" + now.UTC().Format("20060102T150405Z") + ".tar.gz"
	}
	if f.namesFile != "" {
		err := writeNew(f.namesFile, func(w io.Writer) error { return output.WriteJSON(w, r.names) })
		if err != nil {
			return fmt.Errorf("writing the names (--names-file names another file), so there is no bundle: %w", err)
		}
	}
	if err := writeNew(f.to, func(w io.Writer) error { return write(w, parts, now) }); err != nil {
		return fmt.Errorf("writing the bundle (--to names another file): %w", err)
	}
	return nil
}

// writeNew writes a file that was not there, for its owner alone.
func writeNew(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		_ = os.Remove(path)
		return err
	}
	return nil
}

// print says what was packed, and what is missing.
func (f *flags) print(c *cobra.Command, parts []part) (err error) {
	for _, x := range parts {
		if x.err != nil {
			err = cli.ErrFinding
			printable.Fprintf(c.ErrOrStderr(), "%s is missing: %v\n", x.file, x.err)
		}
	}
	w := c.OutOrStdout()
	printable.Fprintlines(w, listParts(parts))
	printable.Fprintf(w, "\n%s is written. Look at it before you send it.\n", f.to)
	return err
}
