package printable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/bridge/printable"
)

// Text of any length is cut to what people can read, and says what it lacks.
func TestTextIsBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 1e6), strings.Repeat("\x1b", 1e5), strings.Repeat("ü", 3000)} {
		got := printable.Text(s)
		if n := len([]rune(got)); n > printable.MaxTextChars || !strings.Contains(got, " characters more)") {
			t.Errorf("%d characters, ending in %q", n, got[len(got)-30:])
		}
		if printable.Text(got) != got {
			t.Error("cut again the second time")
		}
	}
	if s := strings.Repeat("ü", printable.MaxTextChars); printable.Text(s) != s {
		t.Error("a text that is just short enough is cut")
	}
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := printable.NewWriter(&out)
	for _, part := range []string{"a\tb\n", "\x1b[2J\r", "gr\xc3", "\xb6\xc3", "x\u202e", "\xe2\x80", "\xaenow\n"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", part, n, err)
		}
	}
	if got, want := out.String(), "a\tb\n\\x1b[2J\\rgrö\\xc3x\\u202e\\u202enow\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if w.Unwrap() != &out {
		t.Error("it does not say what it writes to")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriterSaysWhatFailed(t *testing.T) {
	if n, err := printable.NewWriter(brokenPipe{}).Write([]byte("a\x1b")); n != 0 || err == nil {
		t.Errorf("got %d, %v", n, err)
	}
	if err := printable.NewCSVWriter(brokenPipe{}).Flush(); err != nil {
		t.Errorf("nothing was written: %v", err)
	}
	c := printable.NewCSVWriter(brokenPipe{})
	if err := errors.Join(c.WriteRow("a"), c.Flush()); err == nil {
		t.Error("no error")
	}
}

// JSON stays JSON with the same values, whoever wrote them, and however it is cut
// into writes; no character of it speaks to a terminal.
func TestJSONStaysTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x7f", "\u009b31m", "\u202e", "\U000e0041", "\u2028", "\ufffd", "a\x00\n\t"})).Draw(t, "text")
		raw, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := printable.NewJSONWriter(&out)
		at := rapid.IntRange(0, len(raw)).Draw(t, "cut")
		_, _ = w.Write(raw[:at])
		_, _ = w.Write(raw[at:])
		if shown := printable.Text(out.String()); shown != out.String() {
			t.Fatalf("a terminal gets %q", out.String())
		}
		var got map[string]string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got[text] != text {
			t.Fatalf("%q became %s: %v", text, out.String(), err)
		}
	})
}

func TestFprintf(t *testing.T) {
	var out strings.Builder
	printable.Fprintf(&out, "job %d %q of %-6s|%*d|%v|%6.2f %t\n", 7, "a\nb", "x\n\x1b", 4, 12, errors.New("one\ntwo"), 1.5, true)
	printable.Fprintln(&out, "a\nb", 3, []string{"\u202e"})
	printable.Fprintlines(&out, "two\nlines\x1b")
	want := "job 7 \"a\\nb\" of x\\n\\x1b   |  12|one\\ntwo|  1.50 true\na\\nb 3 [\\u202e]\ntwo\nlines\\x1b\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

func TestCSVWriter(t *testing.T) {
	var out strings.Builder
	w := printable.NewCSVWriter(&out)
	if err := errors.Join(w.WriteRow("user", "-1", -1, int64(-2), printable.CSVNumber("-3.5"), `="a"`, "x,\n"), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if want := "user,'-1,-1,-2,-3.5,\"'=\"\"a\"\"\",\"x,\\n\"\n"; out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}
