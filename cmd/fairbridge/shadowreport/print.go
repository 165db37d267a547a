package shadowreport

import (
	"io"
	"slices"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/replica/shadow"
)

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
