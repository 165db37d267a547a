package slurmdb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Slurm's ways to write that there is no number.
const (
	noValue   = 0xfffffffe
	infinite  = 0xffffffff
	noValue64 = 1<<63 - 1 // and whatever does not fit
)

// optionalNumber is an integer as any version writes it: plain, null or
// {"set","infinite","number"}. 0 when there is none.
type optionalNumber int64

func (n *optionalNumber) UnmarshalJSON(b []byte) error {
	*n = 0
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if b[0] == '{' {
		var w struct {
			Set, Infinite bool
			Number        json.Number
		}
		if err := json.Unmarshal(b, &w); err != nil || !w.Set || w.Infinite {
			return err
		}
		b = []byte(w.Number)
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("want a number, have %s", clipText(string(b)))
	}
	if f > 0 && f < noValue64 && f != noValue && f != infinite {
		*n = optionalNumber(f)
	}
	return nil
}

// unixTime returns the moment so many seconds after 1970; zero for none.
func (n optionalNumber) unixTime() time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(n), 0).UTC()
}

// wordList is a list of words, which old versions write as one.
type wordList []string

func (w *wordList) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*[]string)(w))
	}
	var one string
	err := json.Unmarshal(b, &one)
	*w = wordList{one}
	return err
}

// clipText shortens a text for an error.
func clipText(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// hostListOrEmpty returns a host list, "" where Slurm says in words that there is none.
func hostListOrEmpty(s string) string {
	if s == "None assigned" || strings.HasPrefix(s, "(null") {
		return ""
	}
	return s
}
