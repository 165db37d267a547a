package recurrence_test

import (
	"slices"
	"testing"

	"fairbridge/policy/recurrence"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"train": "train", "train-1": "train-#", "train-22": "train-#", "7b_seed3_lr0.1": "#b_seed#_lr#.#", "größe9": "größe#", "eval 2026-03-01T09": "eval #-#-#T#",
		"run-3fa9c1b": "run-#", "run-77be02d": "run-#", "a_965d744f-0445-c1a8-12af-97e4c536c66e.b": "a_#.b", "decade2020": "decade#", "facade": "facade", "resnet50": "resnet#",
	} {
		if r, ok := recurrence.Of("ann", name); r != (recurrence.Key{User: "ann", Name: want}) || !ok {
			t.Errorf("%q: %+v, %v", name, r, ok)
		}
	}
	for _, name := range []string{"", "12345", "12_3", "965d744f-0445-c1a8-12af-97e4c536c66e", "2026-03-01"} {
		if r, ok := recurrence.Of("ann", name); ok {
			t.Errorf("%q: %+v, though it names nothing", name, r)
		}
	}
	a, _ := recurrence.Of("ann", "x1")
	if b, _ := recurrence.Of("bob", "x1"); a == b {
		t.Error("two users' jobs are one")
	}
}

func TestKeys(t *testing.T) {
	for name, want := range map[string][]string{"": nil, "train": {"train"}, "train-1": {"train-1", "train-#"}, "17": {"17"}} {
		var got []string
		for _, k := range recurrence.Keys("ann", name) {
			got = append(got, k.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
