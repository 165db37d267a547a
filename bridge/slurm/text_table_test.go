package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// hostileNames is made of what no name should begin, end or be cut with.
var hostileNames = rapid.StringMatching(`["'|,]{0,2}[a-z"|\n]{0,6}[ a-z|\n"]{0,3}["|,]{0,2}`)

// TestTextTableKeepsEveryRow writes names as sacct does, without quoting, and wants each row
// with its name back: a name in the last column may hold anything that is no row, one in the
// middle no bar.
func TestTextTableKeepsEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(hostileNames, 1, 6).Draw(t, "names")
		isLast := rapid.Bool().Draw(t, "the name is last")
		text, others := "JobID|JobName"+strings.Repeat("|X", 20)+"\n", strings.Repeat("|x", 20)
		if isLast {
			text = "JobID" + strings.Repeat("|X", 20) + "|JobName\n"
		}
		for i, name := range names {
			if !isLast {
				name = strings.ReplaceAll(name, "|", "!")
				names[i] = name
				text += fmt.Sprintf("%d|%s%s\n", i+1, name, others)
				continue
			}
			text += fmt.Sprintf("%d%s|%s\n", i+1, others, name)
		}
		rows := 0
		for r, err := range ReadTextTable(strings.NewReader(text)) {
			if err != nil || r.Err != nil {
				t.Fatalf("%v, %v in\n%s", r.Err, err, text)
			}
			if rows++; rows == 1 {
				continue
			}
			name := r.Cells[1]
			if isLast {
				name = r.Cells[21]
			}
			// Lines of a name are joined by a blank; empty ones go.
			if !slices.Equal(strings.Fields(name), strings.Fields(names[rows-2])) {
				t.Fatalf("row %d is called %q, want %q", rows-1, name, names[rows-2])
			}
			if r.Cells[0] != fmt.Sprint(rows-1) {
				t.Fatalf("row %d is %q", rows-1, r.Cells)
			}
		}
		if rows != len(names)+1 {
			t.Fatalf("%d rows of %d in\n%s", rows-1, len(names), text)
		}
	})
}

// TestTextTableJoinsOnlyRows: what is cut off is no part of the next row.
func TestTextTableJoinsOnlyRows(t *testing.T) {
	for text, want := range map[string]string{
		"JobID|User|JobName\n1|ann\n2|bob|x\n":              "1 bad, 2 bob x",
		"JobID|User|JobName\n1|ann|x\n2|bo\n3|cy|z\n":       "1 ann x, 2 bad, 3 cy z",
		"JobID|JobName|User\n1|x\n2|y|bob\n":                "1 bad, 2 y bob",
		"JobID|JobName|User\n1|x\ny|ann\n2|z|bob\n":         "1 x y ann, 2 z bob",
		"JobID|JobName|User\n1|x|y|ann\n2|z|bob\n":          "1 bad, 2 z bob",
		"JobID|JobName|User\n1|x\n|y|ann\n2|z|bob\n":        "1 bad, 2 bad, 3 z bob",
		"JobID|JobName|User|\n1|x|ann|\n2|z|bob|\n":         "1 x ann, 2 z bob",
		"JobID|User|JobName|\n1|ann|x|\n2|bob|a|b|\n":       "1 ann x, 2 bob a|b",
		"JobID|User|JobName\n1|ann|x\n\ny|z\n2|bob|\"q\"\n": "1 ann x y|z, 2 bob \"q\"",
	} {
		var got []string
		first := true
		for r, err := range ReadTextTable(strings.NewReader(text)) {
			switch {
			case err != nil:
				t.Error(err)
			case first:
				first = false
			case r.Err != nil:
				got = append(got, fmt.Sprint(len(got)+1, " bad"))
			default:
				got = append(got, strings.Join(append([]string{fmt.Sprint(len(got) + 1)}, r.Cells[1:]...), " "))
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, ", "), want)
		}
	}
}
