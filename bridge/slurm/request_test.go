package slurm

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadFeatures(t *testing.T) {
	for text, want := range map[string]Features{
		"":              {},
		"ib":            {Text: "ib", Required: []string{"ib"}},
		"ib&a100&ib":    {Text: "ib&a100&ib", Required: []string{"a100", "ib"}},
		"a100|h100":     {Text: "a100|h100"},
		"[rack1|rack2]": {Text: "[rack1|rack2]"},
	} {
		got := ReadFeatures(text)
		if diff := cmp.Diff(want, got); diff != "" || got.IsPlainList() != (text == "" || want.Required != nil) {
			t.Errorf("%q: plain %v (-want +got):\n%s", text, got.IsPlainList(), diff)
		}
	}
}

func TestReadDependency(t *testing.T) {
	for text, want := range map[string][]int64{
		"":                                      nil,
		"singleton":                             nil,
		"afterok:12(unfulfilled),afterany:13_4": {12, 13, 4}, // a task may be taken for an id
		"afterok:7?afternotok:7":                {7},
	} {
		if diff := cmp.Diff(want, ReadDependency(text).JobIDs); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestTasksHas(t *testing.T) {
	for text, want := range map[string][]int{
		"3-9:2,14%4": {3, 5, 7, 9, 14},
		"0":          {0},
		"1,x":        nil, // unreadable
		"1...":       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	} {
		var got []int
		for i := range 16 {
			if ReadArrayTasks(text).HasTask(i) {
				got = append(got, i)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A hostlist is stored as its text, and one that is empty not at all.
func TestHostsAreStoredAsText(t *testing.T) {
	type row struct {
		Nodes Hosts `json:"nodes,omitzero"`
	}
	for text, stored := range map[string]string{"n[1-2],m": `{"nodes":"n[1-2],m"}`, "n[1": `{"nodes":"n[1"}`, "": `{}`} {
		was := row{ReadHosts(text)}
		got, err := json.Marshal(was)
		if err != nil || string(got) != stored {
			t.Errorf("%q is stored as %s, want %s (%v)", text, got, stored, err)
		}
		var again row
		if err := json.Unmarshal(got, &again); err != nil || !cmp.Equal(was, again) {
			t.Errorf("%q comes back as %+v, %v", text, again, err)
		}
	}
	if diff := cmp.Diff(ReadHosts("m,n[1-2]"), HostsFromNames([]string{"n2", "m", "n1", "n2"})); diff != "" {
		t.Errorf("a list made of names (-read +made):\n%s", diff)
	}
}
