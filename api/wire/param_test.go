package wire

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/api"
)

// TestQueriesTravel wants each query to be read as it was written.
func TestQueriesTravel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		printable := rapid.StringOf(rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.S))
		text := rapid.OneOf(rapid.SampledFrom([]string{"", "a,b", "47_[0-9]", "a&b=c", "%2F", "+", "é"}), printable)
		list := rapid.SliceOfN(text, 0, 3)
		limit := rapid.IntRange(-1, 1<<40)
		queue := api.QueueQuery{Partitions: list.Draw(t, "p"), Users: list.Draw(t, "u"), Accounts: list.Draw(t, "a"), States: list.Draw(t, "s"),
			Jobs: list.Draw(t, "j"), Nodes: list.Draw(t, "n"), Limit: limit.Draw(t, "l"), After: text.Draw(t, "after"), Estimates: rapid.Bool().Draw(t, "e")}
		when := api.WhenQuery{Partition: text.Draw(t, "p"), GPUType: text.Draw(t, "t"), GPUs: limit.Draw(t, "g"), Nodes: limit.Draw(t, "n"),
			Limit: time.Duration(rapid.Int64().Draw(t, "l")), User: text.Draw(t, "u"), Account: text.Draw(t, "a")}
		since := time.Unix(rapid.Int64Range(-1<<33, 1<<34).Draw(t, "since"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		changes := api.ChangeQuery{Jobs: list.Draw(t, "j"), Users: list.Draw(t, "u"), Kinds: list.Draw(t, "k"), States: list.Draw(t, "s"), Since: since}
		nodes := api.NodeQuery{Partitions: list.Draw(t, "p"), Names: list.Draw(t, "n"), Limit: 3}
		report := api.ReportQuery{Since: since, Until: since, Account: text.Draw(t, "a"), User: text.Draw(t, "u")}
		travel(t, queue, NewQueueParams)
		travel(t, when, NewWhenParams)
		travel(t, changes, NewChangeParams)
		travel(t, nodes, NewNodeParams)
		travel(t, report, NewReportParams)
	})
}

func travel[Q any](t *rapid.T, want Q, bind func(*Q) []Param) {
	var got Q
	values, err := url.ParseQuery(Encode(bind(&want)).Encode())
	if err == nil {
		err = Decode(values, bind(&got))
	}
	if err != nil {
		t.Fatalf("%+v: %v", want, err)
	}
	if d := cmp.Diff(want, got, cmp.Transformer("list", func(l []string) string { return strings.Join(l, "\x00|") })); d != "" {
		t.Fatal(d)
	}
}

func TestWrongParameters(t *testing.T) {
	for raw, want := range map[string]string{
		"colour=red":                    `there is no parameter "colour" here: it takes partition, user, account, state, job, node, estimates, limit, after`,
		"limit=1&limit=2":               "parameter limit is given 2 times: give it once",
		"limit=ten":                     `parameter limit cannot be "ten": a whole number`,
		"limit=":                        `parameter limit cannot be ""`,
		"limit=1e3":                     "a whole number",
		"limit=99999999999999999999":    "a whole number",
		"estimates=perhaps":             "true or false",
		strings.Repeat("user=a&", 1001): "parameter user is given 1001 times: at most 1000 times",
	} {
		values, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatal(err)
		}
		err = Decode(values, NewQueueParams(new(api.QueueQuery)))
		if api.CodeOf(err) != api.CodeBadRequest || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", raw, err, want)
		}
	}
	for raw, want := range map[string]string{"since=yesterday": "a time such as 2026", "since=2026-03-02": "a time such as"} {
		values, _ := url.ParseQuery(raw)
		if err := Decode(values, NewChangeParams(new(api.ChangeQuery))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if err := Decode(url.Values{"time_limit": {"8"}}, NewWhenParams(new(api.WhenQuery))); err == nil || !strings.Contains(err.Error(), "90m") {
		t.Errorf("%v", err)
	}
	if err := Decode(url.Values{"x": {"8"}}, nil); err == nil || !strings.Contains(err.Error(), "it takes none") {
		t.Errorf("%v", err)
	}
}

// TestTextIsChecked: no control character and nothing that is not UTF-8 comes in, in a value or in a list of them.
func TestTextIsChecked(t *testing.T) {
	for text, want := range map[string]bool{
		"ann": true, "é ü 漢": true, "\x00": false, "a\x00b": false, "\xff": false, "\xed\xa0\x80": false,
		"a\nb": false, "\x1b[2J": false, "\u0085": false,
	} {
		var q api.QueueQuery
		err := Decode(url.Values{"user": {"bob", text}}, NewQueueParams(&q))
		if (err == nil) != want || err != nil && api.CodeOf(err) != api.CodeBadRequest {
			t.Errorf("%q: %v", text, err)
		}
	}
}
