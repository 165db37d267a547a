package nodeprobe_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/nodeprobe"
)

func TestDiagnose(t *testing.T) {
	one := nodeprobe.KnownValue(1)
	for name, c := range map[string]struct {
		gpu  nodeprobe.GPU
		want string // a part of the reason; "": healthy
	}{
		"nothing known":       {nodeprobe.GPU{}, ""},
		"idle and well":       {nodeprobe.GPU{Busy: nodeprobe.KnownValue(0), Errors: nodeprobe.Errors{ECCUncorrected: nodeprobe.KnownValue(0)}}, ""},
		"corrected errors":    {nodeprobe.GPU{Errors: nodeprobe.Errors{ECCCorrected: nodeprobe.KnownValue(9)}}, ""},
		"a program's fault":   {nodeprobe.GPU{Errors: nodeprobe.Errors{Xid: &nodeprobe.Xid{Code: 31}}}, ""},
		"old ECC errors":      {nodeprobe.GPU{Errors: nodeprobe.Errors{UncorrectedInLife: one}}, ""},
		"replaced memory row": {nodeprobe.GPU{Errors: nodeprobe.Errors{RemappedRows: one}}, ""},
		"hot":                 {nodeprobe.GPU{TempC: nodeprobe.KnownValue(99), Throttle: &nodeprobe.Throttle{Reasons: []string{"hw_thermal"}}}, ""},
		"lost":                {nodeprobe.GPU{LostReason: "the GPU has fallen off the bus"}, "fallen off"},
		"fatal Xid":           {nodeprobe.GPU{Errors: nodeprobe.Errors{Xid: &nodeprobe.Xid{Code: 79}}}, "Xid 79"},
		"uncorrectable":       {nodeprobe.GPU{Errors: nodeprobe.Errors{ECCUncorrected: one}}, "uncorrectable"},
		"remapping failed":    {nodeprobe.GPU{Errors: nodeprobe.Errors{RemapFailed: one}}, "row"},
		"page waits":          {nodeprobe.GPU{Errors: nodeprobe.Errors{RetiredPending: one}}, "page"},
	} {
		t.Run(name, func(t *testing.T) {
			got := nodeprobe.FindSickness(&c.gpu)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("says %q, want %q", got, c.want)
			}
		})
	}
}

func TestWorse(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	for name, c := range map[string]struct {
		a, b *nodeprobe.Xid
		want bool
	}{
		"nothing over nothing": {nil, nil, false},
		"something":            {&nodeprobe.Xid{Code: 31}, nil, true},
		"nothing":              {nil, &nodeprobe.Xid{Code: 31}, false},
		"fatal over harmless":  {&nodeprobe.Xid{Code: 79, HeardAt: early}, &nodeprobe.Xid{Code: 31, HeardAt: late}, true},
		"harmless over fatal":  {&nodeprobe.Xid{Code: 31, HeardAt: late}, &nodeprobe.Xid{Code: 79, HeardAt: early}, false},
		"later of equals":      {&nodeprobe.Xid{Code: 79, HeardAt: late}, &nodeprobe.Xid{Code: 48, HeardAt: early}, true},
	} {
		if got := nodeprobe.IsWorseXid(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
