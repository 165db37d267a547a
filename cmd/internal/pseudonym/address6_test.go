package pseudonym

import (
	"testing"
)

// TestAddresses6 replaces IPv6 addresses and keeps times and ports.
func TestAddresses6(t *testing.T) {
	m := New([]byte("key"))
	name := func(s string) string { return m.Name("text", s) }
	for text, want := range map[string]string{
		"[2001:638:902:1::5]:5432: refused":  "[" + name("2001:638:902:1::5") + "]:5432: refused",
		"2a00:1398:5:1::12: no answer":       name("2a00:1398:5:1::12") + ": no answer",
		"fe80::1, ::1. and 1:2:3:4:5:6:7:8.": name("fe80::1") + ", " + name("::1") + ". and " + name("1:2:3:4:5:6:7:8") + ".",
		"1:2:3:4:5:6:7:8:5432":               name("1:2:3:4:5:6:7:8") + ":5432",
		"::ffff:10.1.2.3 failed":             name("::ffff:10.1.2.3") + " failed",
		"at 12:30:05 and 2026-11-27T12:30":   "at 12:30:05 and 2026-11-27T12:30",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became\n%q, want\n%q", text, got, want)
		}
	}
}
