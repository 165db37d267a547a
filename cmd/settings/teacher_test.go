package settings

import (
	"testing"

	"fairbridge/policy/catalogue"
)

// TestTeacher: a policy that learnt gives way to itself with the parameters of its teacher, the others
// as they are; one that learnt from none, or decides as its teacher does, to none.
func TestTeacher(t *testing.T) {
	for _, c := range []struct {
		policy string
		params map[string]any
		want   string
	}{
		{"dl2", nil, "by=teacher"}, {"dl2", map[string]any{"step": 2}, "by=teacher step=2"}, {"dl2", map[string]any{"by": "equal"}, "by=teacher"},
		{"dl2", map[string]any{"by": "teacher"}, ""}, {"fifo", nil, ""},
	} {
		entry, err := catalogue.FindSystem(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := newTeacher(entry, c.params)
		if err != nil || (got != nil) != (c.want != "") || got != nil && (got.Params != c.want || got.DecidingPolicy == nil) {
			t.Errorf("%s %v: %+v, %v, want %q", c.policy, c.params, got, err, c.want)
		}
	}
}
