package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

var garbled = map[string]string{
	"":                                       "byte 0: the reply is empty",
	" \n ":                                   "byte 3: the reply is empty",
	"<html><body>502 Bad Gateway":            "byte 0: an HTML page",
	"Authentication failure":                 `byte 0: no JSON object, but "Authentication failure"`,
	"[]":                                     "no JSON object",
	"null":                                   "no JSON object",
	"{}":                                     `the reply has no "jobs"`,
	`{"jobs": null}`:                         `the reply has no "jobs"`,
	`{"jobs": {}}`:                           "byte 9: '{' where '[' should be",
	`{"jobs": [5]}`:                          "byte 10: '5' where '{' should be",
	`{"jobs": []`:                            "byte 11: the reply ends",
	`{"jobs": [] } x`:                        "byte 14: 'x' after the end",
	`{"jobs": []}{"jobs": []}`:               "byte 12: '{' after the end",
	`{"jobs": [],}`:                          "byte 12: '}' where a string should be",
	`{"jobs": [,]}`:                          "byte 10: ',' where '{' should be",
	`{"jobs": [], "jobs": []}`:               `key "jobs" twice in the reply`,
	`{"jobs": [], "errors": 5}`:              "byte 23: '5' where a list should be",
	`{"jobs": [{}]}`:                         "a job without an id",
	`{"jobs": [{"job_id": null}]}`:           "a job without an id",
	`{"jobs": [{"job_id": 1, "job_id": 2}]}`: `key "job_id" twice in one record`,
	`{"jobs": [{"job_id": 01}]}`:             `byte 21: "01" is not a number`,
	`{"jobs": [{"job_id": +1}]}`:             "'+' where a value should be",
	`{"jobs": [{"x": 1.}]}`:                  `"1." is not a number`,
	`{"jobs": [{"x": -}]}`:                   `"-" is not a number`,
	`{"jobs": [{"x": tru}]}`:                 "'t' where true should be",
	`{"jobs": [{"x": NaN}]}`:                 "'N' where a value should be",
	`{"jobs": [{"x": 'y'}]}`:                 `'\'' where a value should be`,
	"{\"jobs\": [{\"x\": \"a\nb\"}]}":        `'\n' where a printable character`,
	`{"jobs": [{"x": "\x41"}]}`:              `'\\' where a printable character`,
	`{"jobs": [{"x": "\u00g1"}]}`:            `'\\' where a printable character`,
	`{"jobs": [{"x" 1}]}`:                    "'1' where ':' should be",
	`{"jobs": [{"x": 1 "y": 2}]}`:            `'"' where a comma or the closing bracket should be`,
	`{"jobs": [{"x": [1 2]}]}`:               "'2' where a comma or the closing bracket should be",
	`{"jobs": [{"x": [1}]}`:                  "'}' where a comma or the closing bracket should be",
	`{"jobs": [{x: 1}]}`:                     "'x' where a string should be",
	"{\"jobs\": [] /* c */}":                 "'/' where a comma",
	`{"jobs": [{"x": ` + strings.Repeat("[", 100):          "nested deeper than 64: over the limit",
	`{"jobs": [{"x": ` + strings.Repeat("1", 1000) + `}]}`: "number of more than 512 characters: over the limit",
	"\xef\xbb\xbf{}": "no JSON object",
}

func TestGarbled(t *testing.T) {
	for text, want := range garbled {
		jobs, meta, err := new(Decoder).Jobs(strings.NewReader(text), nil)
		var e *slurm.Error
		if !errors.As(err, &e) || e.Class != slurm.ErrorGarbledReply || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", slurm.QuoteExcerpt(text), err, want)
		}
		if jobs != nil || !cmp.Equal(meta, slurm.ReplyMeta{}) {
			t.Errorf("%s: something came back with the error: %v %v", slurm.QuoteExcerpt(text), jobs, meta)
		}
	}
}

// Every prefix of a real reply is refused, and no prior records are lost.
func TestTruncated(t *testing.T) {
	text := []byte(job(`"comment": "a\u0041"`, `"nice": -1.5e3`, `"x": [true, null, {"y": {"set":true,"infinite":false,"number":5}}]`))
	var d Decoder
	into := []slurm.Job{{ID: 1}}
	for n := range text {
		got, _, err := d.Jobs(bytes.NewReader(text[:n]), into)
		var e *slurm.Error
		if !errors.As(err, &e) || e.Class != slurm.ErrorGarbledReply {
			t.Fatalf("first %d bytes: %v", n, err)
		}
		if len(got) != 1 || got[0].ID != 1 {
			t.Fatalf("first %d bytes: into became %v", n, got)
		}
	}
	got, _, err := d.Jobs(bytes.NewReader(text), into)
	if err != nil || len(got) != 2 || got[1].ID != 7 {
		t.Fatalf("the decoder does not recover: %v, %v", got, err)
	}
}

func TestBrokenStream(t *testing.T) {
	text := job()
	for _, tt := range []struct {
		err  error
		want slurm.ErrorClass
	}{
		{os.ErrDeadlineExceeded, slurm.ErrorOutcomeUnknown},
		{io.ErrUnexpectedEOF, slurm.ErrorGarbledReply}, // shorter than announced
	} {
		r := io.MultiReader(strings.NewReader(text[:40]), iotest.ErrReader(tt.err))
		_, _, err := new(Decoder).Jobs(r, nil)
		var e *slurm.Error
		if !errors.As(err, &e) || e.Class != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v: got %v, want class %s", tt.err, err, tt.want)
		}
	}
	var idle idleReader
	if _, _, err := new(Decoder).Jobs(idle, nil); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that never reads: %v", err)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestLimits(t *testing.T) {
	text := job()
	d := Decoder{Limits: Limits{ReplyBytes: int64(len(text))}}
	if _, _, err := d.Jobs(strings.NewReader(text), nil); err != nil {
		t.Errorf("a reply of just the limit: %v", err)
	}
	d.Limits.ReplyBytes--
	_, _, err := d.Jobs(strings.NewReader(text), nil)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than %d bytes", len(text)-1)) || !errors.Is(err, jsonscan.ErrOverLimit) {
		t.Errorf("a reply over the limit: %v", err)
	}
	d = Decoder{Limits: Limits{ListItems: 2}}
	if _, _, err := d.Jobs(strings.NewReader(job(`"gres_detail": ["a","b"]`)), nil); err != nil {
		t.Errorf("two strings: %v", err)
	}
	if _, _, err := d.Jobs(strings.NewReader(job(`"gres_detail": ["a","b","c"]`)), nil); !errors.Is(err, jsonscan.ErrOverLimit) {
		t.Errorf("three strings: %v", err)
	}
}
