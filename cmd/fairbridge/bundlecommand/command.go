// Package bundlecommand has the command that packs a support bundle.
package bundlecommand

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/bundle"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/pseudonym"
)

// flags are those of the command.
type flags struct {
	to, keyFile, since string
	isDryRun           bool
}

// NewCommand makes the command.
func NewCommand(o *cli.Options) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "bundle",
		Short: "Pack what helps others to help you, with every name replaced",
		Long: `Pack version, doctor, configuration, counts of changes, the last cycles, decisions and
log lines, metrics, settings of Slurm, sizes of tables and a recording of the pages into
one .tar.gz. Nothing is changed, and nothing is sent anywhere.

Names of users, accounts, jobs, nodes, partitions and clusters, numbers of jobs and users,
and whatever users wrote are replaced: the same name by the same word within a bundle, by
a random key that is not in it. Of texts only words of fairbridge's own stay; where the
database is away, names that are such words may stay in sentences. Passwords, tokens,
keys, addresses, paths and commands are left out. GPU types, times, sizes and counts
stay. Look at it before you send it: it is text.

Ask as the user fairbridge (sudo -u fairbridge), who may read configuration and database.

What cannot be had, because the database, Slurm or the daemon is gone, is named with the
reason, on the terminal and in contents.json, and the exit status is 3.`,
		Example: `  fairbridge bundle
  fairbridge bundle --dry-run
  fairbridge bundle --since 2h --to /tmp/bundle.tar.gz
  fairbridge bundle --key-file names.json     keep which name is which
  tar -xzf bundle.tar.gz && fairbridge web --recording fairbridge-bundle/recording.json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c, o) },
	}
	s := c.Flags()
	s.StringVar(&f.to, "to", "", "write to this new file (default: fairbridge-bundle-TIME.tar.gz here)")
	s.StringVar(&f.since, "since", "24h", "cycles, decisions, changes and log lines since then: so long ago, or a time")
	s.StringVar(&f.keyFile, "key-file", "", "keep the key and which name is which in this file; one that is there gives the key,\nso that names are replaced as in an earlier bundle, and keeps its names. It must be\nyours, and closed to others (mode 0600). Do not send it")
	s.BoolVar(&f.isDryRun, "dry-run", false, "write nothing; say what would be packed")
	return o.AddJSONFlag(c)
}

func (f *flags) run(c *cobra.Command, o *cli.Options) error {
	now := time.Now()
	since, _, err := cli.ParsePeriod(f.since, "", now)
	if err != nil {
		return cli.NewUsageError(err)
	}
	kept, err := readKey(f.keyFile)
	if err != nil {
		return cli.NewUsageError(err)
	}
	collection := bundle.Collect(c.Context(), o, since, now)
	m := pseudonym.New(kept.key)
	members, err := collection.Members(m)
	if err != nil {
		return err
	}
	if !f.isDryRun {
		if err := kept.write(f.keyFile, m.Mapping()); err != nil {
			return err
		}
		if err := f.write(collection, members, now); err != nil {
			return err
		}
	}
	return f.print(c, o, members)
}

// write writes the bundle to a file that was not there.
func (f *flags) write(c *bundle.Collection, members []bundle.Member, now time.Time) error {
	if f.to == "" {
		f.to = "fairbridge-bundle-" + now.UTC().Format("20060102T150405Z") + ".tar.gz"
	}
	file, err := os.OpenFile(f.to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the bundle (--to names another file): %w", err)
	}
	if err := errors.Join(c.Write(file, members), file.Close()); err != nil {
		_ = os.Remove(f.to)
		return fmt.Errorf("writing the bundle %s: %w", f.to, err)
	}
	return nil
}

// print says what was packed, and what is missing.
func (f *flags) print(c *cobra.Command, o *cli.Options, members []bundle.Member) error {
	missing := 0
	for _, x := range members {
		if x.Err != nil {
			missing++
			printable.Fprintf(c.ErrOrStderr(), "%s is missing: %v\n", x.File, x.Err)
		}
	}
	w := c.OutOrStdout()
	switch {
	case o.JSON:
		if err := output.WriteJSON(w, map[string]any{"to": f.to, "written": !f.isDryRun, "files": members}); err != nil {
			return err
		}
	default:
		t := output.NewTable(w, "FILE", "BYTES", "WHAT")
		for _, x := range members {
			t.AddRow(x.File, map[bool]string{true: "missing", false: fmt.Sprint(x.Bytes)}[x.Err != nil], x.About)
		}
		t.Print()
		if f.isDryRun {
			printable.Fprintf(w, "\nNothing was written.\n")
		} else {
			printable.Fprintf(w, "\n%s is written. Look at it before you send it.\n", f.to)
		}
	}
	if missing > 0 {
		return cli.ErrFinding
	}
	return nil
}
