package trace_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"fairbridge/lab/trace"
	"fairbridge/replica/workload"
)

const ownHead = `{"fairbridge_trace":1}` + "\n"

// TestBad wants each fault named with its place and what to do.
func TestBad(t *testing.T) {
	one := func(old, with string) string { return strings.Replace(shockwave, old, with, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"no GPUs":          {one("134583\t2", "134583\t0"), "t.x:1: gpus: 0, want at least 1"},
		"too many steps":   {one("134583\t2", "9e18\t2"), `t.x:1: total steps: "9e18" is not believable`},
		"half a GPU":       {one("134583\t2", "134583\t0.5"), `t.x:1: gpus: "0.5" is no whole number`},
		"no steps":         {one("143450", "0"), "t.x:2: total steps: 0, want at least 1"},
		"negative arrival": {one("\t55\n", "\t-55\n"), "t.x:2: arrival: -55 is negative"},
		"mode":             {one("accordion", "acordion"), `t.x:2: mode: "acordion", want static, accordion or gns`},
		"batch":            {one("size 32", "size 0"), `t.x:2: job type: the batch size of "ResNet-18 (batch size 0)" makes no sense`},
		"text":             {one("143450", "many"), `t.x:2: total steps: "many" is no number`},
		"columns":          {one("\t55\n", "\n"), "t.x:2: 11 columns between tabs, want 12, 10 or 7"},
		"not a number":     {one("\t55\n", "\tNaN\n"), `t.x:2: arrival: "NaN" is no number`},
		"time":             {strings.Replace(phillyCSV, "2017-10-09 07:01:55", "yesterday", 1), `t.x:2: timestamp: "yesterday" is no time, want like`},
		"row":              {phillyCSV + "2017-10-09 07:01:55,66.0\n", "t.x:4: 2 columns, but the header has 5"},
		"zero GPUs":        {strings.Replace(phillyCSV, ",8,", ",0,", 1), "t.x:3: gpus: 0, want at least 1"},
		"duplicate":        {strings.Replace(heliosCSV, "\n14,", "\n11,", 1), "t.x:5: job 11 stands already in line 2; give it another id"},
		"never":            {strings.Replace(phillyCSV, "2951.0", "0", 1), "t.x:3: duration: it is zero; leave out jobs that never ran"},
		"endless":          {strings.Replace(phillyCSV, "2951.0", "1e300", 1), "t.x:3: duration: 1e+300 is not believable"},
		"gpu list":         {strings.Replace(sacctText, "gres/gpu=4,mem=64G,node=1|", "gres/gpu=x|", 1), `t.x:2: AllocTRES: "x" is no number of gres/gpu`},
		"span":             {strings.Replace(squeueText, "30:00", "soon", 1), `t.x:3: time_limit: "soon" is no time span, want like 1-12:30:00`},
		"swf columns":      {swfText + " 4 5 6\n", "t.x:7: 3 columns, want 18"},
		"json":             {phillyLog[:len(phillyLog)-3] + ",", "t.x:8: the file ends within the list of jobs"},
		"json type":        {strings.Replace(phillyLog, `"vc": "ee9e8c"`, `"vc": 7`, 1), "t.x:5: vc: a number, want string"},
		"json time":        {strings.Replace(phillyLog, "01:20:00", "00:20:00", 1), "t.x:5: end_time: 2017-10-07 00:20:00 is before the start"},
		"pai jobs":         {"job1,i,alice,Terminated,900,1600\n", "t.x:1: this is the job table, which has no GPUs"},
		"our version":      {`{"fairbridge_trace":99}` + "\n", "t.x:1: fairbridge_trace: version 99; this program reads up to 1"},
		"our field":        {ownHead + `{"id":1,"gpu":2,"arrive":0,"duration":1}` + "\n", `t.x:2: unknown field "gpu"`},
		"our type":         {ownHead + `{"id":1,"gpus":"2","arrive":0,"duration":1}` + "\n", "t.x:2: gpus: a string, want int"},
		"our id":           {ownHead + `{"gpus":2,"arrive":0,"duration":1}` + "\n", "t.x:2: id: it is missing or 0"},
		"our end":          {ownHead + `{"id":1,"gpus":2,"arrive":0,"duration":1,"end":"dead"}` + "\n", `t.x:2: end: "dead", want`},
		"our limit":        {ownHead + `{"id":1,"gpus":2,"arrive":0,"duration":1,"limit":"2"}` + "\n", `t.x:2: limit: "2", want like`},
		"our sharing":      {ownHead + `{"id":1,"gpus":2,"arrive":0,"duration":1,"shareable":true,"sharing":{"stages":[1,-2]}}` + "\n", "t.x:2: sharing: -2 makes no sense"},
		"steps of Muri":    {strings.Replace(muriCSV, "10000", "9998", 1), "t.x:2: iterations: 9998 of 509 ms do not make a duration of 5090 s"},
		"our range":        {ownHead + `{"id":1,"gpus":2,"arrive":0,"duration":1,"min_gpus":4,"max_gpus":2}` + "\n", "t.x:2: gpus: an elastic range from 4 to 2"},
		"deadline":         {strings.Replace(itpCSV, "3716178", "3", 1), "t.x:2: deadline: 3 is not after the arrival at 3.715485e+06"},
		"nothing":          {"\n \n", "t.x: the file is empty"},
		"what":             {"hello\nworld\n", `its format is not clear from a first line "hello"; say --format with one of fairbridge, shockwave`},
		"no jobs":          {strings.SplitAfter(phillyCSV, "\n")[0], "t.x: no jobs in it"},
		"only steps":       {strings.Join(strings.SplitAfter(sacctText, "\n")[:1], "") + strings.SplitAfter(sacctText, "\n")[2], "t.x: no jobs in it; 1 job steps"},
	} {
		_, err := trace.Read(strings.NewReader(c.text), "t.x", trace.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := trace.Read(strings.NewReader(phillyCSV), "t", trace.ReadOptions{Format: "phily"})
	if err == nil || !strings.Contains(err.Error(), `no format "phily"; there are fairbridge, `) {
		t.Error(err)
	}
	_, err = trace.Read(strings.NewReader(phillyCSV), "t", trace.ReadOptions{Format: "helios"})
	if err == nil || !strings.Contains(err.Error(), "t:1: job_id: this column is missing from the header; format helios needs job_id, user") {
		t.Error(err)
	}
	if _, err := trace.ReadFile("/nowhere/t", trace.ReadOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestSkipBad(t *testing.T) {
	text := phillyCSV + strings.Repeat("2017-10-09 07:01:55,66.0,-1,66.0,11cb48\n", 7)
	tr, err := trace.Read(strings.NewReader(text), "t", trace.ReadOptions{SkipBad: true})
	if err != nil || len(tr.Jobs) != 2 || tr.SkippedCount != 7 || len(tr.FirstErrors) != 5 {
		t.Fatalf("%+v, %v", tr, err)
	}
	var p workload.Problem
	if !errors.As(tr.FirstErrors[0], &p) || p.Line != 4 || p.Column != "gpus" {
		t.Errorf("%+v", tr.FirstErrors[0])
	}
	_, err = trace.Read(strings.NewReader(strings.Replace(phillyCSV, "66.0,1", "66.0,0", 1)[:100]), "t", trace.ReadOptions{SkipBad: true})
	if err == nil || !strings.Contains(err.Error(), "bad rows, the first: t:2: gpus: 0") {
		t.Error(err)
	}
}

func TestFits(t *testing.T) {
	tr, err := trace.Read(strings.NewReader(shockwave), "t", trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.CheckFits(map[string]int{"v100": 2}); err != nil {
		t.Error(err)
	}
	err = tr.CheckFits(map[string]int{"v100": 1, "k80": 1})
	if err == nil || !strings.Contains(err.Error(), "t:1: gpus: job 1 wants 2 GPUs, but the cluster has at most 1 of one type") {
		t.Error(err)
	}
	tr.Jobs[0].GPUType = "h100"
	if err := tr.CheckFits(map[string]int{"v100": 9}); err == nil || !strings.Contains(err.Error(), "t:1: gpu type: job 1 wants GPUs of type h100, but the cluster has v100") {
		t.Error(err)
	}
}
