package report

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestReadTable wants a table that travelled as JSON to be the same table.
func TestReadTable(t *testing.T) {
	for _, want := range []*Table{
		{Columns: []string{"day", "gpus", "wait_seconds", "since", "over", "note"}, Rows: [][]any{
			{"2026-03-02", nil, 3.0, time.Date(2026, 3, 2, 1, 2, 3, 4000, time.UTC), true, nil},
			{"2026-03-03", int64(1) << 60, 3.5, nil, false, nil},
		}},
		{Columns: []string{"account"}},
	} {
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadTable(raw, want.ListColumns())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s became (-was +is):\n%s", raw, d)
		}
	}
}

func TestReadTableRefusesWhatIsNoTable(t *testing.T) {
	for _, c := range []struct {
		raw  string
		kind ColumnKind
	}{{`{}`, ColumnText}, {`[{"a":"noon"}]`, ColumnTime}, {`[{"a":1.5}]`, ColumnInteger}} {
		if got, err := ReadTable([]byte(c.raw), []Column{{"a", c.kind}}); err == nil {
			t.Errorf("%s as %s: %v", c.raw, c.kind, got)
		}
	}
}
