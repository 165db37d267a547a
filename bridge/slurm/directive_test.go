package slurm

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadDirective(t *testing.T) {
	tests := []struct {
		text string
		want Directive
		bad  []string // what the error names
	}{
		{"", Directive{}, nil},
		{"just a comment, min=4", Directive{}, nil},
		{"fairbridge:preemptible", Directive{Preemptible: true}, nil},
		{"fairbridge:quiet", Directive{Quiet: true}, nil},
		{"fairbridge:preemptible,idle=requeue", Directive{Preemptible: true, RequeueIdle: true}, nil},
		{"fairbridge:idle=requeue fairbridge:idle=no", Directive{}, nil},
		{"fairbridge:idle=requeue,idle=cancel", Directive{}, []string{"idle=cancel: want idle=requeue or idle=no"}},
		{"fairbridge:idle", Directive{}, []string{"want idle=requeue"}},
		{"run 7 fairbridge:class=resnet,ckpt=90s,preemptible=yes thanks", Directive{Class: "resnet", CheckpointCost: 90 * time.Second, Preemptible: true}, nil},
		{"fairbridge:min=2,max=8", Directive{MinGPUs: 2, MaxGPUs: 8}, nil},
		{"fairbridge:min=2,types=h100+a100+h100", Directive{MinGPUs: 2, GPUTypes: []string{"a100", "h100"}}, nil},
		{"fairbridge:types=a100+", Directive{}, []string{"types=a100+h100"}},
		{"fairbridge:types", Directive{}, []string{"types=a100+h100"}},
		{"fairbridge:types=" + strings.Repeat("x+", 16) + "y", Directive{}, []string{"at most 16"}},
		{"fairbridge:min=9,max=8,shareable", Directive{Shareable: true}, []string{"min=9"}},
		{"fairbridge:shareable=others,gpu_mem=12G,gpu_busy=30%", Directive{Shareable: true, SharesWithAll: true, GPUMemMB: 12288, GPUBusyPercent: 30}, nil},
		{"fairbridge:gpu_mem=800M,gpu_busy=5 fairbridge:shareable=no", Directive{GPUMemMB: 800, GPUBusyPercent: 5}, nil},
		{"fairbridge:shareable=all,gpu_mem=lots,gpu_busy=101", Directive{}, []string{"shareable=others", "12G or 800M", "30%"}},
		{"fairbridge:gpu_mem=0,gpu_mem=9999T,gpu_busy=0", Directive{}, []string{"gpu_mem=0", "gpu_mem=9999T", "gpu_busy=0"}},
		{"fairbridge:deadline=2026-12-31T18:00:00+01:00", Directive{Deadline: time.Date(2026, 12, 31, 17, 0, 0, 0, time.UTC)}, nil},
		{"fairbridge:deadline=2026-12-31T18:00,value=2.5,soft", Directive{Deadline: time.Date(2026, 12, 31, 18, 0, 0, 0, time.Local).UTC(), DeadlineValue: 2.5, SoftDeadline: true}, nil},
		{"fairbridge:deadline=2026-12-31T18:00:30", Directive{Deadline: time.Date(2026, 12, 31, 18, 0, 30, 0, time.Local).UTC()}, nil},
		{"fairbridge:deadline=tomorrow,value=2,soft,class=a", Directive{Class: "a"}, []string{"deadline=tomorrow: a deadline looks like", "value and soft say something of a deadline"}},
		{"fairbridge:deadline=2026-12-31T18:00:00Z,value=1e9,value=NaN,value=-1", Directive{Deadline: time.Date(2026, 12, 31, 18, 0, 0, 0, time.UTC)}, []string{"value=1e9: want a number from 0.001 to 1000", "value=NaN", "value=-1"}},
		{"fairbridge:grace=2m,signal=USR1", Directive{Grace: within(2 * time.Minute), Signal: USR1}, nil},
		{"fairbridge:grace=0s,signal=SIGTERM", Directive{Grace: within(0), Signal: TERM}, nil},
		{"fairbridge:grace=11m", Directive{}, []string{"at most 10m"}},
		{"fairbridge:grace=-1s", Directive{}, []string{"grace=-1s"}},
		{"fairbridge:grace=1500ms", Directive{}, []string{"grace=1500ms"}},
		{"fairbridge:grace", Directive{}, []string{"90s or 2m"}},
		{"fairbridge:signal=KILL", Directive{}, []string{"USR1"}},
		{"fairbridge:signal=", Directive{}, []string{"not one of"}},
		{"fairbridge:signal=usr1", Directive{}, []string{"not one of"}},
		{"fairbridge:max=0", Directive{}, []string{"max=0"}},
		{"fairbridge:max=99999999", Directive{}, []string{"from 1 to"}},
		{"fairbridge:ckpt=7h", Directive{}, []string{"at most 6h"}},
		{"fairbridge:prio=99,preemptible", Directive{Preemptible: true}, []string{`unknown key "prio"`, "known are"}},
		{"fairbridge:service=chat,preemptible", Directive{Service: "chat", Preemptible: true}, nil},
		{"fairbridge:service", Directive{}, []string{"1 to 64"}},
		{"fairbridge:preemptible=maybe,class=", Directive{}, []string{"yes or no", "1 to 64"}},
		{"fairbridge:preemptible fairbridge:preemptible=no", Directive{}, nil},
	}
	for _, tt := range tests {
		got := ReadDirective(tt.text)
		unread := got.UnreadReason
		got.UnreadReason = ""
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
		if (unread != "") != (tt.bad != nil) {
			t.Errorf("%q: %q is unread, want something: %v", tt.text, unread, tt.bad != nil)
		}
		for _, b := range tt.bad {
			if !strings.Contains(unread, b) {
				t.Errorf("%q: %q does not say %q", tt.text, unread, b)
			}
		}
	}
}

func within(d time.Duration) *time.Duration { return &d }

func TestExtraWinsOverComment(t *testing.T) {
	d := ReadDirective("fairbridge:max=4", "fairbridge:max=6")
	if d.UnreadReason != "" || d.MaxGPUs != 6 {
		t.Errorf("got %+v; want max 6", d)
	}
}

func FuzzReadDirective(f *testing.F) {
	f.Add("fairbridge:class=a,min=2")
	f.Add("fairbridge:,,=,x")
	f.Fuzz(func(t *testing.T, s string) {
		d := ReadDirective(s)
		if d.MinGPUs < 0 || d.MaxGPUs > maxDirectiveGPUs || d.CheckpointCost < 0 || d.CheckpointCost > maxCheckpointCost || len(d.Class) > 64 || len(d.GPUTypes) > maxDirectiveTypes || !(d.DeadlineValue >= 0 && d.DeadlineValue <= maxDeadlineValue) || d.SoftDeadline && d.Deadline.IsZero() ||
			d.Grace != nil && (*d.Grace < 0 || *d.Grace > maxGrace) || d.Signal != "" && !d.Signal.IsKnown() {
			t.Errorf("%q gives %+v, beyond the bounds", s, d)
		}
	})
}
