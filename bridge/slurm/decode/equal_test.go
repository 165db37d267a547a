package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
)

// ours are the reasons for which the decoder refuses what is JSON.
var ours = []string{
	"twice in", "without an id", "without a name", "over the limit", "the reply has no",
	"no JSON object", "where '[' should be", "where '{' should be", "where a list should be",
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// agree checks that a decoder takes text as the reference does: both refuse
// it, or both read the same records.
func agree[T any](t failer, text []byte, key string,
	decode func(*Decoder, io.Reader) ([]T, slurm.ReplyMeta, error), one func(jsonObject) T) {
	t.Helper()
	got, _, err := decode(new(Decoder), bytes.NewReader(text))
	slow, _, err2 := decode(new(Decoder), iotest.OneByteReader(bytes.NewReader(text)))
	if diff := cmp.Diff(got, slow); diff != "" || fmt.Sprint(err) != fmt.Sprint(err2) {
		t.Fatalf("read by single bytes it differs: %v, %v\n%s", err, err2, diff)
	}
	var problem *slurm.Error
	switch valid := json.Valid(text); {
	case err == nil && !valid:
		t.Fatalf("accepted, but not JSON: %s", slurm.QuoteExcerpt(string(text)))
	case err == nil:
	case !errors.As(err, &problem) || problem.Class != slurm.ErrorGarbledReply:
		t.Fatalf("%v is not of class garbled", err)
	case valid && !slices.ContainsFunc(ours, func(s string) bool { return strings.Contains(err.Error(), s) }):
		t.Fatalf("refused, but JSON: %v", err)
	}
	if err != nil {
		return
	}
	doc, err := parse(text)
	if err != nil {
		return // a number that fits no float
	}
	list, _ := doc[key].([]any)
	var want []T
	for _, x := range list {
		o, _ := x.(map[string]any)
		want = append(want, one(o))
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), withoutUnusual); diff != "" {
		t.Fatalf("-reference +got:\n%s", diff)
	}
}

func agreeJobs(t failer, text []byte) {
	t.Helper()
	agree(t, text, "jobs", func(d *Decoder, r io.Reader) ([]slurm.Job, slurm.ReplyMeta, error) { return d.Jobs(r, nil) }, referenceJob)
}

func agreeNodes(t failer, text []byte) {
	t.Helper()
	agree(t, text, "nodes", func(d *Decoder, r io.Reader) ([]slurm.Node, slurm.ReplyMeta, error) { return d.Nodes(r, nil) }, referenceNode)
}

func agreeReservations(t failer, text []byte) {
	t.Helper()
	agree(t, text, "reservations", func(d *Decoder, r io.Reader) ([]slurm.Reservation, slurm.ReplyMeta, error) {
		return d.Reservations(r, nil)
	}, referenceReservation)
}

// seeds are small documents with the first records of every recorded reply,
// without the fields that are skipped anyway.
func seeds(t testing.TB, name, key string, known map[string]int) (out [][]byte) {
	t.Helper()
	for _, file := range recorded(t) {
		if filepath.Base(file) != name {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range doc[key].([]any) {
			rec := map[string]any{"unknown": []any{map[string]any{"a": json.Number("-1.5e3")}, "\\\u2028"}}
			for k, v := range x.(map[string]any) {
				if _, ok := known[k]; ok {
					rec[k] = v
				}
			}
			small, err := json.Marshal(map[string]any{key: []any{rec, rec}, "errors": []any{}})
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, small)
		}
	}
	return out
}

func TestAgreesOnRecorded(t *testing.T) {
	for _, file := range recorded(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch filepath.Base(file) {
		case "jobs.json":
			agreeJobs(t, text)
		case "nodes.json":
			agreeNodes(t, text)
		case "reservations.json":
			agreeReservations(t, text)
		}
	}
}

// values are what mutations put in place of a value.
var values = []string{
	`null`, `true`, `false`, `0`, `-1`, `-2`, `1`, `4294967294`, `4294967295`, `18446744073709551615`, `18446744073709551614`,
	`1e3`, `8.0`, `0.5`, `1e400`, `-0`, `9007199254740993`, `9223372036854775807`, `99999999999999999999`,
	`""`, `"a"`, `"\u0000\n\u001b"`, `"\ud83d\ude00\ud800"`, `"é\u0080"`, `"(null)"`, `"running"`, `"NONE"`, `"a,b,,c"`,
	`[]`, `["PENDING"]`, `["COMPLETING","RUNNING","COMPLETING"]`, `["n1","n2"]`, `[1]`, `[null]`, `["configuring"]`, `["idle","DRAIN"]`,
	`{}`, `{"set":true,"infinite":false,"number":5}`, `{"set":false,"infinite":false,"number":0}`, `{"set":true,"infinite":true,"number":0}`,
	`{"number":7}`, `{"set":true}`, `{"set":1,"number":7}`, `{"set":true,"infinite":false,"number":null}`, `{"set":true,"infinite":false,"number":1.5}`,
	`{"set":true,"infinite":false,"number":7e0}`, `{"infinite":false,"number":3,"set":true}`, `{"set" :true, "infinite":false,"number": 12 }`,
	`{"sluid":"s1","x":[{}]}`, `{"sluid":5}`, `{"a":{"b":[1,2,{"c":"]"}]}}`,
}

// mutated changes one to four values of a seed, and sometimes a byte.
func mutated(key string, seeds [][]byte) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var doc map[string][]map[string]json.RawMessage
		if err := json.Unmarshal(rapid.SampledFrom(seeds).Draw(t, "seed"), &doc); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			rec := rapid.SampledFrom(doc[key]).Draw(t, "record")
			keys := make([]string, 0, len(rec))
			for k := range rec {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			if len(keys) == 0 {
				break
			}
			k := rapid.SampledFrom(keys).Draw(t, "key")
			if rapid.IntRange(0, 5).Draw(t, "drop") == 0 {
				delete(rec, k)
				continue
			}
			rec[k] = json.RawMessage(rapid.SampledFrom(values).Draw(t, "value"))
		}
		var b bytes.Buffer
		writeRaw(&b, key, doc[key])
		out := b.Bytes()
		switch i := rapid.IntRange(0, len(out)-1).Draw(t, "at"); rapid.IntRange(0, 9).Draw(t, "damage") {
		case 0:
			out[i] = rapid.Byte().Draw(t, "byte")
		case 1:
			out = out[:i]
		case 2:
			out = slices.Insert(out, i, rapid.SampledFrom([]byte("{}[],:\" 0\\")).Draw(t, "insert"))
		}
		return string(out)
	})
}

// writeRaw writes the document without changing the text of values, as
// json.Marshal would.
func writeRaw(b *bytes.Buffer, key string, recs []map[string]json.RawMessage) {
	fmt.Fprintf(b, "{ %q: [", key)
	for i, rec := range recs {
		if i > 0 {
			b.WriteString(",")
		}
		keys := make([]string, 0, len(rec))
		for k := range rec {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for n, k := range keys {
			fmt.Fprintf(b, "%s\n  %q: %s", [...]string{"{", ","}[min(n, 1)], k, rec[k])
		}
		if len(keys) == 0 {
			b.WriteString("{")
		}
		b.WriteString("}")
	}
	b.WriteString("]}\n")
}

func TestAgreesOnMutatedJobs(t *testing.T) {
	docs := mutated("jobs", seeds(t, "jobs.json", "jobs", jobSchema.fieldIndexByName))
	rapid.Check(t, func(t *rapid.T) { agreeJobs(t, []byte(docs.Draw(t, "doc"))) })
}

func TestAgreesOnMutatedReservations(t *testing.T) {
	docs := mutated("reservations", seeds(t, "reservations.json", "reservations", reservationSchema.fieldIndexByName))
	rapid.Check(t, func(t *rapid.T) { agreeReservations(t, []byte(docs.Draw(t, "doc"))) })
}

func TestAgreesOnMutatedNodes(t *testing.T) {
	docs := mutated("nodes", seeds(t, "nodes.json", "nodes", nodeSchema.fieldIndexByName))
	rapid.Check(t, func(t *rapid.T) { agreeNodes(t, []byte(docs.Draw(t, "doc"))) })
}

// bounded reports whether text surely has no string so long that it is cut.
func bounded(text []byte) bool {
	if len(text) <= maxHumanTextBytes {
		return true
	}
	if len(text) > 8*maxHumanTextBytes || bytes.Contains(text, []byte(`\"`)) {
		return false
	}
	for part := range bytes.SplitSeq(text, []byte(`"`)) {
		if len(part) > maxHumanTextBytes {
			return false
		}
	}
	return true
}

func FuzzJobs(f *testing.F) {
	for _, s := range seeds(f, "jobs.json", "jobs", jobSchema.fieldIndexByName) {
		f.Add(s)
	}
	for _, v := range values {
		f.Add(fmt.Appendf(nil, `{"jobs":[{"job_id":1,"priority":%s}]}`, v))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bounded(text) {
			agreeJobs(t, text)
		}
	})
}

func FuzzReservations(f *testing.F) {
	for _, s := range seeds(f, "reservations.json", "reservations", reservationSchema.fieldIndexByName) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bounded(text) {
			agreeReservations(t, text)
		}
	})
}

func FuzzNodes(f *testing.F) {
	for _, s := range seeds(f, "nodes.json", "nodes", nodeSchema.fieldIndexByName) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bounded(text) {
			agreeNodes(t, text)
		}
	})
}
