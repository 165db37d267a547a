package paper_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/paper"
)

// toy is a policy with a parameter of each kind.
type toy struct {
	Way   string            `param:"way" choices:"left,right" default:"left" help:"where to"`
	Part  float64           `param:"part" default:"0.5" max:"1" help:"how much"`
	Deep  nested            // its parameters stand here
	Pause time.Duration     `param:"pause" default:"90s" min:"1" help:"how long"`
	Until policy.GPUSeconds `param:"until" default:"90" min:"1" help:"how far"`
	Steps []float64         `param:"steps" help:"where it changes"`
	Cost  map[string]float64
	Rate  map[string]float64 `param:"rate" help:"by type"`
	paper.MaxStopsParam
}

type nested struct {
	Fast  bool     `param:"fast" default:"true" help:"quickly"`
	Names []string `param:"names" help:"whose"`
}

func (*toy) Decide(*policy.Snapshot) (*policy.Plan, error) { return nil, nil }

func TestDescribe(t *testing.T) {
	s := paper.DescribeSystem(new(toy), paper.System{Name: "toy"})
	got, err := json.Marshal(s.Params)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"way","kind":"choice","default":"left","choices":["left","right"],"min":0,"help":"where to"},` +
		`{"name":"part","kind":"number","default":0.5,"min":0,"max":1,"help":"how much"},` +
		`{"name":"fast","kind":"bool","default":true,"min":0,"help":"quickly"},` +
		`{"name":"names","kind":"names","default":[],"min":0,"help":"whose"},` +
		`{"name":"pause","kind":"duration","default":"90s","min":1,"help":"how long"},` +
		`{"name":"until","kind":"gpu_seconds","default":90,"min":1,"help":"how far"},` +
		`{"name":"steps","kind":"numbers","default":[],"min":0,"help":"where it changes"},` +
		`{"name":"rate","kind":"table","default":"","min":0,"help":"by type"},` +
		`{"name":"max_stops","kind":"integer","default":12,"min":-1,"help":"how often one job may be stopped in its life; 0 and -1: without limit"}]`
	if string(got) != want {
		t.Errorf("parameters:\n%s\nwant:\n%s", got, want)
	}
	made, err := s.New(paper.Params{"way": "right", "names": []any{"a"}, "rate": "x:2", "until": 7, "steps": []any{1, 2.5}, "max_stops": 3})
	full := &toy{Way: "right", Part: .5, Deep: nested{true, []string{"a"}}, Pause: 90 * time.Second, Until: 7, Steps: []float64{1, 2.5},
		Rate: map[string]float64{"x": 2}, MaxStopsParam: paper.MaxStopsParam{MaxStops: 3}}
	if err != nil || !reflect.DeepEqual(made, full) {
		t.Errorf("made %+v, %v, want %+v", made, err, full)
	}
	if made, err := s.New(paper.Params{"part": 2}); made != nil || err == nil || err.Error() != "parameter part: 2 is not possible, want a number from 0 to 1" {
		t.Errorf("made %v, %v", made, err)
	}
}
