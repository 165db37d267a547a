package slurm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeclaredSize(t *testing.T) {
	there := map[string]int{"a100": 16, "h100": 8}
	for _, c := range []struct {
		text, typ string
		asked     int
		want      DeclaredSize
		says      []string
	}{
		{"", "a100", 4, DeclaredSize{}, nil},
		{"min=2,max=8", "a100", 4, DeclaredSize{2, 8, nil}, nil},
		{"min=2", "a100", 4, DeclaredSize{2, 4, nil}, nil},
		{"max=8", "a100", 4, DeclaredSize{4, 8, nil}, nil},
		{"min=2,max=3", "a100", 4, DeclaredSize{}, []string{"min=2,max=3 does not contain the 4 GPUs"}},
		{"min=5", "a100", 4, DeclaredSize{}, []string{"does not contain the 4 GPUs"}},
		{"max=2", "a100", 4, DeclaredSize{}, []string{"does not contain the 4 GPUs"}},
		{"min=1,max=99", "a100", 4, DeclaredSize{1, 16, nil}, []string{"max=99 is more than the 16", "16 counts"}},
		{"min=1,max=99", "", 4, DeclaredSize{1, 24, nil}, []string{"24 counts"}},
		{"min=1,max=99,types=h100", "a100", 4, DeclaredSize{1, 24, []string{"h100"}}, []string{"24 counts"}},
		{"min=20,max=99", "a100", 20, DeclaredSize{}, []string{"min=20 is more than the 16"}},
		{"types=a100+h100+v100", "a100", 4, DeclaredSize{GPUTypes: []string{"h100"}}, []string{`no GPU of type "v100"`}},
		{"types=h100", "", 4, DeclaredSize{}, []string{"any type"}},
		{"min=2,max=8", "gone", 4, DeclaredSize{}, []string{"more than the 0 GPUs"}},
	} {
		d := ReadDirective("fairbridge:" + c.text)
		if c.text == "" {
			d = Directive{}
		}
		got, why := d.DeclaredSize(c.asked, c.typ, there)
		if diff := cmp.Diff(c.want, got); diff != "" || (why == "") != (c.says == nil) {
			t.Errorf("%s of %d %s: %s, %q", c.text, c.asked, c.typ, diff, why)
		}
		for _, s := range c.says {
			if !strings.Contains(why, s) {
				t.Errorf("%s of %d %s: %q does not say %q", c.text, c.asked, c.typ, why, s)
			}
		}
	}
}
