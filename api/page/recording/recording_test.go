package recording_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/page/recording"
)

// TestRecordingAgain records from a recording: what is read is what was written.
func TestRecordingAgain(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	again, err := recording.Record(t.Context(), rec, rec.At, 3, func(ask func() error) error { return ask() })
	if err != nil {
		t.Fatal(err)
	}
	if s, err := again.Studies(t.Context()); err != nil || len(s.Partitions) != 1 || len(s.Partitions[0].Study.Lines) != len(rec.Lines) || len(rec.Lines) == 0 {
		t.Errorf("the study: %+v, %v", s, err)
	}
	var b bytes.Buffer
	if err := again.Write(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	read, err := recording.Read(strings.NewReader(whole))
	if err != nil || len(read.QueueAnswer.Jobs) != len(rec.QueueAnswer.Jobs) || len(read.Jobs) != 3 || len(read.Reports) != len(rec.Reports) || !read.At.Equal(rec.At.Truncate(time.Nanosecond)) {
		t.Errorf("read again: %v", err)
	}
	for name, text := range map[string]string{"cut off": whole[:len(whole)/2], "cut at the end": whole[:len(whole)-2], "empty": ""} {
		if _, err := recording.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "ends too early") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{"another format": `{"format":"x"}`, "no JSON": "<html>", "nothing in it": `{"format":"fairbridge-recording-1"}`} {
		if _, err := recording.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestFilters answers what was asked for only.
func TestFilters(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	all, seen := rec.QueueAnswer.Jobs, 0
	for after, more := "", true; more; more = after != "" {
		q, err := rec.Queue(t.Context(), api.QueueQuery{Limit: 2, After: after})
		if err != nil {
			t.Fatal(err)
		}
		seen, after = seen+len(q.Jobs), q.Next
	}
	if seen != len(all) || seen == 0 {
		t.Errorf("%d of %d jobs on all pages", seen, len(all))
	}
	for _, j := range all {
		q, err := rec.Queue(t.Context(), api.QueueQuery{Users: []string{j.User}, Jobs: []string{j.Address}, States: []string{strings.ToLower(j.State)}})
		if err != nil || q.Total != 1 || q.Jobs[0].Address != j.Address {
			t.Errorf("job %s: %d answers, %v", j.Address, q.Total, err)
		}
	}
}

// closed is a source that keeps its studies from who asks.
type closed struct{ *recording.Recording }

func (closed) Studies(context.Context) (*api.Studies, error) {
	return nil, &api.Error{Code: api.CodeForbidden, Message: "usage is private here"}
}

// TestPrivateStudies are not recorded, and the rest is.
func TestPrivateStudies(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	again, err := recording.Record(t.Context(), closed{rec}, rec.At, 0, func(ask func() error) error { return ask() })
	if err != nil || again.StudiesAnswer != nil || again.QueueAnswer == nil {
		t.Errorf("%v", err)
	}
}
