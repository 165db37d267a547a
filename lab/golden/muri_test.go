package golden

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/lab/packs"
	"fairbridge/lab/trace"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// muriFigures are those of Muri's simulator (its published tables and logs): mean completion time, makespan and 99 %
// completion time, seconds, as printed.
var muriFigures = []struct{ system, trace, jct, makespan, p99 string }{
	{"srtf", "trace3", "193081.796", "8174135.28", "4538890.607"},
	{"srsf", "trace3", "185021.8802", "8174135.28", "4189699.177"},
	{"tiresias", "trace3", "347213.2481", "8174226.28", "4983397.254"},
	{"antman", "trace3", "305453.9407", "8174140.28", "3904420.793"},
	{"srtf", "trace3_pr", "844394.78", "7261795.828", "6363099.549"},
	{"srsf", "trace3_pr", "798057.6829", "6907790.403", "6228160.594"},
	{"tiresias", "trace3_pr", "2213110.128", "6761641.42", "6739568.999"},
	{"antman", "trace3_pr", "2674393.018", "5799634.744", "5772254.906"},
	{"srtf", "trace1", "1370603.198", "26045465.532945", "16647148.09074"},
	{"srsf", "trace1", "980140.5699", "26065759.044845", "15529913.227905"},
	{"tiresias", "trace1", "3330371.307", "23556410.217355", "14739851.5052"},
	{"antman", "trace1", "5476391.317", "21788668.549359", "13690482.492206"},
	{"srtf", "trace1_pr", "2303543.816", "24513543.937825", "19871388.29092"},
	{"srsf", "trace1_pr", "1801859.995", "24272529.59311", "18267307.81118"},
	{"tiresias", "trace1_pr", "6921682.793", "21990477.824095", "21765400.784095"},
	{"antman", "trace1_pr", "9808250.677", "20285085.619635", "20130532.648104"},
}

var muriSystems = map[string]func() packs.System{"srtf": muriSRTF, "srsf": muriSRSF, "tiresias": newMuriTiresias, "antman": newAntMan}

// TestMuri wants every digit of the figures published with Muri, of 992 and 1,494 jobs on 64 GPUs. TestMuriOnAFewJobs
// needs no file.
func TestMuri(t *testing.T) {
	part.Long(t, testing.Short())
	for _, c := range muriFigures {
		t.Run(c.system+"/"+c.trace, func(t *testing.T) {
			run := runMuri(t, muriSystems[c.system](), c.trace)
			for _, v := range []struct {
				what, want string
				got        float64
			}{{"mean", c.jct, run.Summarize().AvgJCT}, {"makespan", c.makespan, run.MakespanSeconds}, {"99 %", c.p99, muriP99(run)}} {
				if got := formatAs(v.want, v.got); got != v.want {
					t.Errorf("%s %s s, want %s", v.what, got, v.want)
				}
			}
		})
	}
}

// runMuri runs a system on a trace of Muri's and its cluster.
func runMuri(t *testing.T, s packs.System, name string) *measure.Run {
	t.Helper()
	tr, err := trace.ReadFile(here(t, "../muri/"+name+".csv"), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.ParseSpec("8x8")
	if err != nil {
		t.Fatal(err)
	}
	run, err := packs.Run(packs.Config{System: s, Nodes: nodes, Jobs: tr.Jobs})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// muriP99 is the 99 % completion time as Muri's simulator takes it: that of one job.
func muriP99(run *measure.Run) float64 {
	var all []float64
	for _, o := range run.JobOutcomes {
		all = append(all, o.Finish-o.Arrive)
	}
	slices.Sort(all)
	return all[int(.99*float64(len(all)))]
}

// formatAs writes a number with as many decimals as another.
func formatAs(like string, v float64) string {
	_, decimals, _ := strings.Cut(like, ".")
	return strconv.FormatFloat(v, 'f', len(decimals), 64)
}
