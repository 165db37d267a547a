package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/trace"
)

// TestCPUScalingOfTraces: speeds by cores and memory, and whether types may be mixed, are written and read
// again the same, and what makes no sense is refused by line and field.
func TestCPUScalingOfTraces(t *testing.T) {
	const good = `"cpus":3,"mem_mb":900,"cpu_scaling":{"points":[{"cpus":1,"mem_mb":500,"speed":0.4},{"cpus":3,"mem_mb":500,"speed":1},{"cpus":3,"mem_mb":900,"speed":1.5}],"less":true},"mixed":true`
	read := func(fields string) (*trace.Trace, error) {
		return trace.Read(strings.NewReader(ownHead+`{"id":1,"arrive":0,"gpus":4,"duration":9,`+fields+"}\n"), "t.x", trace.ReadOptions{})
	}
	first, err := read(good)
	if err != nil {
		t.Fatal(err)
	}
	if j := first.Jobs[0]; !j.AcceptsMixedTypes || j.CPUScaling == nil || !j.CPUScaling.AcceptsLess || len(j.CPUScaling.Points) != 3 {
		t.Errorf("read %+v", j)
	}
	var b bytes.Buffer
	if err := first.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := trace.Read(&b, "t.x", trace.ReadOptions{})
	if err != nil || cmp.Diff(first.Jobs, again.Jobs) != "" {
		t.Errorf("%v, written and read again: %s", err, cmp.Diff(first.Jobs, again.Jobs))
	}
	for change, says := range map[string]string{
		`"cpus":1`:                `"cpus":0 -> cpu_scaling: points[0]: 0 cpus`,
		`"mem_mb":500,"speed":1}`: `"mem_mb":-5,"speed":1} -> cpu_scaling: points[1]: mem_mb -5`,
		`"speed":1.5`:             `"speed":0 -> cpu_scaling: points[2]: speed 0`,
		`{"cpus":1,"mem_mb":500`:  `{"cpus":3,"mem_mb":900 -> cpu_scaling: points[1]: want them sorted`,
		`"points":[`:              `"dots":[ -> unknown field`,
	} {
		to, want, _ := strings.Cut(says, " -> ")
		bad := strings.Replace(good, change, to, 1)
		if _, err := read(bad); bad == good || err == nil || !strings.Contains(err.Error(), "t.x:2") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want line 2 and %q", to, err, want)
		}
	}
	if _, err := read(`"cpu_scaling":{"points":[]}`); err == nil || !strings.Contains(err.Error(), "cpu_scaling: it has no points") {
		t.Error(err)
	}
}
