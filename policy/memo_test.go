package policy_test

import (
	"encoding/json"
	"testing"

	"fairbridge/policy"
)

func TestMemoIsTheValueOrItsJSON(t *testing.T) {
	type state struct {
		Passes map[policy.JobID]float64 `json:"passes"`
	}
	was := state{map[policy.JobID]float64{7: 0.1 + 0.2}}
	plan := policy.Plan{Memo: policy.Remember(was)}
	b, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var stored policy.Plan
	if err := json.Unmarshal(b, &stored); err != nil {
		t.Fatal(err)
	}
	for name, memo := range map[string]policy.Memo{"value": plan.Memo, "stored": stored.Memo} {
		got, err := policy.Recall[state](memo)
		if err != nil || got.Passes[7] != was.Passes[7] {
			t.Errorf("%s: %v %v", name, got, err)
		}
		if !memo.Equal(plan.Memo) || memo.IsZero() {
			t.Errorf("%s: not equal to what was remembered", name)
		}
	}
}

func TestNoMemo(t *testing.T) {
	b, err := json.Marshal(policy.Plan{})
	if err != nil || string(b) != `{"basis":0,"policy":"","decisions":null}` {
		t.Errorf("%s %v", b, err)
	}
	var m policy.Memo
	if err := json.Unmarshal([]byte("null"), &m); err != nil || !m.IsZero() {
		t.Errorf("null is %v, %v", m, err)
	}
	if v, err := policy.Recall[int](m); v != 0 || err != nil {
		t.Errorf("recalled %d %v from nothing", v, err)
	}
	if _, err := policy.Recall[int](policy.MemoFromJSON([]byte(`"x"`))); err == nil {
		t.Error("a string was recalled as a number")
	}
}

func TestOnlyWhatSaysSoIsTimeless(t *testing.T) {
	for name, want := range map[string]struct {
		memo policy.Memo
		is   bool
	}{"nothing": {policy.Memo{}, true}, "a value": {policy.Remember(1), false}, "timeless": {policy.RememberTimeless(1), true}, "stored": {policy.MemoFromJSON([]byte("1")), false}} {
		if want.memo.IsTimeless() != want.is {
			t.Errorf("%s: timeless is %t", name, !want.is)
		}
	}
	if !policy.RememberTimeless(1).Equal(policy.Remember(1)) {
		t.Error("the same value is not equal")
	}
}
