package output

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
)

func TestTime(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.Local)
	for at, want := range map[time.Time]string{
		{}: "–", now: "12:00:00", now.Add(-11 * time.Hour): "01:00:00", now.Add(2 * time.Hour): "14:00:00",
		now.AddDate(0, 0, -1): "2026-05-31 12:00", now.AddDate(0, 0, 3): "2026-06-04 12:00", now.UTC().Add(time.Second): "12:00:01",
	} {
		if got := FormatTime(at, now); got != want {
			t.Errorf("Time(%v) = %q, want %q", at, got, want)
		}
	}
	lease := slurm.Edit{Kind: slurm.EditLease, Run: slurm.Run{Job: 7}, Until: now.Add(time.Minute).UTC(), Tasks: 1}
	if got := FormatEdit(lease, "5_1", now); !strings.HasPrefix(got, "lease job 5_1") || !strings.HasSuffix(got, " until 12:01:00") {
		t.Errorf("a lease is told as %q", got)
	}
}

// tableOfWidth prints a table at a width.
func tableOfWidth(width int) string {
	var b bytes.Buffer
	s := NewTable(&b, "RANK", "JOB", "WHY")
	s.Width = width
	s.AddRow(1, 4711, "starts on n2:8×a100")
	s.AddRow(12, 8, "waits as 2nd: needs 8 GPUs on one node, 2 free on the best node n4")
	s.Print()
	return b.String()
}

func TestTable(t *testing.T) {
	for width, want := range map[int]string{
		0: `RANK   JOB  WHY
   1  4711  starts on n2:8×a100
  12     8  waits as 2nd: needs 8 GPUs on one node, 2 free on the best node n4
`,
		42: `RANK   JOB  WHY
   1  4711  starts on n2:8×a100
  12     8  waits as 2nd: needs 8 GPUs on
            one node, 2 free on the best
            node n4
`,
	} {
		if d := cmp.Diff(want, tableOfWidth(width)); d != "" {
			t.Errorf("width %d:\n%s", width, d)
		}
	}
	if got := tableOfWidth(10); !strings.Contains(got, "waits as 2nd: needs 8") {
		t.Errorf("on a terminal of 10 columns:\n%s", got)
	}
}

// What a user wrote stays in its cell and does not speak to the terminal.
func TestTablesHoldUserText(t *testing.T) {
	var out strings.Builder
	s := NewTable(&out, "JOB", "NAME")
	s.AddRow(7, "\x1b[2Jtrain\n8    root")
	s.Print()
	WriteParagraph(&out, "  ", "its comment says \"\r\x1b]0;x\a\"")
	if got, want := out.String(), "JOB  NAME\n  7  \\x1b[2Jtrain\\n8    root\n  its comment says \"\\r\\x1b]0;x\\a\"\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestStringWidth wants the short way to say what the long one does.
func TestStringWidth(t *testing.T) {
	for _, s := range []string{"", "abc", " ~", "å", "日本", "a\tb", "\x1b[31mred\x1b[0m", "e\u0301"} {
		if got, want := StringWidth(s), text.StringWidth(s); got != want {
			t.Errorf("%q takes %d columns, want %d", s, got, want)
		}
	}
}

// A page wraps as a terminal of its width does, and nothing in it can speak to one.
func TestPage(t *testing.T) {
	p := NewPage(30)
	if len(p.Lines()) != 0 {
		t.Errorf("an empty page has %q", p.Lines())
	}
	printable.Fprintf(p, "\n")
	WriteParagraph(p, "* ", "a\x1b[2Jb one two three four five six seven")
	printable.Fprintf(p, "\n")
	want := []string{`* a\x1b[2Jb one two three four`, "  five six seven"}
	if got := p.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Painted{"a\x1bb", Red}).Paint(); got != "\x1b[31ma\\x1bb\x1b[0m" {
		t.Errorf("%q", got)
	}
	if Terminal(p) != nil {
		t.Error("a page is a terminal")
	}
}
