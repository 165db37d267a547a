package printable_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"fairbridge/bridge/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "",
		"train resnet":                          "train resnet",
		"größe 大 🚀":                             "größe 大 🚀",
		"\x1b[2J\x1b]0;owned\a":                 `\x1b[2J\x1b]0;owned\a`,
		"a\nroot  99.9 %":                       `a\nroot  99.9 %`,
		"a\r\tb\x00":                            `a\r\tb\x00`,
		"\u009b31m":                             `\u009b31m`,
		"\u202egnp.exe":                         `\u202egnp.exe`,
		"line\u2028end":                         `line\u2028end`,
		"\xff\xc3":                              `\xff\xc3`,
		"said \uFFFD, as in UTF-8":              "said \uFFFD, as in UTF-8",
		"\u2066iso\u2069\u200b":                 `\u2066iso\u2069\u200b`,
		"a\u3164b\u2800c\U000e0041":             `a\u3164b\u2800c\U000e0041`,
		"z\u0301\u0301\u0301\u0301\u0301\u0301": "z\u0301\u0301\u0301\u0301" + `\u0301\u0301`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("Text(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "train": "train", "a=1": "a=1", "=HYPERLINK(1)": "'=HYPERLINK(1)", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)",
		"＝1": "'＝1", "\t=1": `\t=1`, "\r=1": `\r=1`, " =1": "' =1", `"=1`: `'"=1`, ` " @a`: `' " @a`, "a;=1": "a;'=1", "a; +1;b": "a;' +1;b", ";": ";",
	} {
		if got := printable.CSVCell(in); got != want {
			t.Errorf("Cell(%q) = %s, want %s", in, got, want)
		}
	}
}

// Whatever a user writes comes out as one line that no terminal obeys and no
// spreadsheet works out, and a second time changes nothing.
func TestWhateverAUserWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		got := printable.Text(s)
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q became %q", s, got)
			}
		}
		cell := printable.CSVCell(s)
		if strings.IndexAny(cell, "=+-@＝＋－＠") == 0 {
			t.Fatalf("%q became the cell %q", s, cell)
		}
		if strings.HasPrefix(strings.TrimLeft(cell, ` "`), "=") {
			t.Fatalf("%q became the cell %q", s, cell)
		}
		if printable.Text(got) != got || printable.CSVCell(cell) != cell {
			t.Fatalf("%q becomes another text the second time", s)
		}
	})
}

func TestTruncate(t *testing.T) {
	for s, want := range map[string]string{"": "", "gänse": "gänse", "gänsefüßchen": "gäns…"} {
		if got := printable.Truncate(s, 5); got != want {
			t.Errorf("Truncate(%q) = %q, want %q", s, got, want)
		}
	}
}
