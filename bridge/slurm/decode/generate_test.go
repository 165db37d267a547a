package decode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	idText   = regexp.MustCompile(`(?m)^   "job_id": \d+`)
	nameText = regexp.MustCompile(`"name": "[^"]*"`)
	sluid    = regexp.MustCompile(`"sluid": "[^"]*"`)
	userText = regexp.MustCompile(`"user_name": "[^"]*"`)
	nodeText = regexp.MustCompile(`"nodes": "[^"]+"`)
)

// reply makes a jobs reply of n jobs, one running in five, as slurmrestd
// writes it, out of recorded jobs.
func reply(t testing.TB, version string, n int) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, "jobs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Jobs []json.RawMessage }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var running, pending [][]byte
	for _, j := range doc.Jobs {
		var state struct {
			State []string `json:"job_state"`
		}
		if err := json.Unmarshal(j, &state); err != nil {
			t.Fatal(err)
		}
		if state.State[0] == "RUNNING" {
			running = append(running, j)
		} else {
			pending = append(pending, j)
		}
	}
	out := []byte("{\n \"jobs\": [\n")
	for i := range n {
		from := pending
		if i%5 == 0 {
			from = running
		}
		if i > 0 {
			out = append(out, ",\n  "...)
		}
		out = append(out, vary(from[i%len(from)], i)...)
	}
	return append(out, "\n ],\n \"errors\": [],\n \"warnings\": []\n}\n"...)
}

// vary makes job i of a recorded one.
func vary(j []byte, i int) []byte {
	j = idText.ReplaceAll(j, fmt.Appendf(nil, `   "job_id": %d`, i+1))
	j = nameText.ReplaceAll(j, fmt.Appendf(nil, `"name": "train-%d"`, i%997))
	j = sluid.ReplaceAll(j, fmt.Appendf(nil, `"sluid": "s335M7XW88%04d"`, i))
	j = userText.ReplaceAll(j, fmt.Appendf(nil, `"user_name": "user%d"`, i%200))
	return nodeText.ReplaceAll(j, fmt.Appendf(nil, `"nodes": "n%d"`, i%500))
}
