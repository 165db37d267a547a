package ask

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// hostileText is what an answer of the daemon may have wherever it has a text: names of jobs, and
// more where the daemon is none of ours.
const hostileText = "=cmd|'/c calc'!A1\x1b[2J\x1b]0;owned\a\nFORGED 99 root\r\t\u009b31m\u202e\u200b\u2028\x7f\xff<script>alert(1)</script>%s%n"

// fill sets every text of an answer to hostile text, and all else to something.
func fill(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Now()
		return
	case *slurm.Hosts:
		*at = slurm.Hosts{Text: hostileText}
		return
	case *policy.OptionalValue:
		*at = policy.KnownValue(.5)
		return
	case *report.Table:
		*at = report.Table{Columns: []string{"account", hostileText}, Rows: [][]any{{hostileText, 2.5}}}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostileText)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i))
			}
		}
	}
}

var forgedLine = regexp.MustCompile(`(?m)^\s*FORGED`)

// No answer, whoever made it up, speaks to the terminal or forges a line, in colours neither.
func TestHostileAnswers(t *testing.T) {
	f := &fakeSource{queue: make([]api.Queue, 1), job: &api.Job{}, use: &report.JobUse{}}
	for _, answer := range []any{&f.viewer, &f.queue[0], f.job, f.use, &f.changes, &f.nodes, &f.shares} {
		fill(reflect.ValueOf(answer).Elem())
	}
	f.queue[0].Next, f.nodes.Next = "", ""
	usage := &api.Report{}
	fill(reflect.ValueOf(usage).Elem())
	f.reports = map[string]*api.Report{"usage": usage}
	ran := 0
	for _, line := range []string{
		"queue", "queue --estimates", "queue --color always", "queue --color always --format partition,rank,job,id,name,user,account,gpus,state,reason,verb,on,age,why", "explain 1", "job 1",
		"nodes", "shares", "changes", "whoami", "report usage", "report usage --format csv",
		"queue --json", "explain 1 --json", "job 1 --json", "nodes --json", "shares --json", "changes --json", "whoami --json", "report usage --json",
	} {
		out, errs, err := f.ask(t, strings.Fields(line)...)
		if err != nil || !strings.Contains(out, "FORGED") {
			t.Errorf("%s: %v\n%s%s", line, err, out, errs)
			continue
		}
		ran++
		checkHarmless(t, line, out)
	}
	if ran < 20 {
		t.Errorf("ran %d lines", ran)
	}
}

// painted are the sequences that colours take.
var painted = regexp.MustCompile("\x1b\\[[0-9]*m")

func checkHarmless(t *testing.T, line, out string) {
	t.Helper()
	if strings.Contains(line, "--color") {
		if !painted.MatchString(out) && !strings.Contains(line, "state") {
			return // no text has a colour of its own
		}
		out = painted.ReplaceAllString(out, "")
	}
	for _, r := range strings.Split(out, "") {
		if r != "\n" && r != "\t" && printable.Text(r) != r {
			t.Errorf("%s prints %q in\n%.400q", line, r, out)
			return
		}
	}
	if forgedLine.MatchString(out) {
		t.Errorf("%s has a forged line:\n%.800s", line, out)
	}
}

// What the daemon says of an error is as harmless.
func TestHostileErrors(t *testing.T) {
	for _, code := range []api.Code{api.CodeNotFound, api.CodeBadRequest} {
		f := newFakeSource()
		f.err = &api.Error{Code: code, Message: hostileText, Try: hostileText}
		for _, line := range []string{"queue", "explain 1", "job 1", "nodes", "shares", "changes", "whoami", "report usage"} {
			out, errs, _ := f.ask(t, strings.Fields(line)...)
			checkHarmless(t, line, out+errs)
		}
	}
}
