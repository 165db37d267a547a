package ask

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// writeAnswers writes the answers to the file asked for, or to out.
func (a *reportOptions) writeAnswers(out io.Writer, all []*api.Report) (err error) {
	if a.outputFile != "" {
		f, e := os.Create(a.outputFile)
		if e != nil {
			return fmt.Errorf("writing the report: %w", e)
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	switch a.format {
	case "csv":
		return all[0].Rows.WriteCSV(out)
	case "json":
		if len(all) == 1 {
			return output.WriteJSON(out, all[0])
		}
		return output.WriteJSON(out, all)
	case "html":
		return report.WritePage(out, a.Scope, answersOf(all), cli.MadeByText())
	}
	printAnswers(out, a.Scope, all)
	return nil
}

func printAnswers(w io.Writer, s report.Scope, all []*api.Report) {
	for i, r := range all {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		printable.Fprintln(w, r.Title)
		if i == 0 {
			printable.Fprintln(w, s)
		}
		if r.Explanation != "" {
			output.WriteParagraph(w, "", r.Explanation)
		}
		printable.Fprintf(w, "\n")
		if len(r.Rows.Rows) == 0 {
			printable.Fprintln(w, emptyText(r))
			continue
		}
		t := output.NewTable(w, formatCells(r.Rows.HeaderTexts(), strings.ToUpper)...)
		for _, row := range r.Rows.FormatRows() {
			t.AddRow(formatCells(row, func(s string) string { return s })...)
		}
		t.Print()
		if r.Note != "" {
			output.WriteParagraph(w, "", r.Note)
		}
	}
	if text := sumsText(all[len(all)-1], time.Now()); text != "" {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", text)
	}
	if slices.ContainsFunc(all, func(r *api.Report) bool { return r.Hidden }) {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", "Rows of others are not shown where your site keeps them private.")
	}
}

// emptyText says why a report has no rows.
func emptyText(r *api.Report) string {
	if r.SummedUpTo.IsZero() {
		return "Nothing is summed up yet."
	}
	return "Nothing in this time."
}

// sumsText says how fresh a report is; "": nothing is summed up.
func sumsText(r *api.Report, now time.Time) string {
	if r.SummedUpTo.IsZero() {
		return ""
	}
	text := "The record is summed up to " + output.FormatTime(r.SummedUpTo, now)
	switch {
	case r.DaysBehind == 1:
		text += ", but for 1 day that changed since"
	case r.DaysBehind > 1:
		text += fmt.Sprintf(", but for %d days that changed since", r.DaysBehind)
	}
	return text + "."
}

// answersOf are the reports without who may see what.
func answersOf(all []*api.Report) []report.Answer {
	var answers []report.Answer
	for _, r := range all {
		a := r.Answer
		a.Explanation = strings.TrimSpace(a.Explanation + " " + r.Note)
		answers = append(answers, a)
	}
	return answers
}

// formatCells are texts as a table takes them.
func formatCells(texts []string, as func(string) string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = as(s)
	}
	return out
}
