package shadowreport

import (
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/replica/shadow"
)

// RunFlags are those of a report that simulates a site's own past several times.
type RunFlags struct {
	Seed                    int64
	SeedCount, ParallelRuns int
	SlurmConfFile, HTMLFile string // files; "": none
}

// AddTo gives the flags to a command, with so many seeds where none are asked for and what the
// page of --html is.
func (f *RunFlags) AddTo(c *cobra.Command, seedCount int, htmlText string) {
	s := c.Flags()
	s.Int64Var(&f.Seed, "seed", 1, "of all chance")
	s.IntVar(&f.SeedCount, "seeds", seedCount, "how many times, with other phases of Slurm's periodic work and arrivals moved by\nseconds")
	s.IntVar(&f.ParallelRuns, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	s.StringVar(&f.SlurmConfFile, "slurm-conf", "", "Slurm's settings: slurm.conf, or what scontrol show config printed (default: what\nscontrol says, if it is there)")
	s.StringVar(&f.HTMLFile, "html", "", htmlText)
	cli.SetRange(c, "seed", "-1000000000000", "1000000000000")
	cli.SetRange(c, "seeds", "2", "1000")
	cli.SetRange(c, "parallel", "1", "1024")
}

// CheckPage returns an error where the page could not be written, before anything is simulated.
func (f *RunFlags) CheckPage() error {
	if f.HTMLFile == "" {
		return nil
	}
	return datafile.CheckWritable(f.HTMLFile, true)
}

// SavePage writes the page where one is asked for.
func (f *RunFlags) SavePage(write func(io.Writer) error) error {
	if f.HTMLFile == "" {
		return nil
	}
	return datafile.SaveFile(f.HTMLFile, true, write)
}

// WriteReports writes the reports as JSON, or one after the other as text.
func WriteReports[R any](w io.Writer, reports []R, json bool, printReport func(io.Writer, R)) error {
	if json {
		return output.WriteJSON(w, reports)
	}
	for i, r := range reports {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		printReport(w, r)
	}
	return nil
}

// write writes the reports, and returns cli.ErrFinding unless all are gains.
func (f *shadowFlags) write(w io.Writer, cluster string, reports []*shadow.Report, json bool) error {
	err := f.SavePage(func(w io.Writer) error { return shadow.WritePage(w, cluster, reports, cli.MadeByText()) })
	if err != nil {
		return err
	}
	if err := WriteReports(w, reports, json, printShadowReport); err != nil {
		return err
	}
	if slices.ContainsFunc(reports, func(r *shadow.Report) bool { return !r.IsGain() }) {
		return cli.ErrFinding
	}
	return nil
}

// printShadowReport prints one report.
func printShadowReport(w io.Writer, r *shadow.Report) {
	printable.Fprintf(w, "%s\n", r.Heading())
	output.WriteParagraph(w, "", r.Summarize())
	output.WriteParagraph(w, "", r.DescribePlan())
	PrintTables(w, r.Tables())
}

// PrintTables prints the tables of a report, each with its title.
func PrintTables(w io.Writer, tables []shadow.Table) {
	for _, t := range tables {
		printable.Fprintf(w, "\n%s\n", t.Title)
		if t.About != "" {
			output.WriteParagraph(w, "", t.About)
		}
		newTable := trial.NewNumberTable
		if t.IsText {
			newTable = output.NewTable
		}
		table := newTable(w, cells(t.ColumnHeads, strings.ToUpper)...)
		for _, row := range t.Rows {
			table.AddRow(cells(row, strings.Clone)...)
		}
		table.Print()
	}
}

// cells are texts as a table takes them.
func cells(texts []string, as func(string) string) []any {
	all := make([]any, len(texts))
	for i, s := range texts {
		all[i] = as(s)
	}
	return all
}
