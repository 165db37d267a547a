package demo

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/cmd/fairbridge-demo/workday"
)

func TestTableShowsWhatGotWorseToo(t *testing.T) {
	a := &workday.Figures{JobCount: 9, WaitMedian: 31.4, FairnessWorst: 4, IdleFraction: 0.1, MakespanSeconds: 100, AccountShares: []workday.AccountShare{{Account: "research", Held: 0.7, Entitled: 0.5}}}
	b := &workday.Figures{JobCount: 9, WaitMedian: 4.6, FairnessWorst: 1.256, RequeueCount: 3, IdleFraction: 0.2, MakespanSeconds: 110, AccountShares: []workday.AccountShare{{Account: "research", Held: 0.5, Entitled: 0.55}}}
	var out bytes.Buffer
	printTable(&out, &Comparison{AloneFigures: a, FairbridgeFigures: b})
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	for _, want := range []string{
		"9 jobs, 32 GPUs Slurm alone with fairbridge", "wait, median 31 s 5 s", "finish-time fairness, worst 4.00 1.26",
		"GPU share of research 70 % of 50 % 50 % of 55 %", "requeues 0 3", "GPUs idle 10 % 20 %", "first submission to last end 100 s 110 s",
	} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("no line %q in\n%s", want, out.String())
		}
	}
	if !strings.Contains(out.String(), "Finish-time fairness: from submission to end, divided by") {
		t.Error("the figures are not defined")
	}
}

func TestScreenOnATerminalReplacesTheStatus(t *testing.T) {
	var out bytes.Buffer
	s := &screen{output: &out, isTerminal: true}
	s.setStatus("one")
	s.printf("line %d", 1)
	s.setStatus("two")
	s.setStatus("")
	want := "\r\x1b[Kone" + "\r\x1b[Kline 1\none" + "\r\x1b[Ktwo" + "\r\x1b[K"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestScreenElsewherePrintsAStatusNowAndThen(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out)
	s.setStatus("too soon")
	s.lastStatusAt = s.lastStatusAt.Add(-11 * time.Second)
	s.setStatus("due")
	s.setStatus("too soon again")
	_, _ = s.Write([]byte("installing a\ninstal"))
	_, _ = s.Write([]byte("ling b\n"))
	if got, want := out.String(), "due\n  installing a\n  installing b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
