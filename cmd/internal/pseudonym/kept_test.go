package pseudonym

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSeparators replaces the numbers that follow "uid" and the like in errors.
func TestSeparators(t *testing.T) {
	m := New([]byte("key"))
	for text, number := range map[string]uint64{"uid=1000 is not known": 1000, "uid:1000": 1000, "job=471": 471, "job #471": 471, "job: 471": 471} {
		want := strings.Replace(text, formatNumber(number), formatNumber(m.Number(number)), 1)
		if got := m.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := m.Text("nodes=471"); got != "nodes=471" {
		t.Errorf("a count became %q", got)
	}
}

// TestNamesOfDigits replaces accounts, users and nodes that are numbers, and keeps small counts.
func TestNamesOfDigits(t *testing.T) {
	m := New([]byte("key"))
	m.Learn(map[string]any{"account": "2031", "user": "815", "node": "17", "partition": "640"})
	want := m.Name("account", "2031") + " and " + m.Name("user", "815") + " used 640 GPUs over 17 nodes"
	if got := m.Text("2031 and 815 used 640 GPUs over 17 nodes"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestClosedValues keeps the values of lists whatever jobs are called.
func TestClosedValues(t *testing.T) {
	m := New([]byte("key"))
	doc := map[string]any{"format": "fairbridge-recording-1", "state": "PENDING", "verb": "wait", "cause": "stopped"}
	want, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range doc {
		m.Know("name", v.(string))
	}
	if got, err := json.Marshal(m.Document(doc)); err != nil || string(got) != string(want) {
		t.Errorf("%s, want %s: %v", got, want, err)
	}
	doc = map[string]any{"state": "zoeylane", "policy": "wait for zoeylane"}
	if got, err := json.Marshal(m.Document(doc)); err != nil || strings.Contains(string(got), "zoeylane") {
		t.Errorf("%s: %v", got, err)
	}
}

// TestSymbols replaces signs that are no letters, of whom nobody was told that they are a name, and keeps those of our own sentences.
func TestSymbols(t *testing.T) {
	m := New([]byte("key"))
	for _, name := range []string{"🚀🚀", "★☆", "\u202e☠", "→⇒"} {
		for _, text := range []string{"job " + name + " waits", name, "waits: " + name, "waits for " + name + "…"} {
			if got := m.Text(text); strings.ContainsAny(got, name) || got == "" {
				t.Errorf("%q became %q", text, got)
			}
			if got := m.setting(text); strings.ContainsAny(got, name) {
				t.Errorf("setting %q became %q", text, got)
			}
		}
	}
	if first, again, other := m.Text("🚀"), m.Text("🚀"), m.Text("★"); first != again || first == other {
		t.Errorf("the same signs became %q and %q, others %q", first, again, other)
	}
	if text := "starts on 2:8×a100 – waits…, ±2 %"; m.Text(text) != text {
		t.Errorf("our own signs became %q", m.Text(text))
	}
}
