package trace_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/trace"
)

// TestScalingOfTraces: how a job's speed is told is read, written and read again the same, and what
// makes no sense is refused by line and field.
func TestScalingOfTraces(t *testing.T) {
	const good = `{"source":"table","points":[{"type":"a100","devices":4,"steps":3.5},{"type":"a100","devices":4,"nodes":2,"steps":2}],` +
		`"step_times":[{"ga":0.1,"gb":0.01,"la":0,"lb":0,"na":0,"nb":0,"gamma":1.5}],"batch":{"initial":8,"max":64,"least":1,"most":16,"sqr":1,"var":2},"serial":0.1,"spread":0.6,"sigma":0.2,"seen":4}`
	_, err := readScaling(t, good)
	if err != nil {
		t.Error(err)
	}
	for change, says := range map[string]string{
		`"source":"table"`:    `"source":"rumour" -> scaling.source: "rumour"`,
		`"devices":4,"steps"`: `"devices":0,"steps" -> scaling.points[0].devices: 0`,
		`"nodes":2`:           `"nodes":-1 -> scaling.points[1].nodes: -1`,
		`"steps":2`:           `"steps":0 -> scaling.points[1].steps: 0`,
		`"ga":0.1`:            `"ga":-0.1 -> scaling.step_times[0].ga: -0.1`,
		`"ga":0.1,"gb":0.01`:  `"ga":0,"gb":0 -> takes no time`,
		`"gamma":1.5`:         `"gamma":0.5 -> scaling.step_times[0].gamma: 0.5`,
		`"initial":8`:         `"initial":0 -> scaling.batch.initial: 0`,
		`"max":64`:            `"max":4 -> scaling.batch.max: 4`,
		`"least":1`:           `"least":-1 -> scaling.batch: least -1`,
		`"most":16`:           `"most":0 -> scaling.batch.most: 0`,
		`"sqr":1`:             `"sqr":-1 -> scaling.batch.sqr`,
		`"var":2`:             `"var":-2 -> scaling.batch.var`,
		`"serial":0.1`:        `"serial":1.1 -> scaling.serial: 1.1`,
		`"spread":0.6`:        `"spread":-0.6 -> scaling.spread`,
		`"sigma":0.2`:         `"sigma":-1 -> scaling.sigma`,
		`"seen":4`:            `"seen":-4 -> scaling.seen`,
		`"points":[`:          `"dots":[ -> unknown field`,
	} {
		to, want, _ := strings.Cut(says, " -> ")
		bad := strings.Replace(good, change, to, 1)
		if _, err := readScaling(t, bad); bad == good || err == nil || !strings.Contains(err.Error(), "t.x:2") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want line 2 and %q", to, err, want)
		}
	}
}

// readScaling reads a trace of one job with a scaling, writes it and wants to read the same.
func readScaling(t *testing.T, scaling string) (*trace.Trace, error) {
	t.Helper()
	read := func(text string) (*trace.Trace, error) {
		return trace.Read(strings.NewReader(text), "t.x", trace.ReadOptions{})
	}
	first, err := read(ownHead + `{"id":1,"arrive":0,"gpus":4,"duration":9,"scaling":` + scaling + "}\n")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := first.Write(&b); err != nil {
		t.Fatal(err)
	}
	second, err := read(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.Jobs[0].Scaling, second.Jobs[0].Scaling); diff != "" || first.Jobs[0].Scaling == nil {
		t.Errorf("written and read again: %s", diff)
	}
	return first, nil
}
