// Package output prints what commands answer: tables, times and counts as people read
// them, or JSON.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// WriteJSON prints a value for programs.
func WriteJSON(w io.Writer, v any) error {
	e := newJSONEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// WriteJSONLines prints values for programs, one a line.
func WriteJSONLines[T any](w io.Writer, all []T) error {
	e := newJSONEncoder(w)
	for i := range all {
		if err := e.Encode(&all[i]); err != nil {
			return fmt.Errorf("printing JSON: %w", err)
		}
	}
	return nil
}

func newJSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(printable.NewJSONWriter(w))
	e.SetEscapeHTML(false)
	return e
}

// FormatAge prints how long ago something was, or "–" when it never was.
func FormatAge(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return policy.FormatDuration(now.Sub(t))
}

// FormatTime prints a moment in local time: without the date when it is less than
// half a day away.
func FormatTime(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case now.Sub(t).Abs() < 12*time.Hour:
		return t.Local().Format(time.TimeOnly)
	}
	return t.Local().Format("2006-01-02 15:04")
}

// FormatEdit prints an edit of a job, which goes by its address ("47_3"; "": its id), with its
// times as FormatTime does.
func FormatEdit(e slurm.Edit, address string, now time.Time) string {
	e.Address = address
	if f, _ := e.Kind.Form(); f.HasUntil {
		return fmt.Sprintf("%s job %s until %s", e.Kind, e.Run.TextOf(e.JobLabel()), FormatTime(e.Until, now))
	}
	return e.String()
}
