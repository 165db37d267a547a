package invariant

import (
	"fmt"
	"testing"
)

func TestAll(t *testing.T) {
	for i, v := range All {
		if want := ID(fmt.Sprintf("I%d", i+1)); v.ID != want || v.Text == "" || want.Text() != v.Text {
			t.Errorf("entry %d is %+v, want %s with a text", i, v, want)
		}
	}
	if len(All) != 27 || ID("I28").Text() != "" {
		t.Errorf("%d invariants, I28 is %q", len(All), ID("I28").Text())
	}
}
