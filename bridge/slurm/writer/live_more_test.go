package writer_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

func TestLiveZeroWrites(t *testing.T) {
	everywhere(t, func(s site) {
		if _, err := s.client.Observe(s.Context()); err != nil || s.writer.WriteCount() != 0 {
			s.Errorf("%v, %d writes", err, s.writer.WriteCount())
		}
	})
}

func TestLiveGPUs(t *testing.T) {
	everywhere(t, func(s site) {
		for _, ask := range []string{"--gres=gpu:a100:4", "--gpus=4"} {
			j := s.submit("--begin=now+1hour", ask)
			s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetGPUs, Value: 2})
			if req := s.job(j.ID).RequestedTRES; req.UnreadReason != "" || req.GPUCount() != 2 {
				s.Errorf("%s: %s after the change (%s)", ask, req.Text, req.UnreadReason)
			}
		}
	})
}

// A warning reaches the batch script, which goes on, and none of its steps.
func TestLiveWarn(t *testing.T) {
	everywhere(t, func(s site) {
		said := "/tmp/warned." + strconv.FormatInt(time.Now().UnixNano(), 36)
		script := fmt.Sprintf(`#!/bin/bash
trap 'echo script >>%[1]s' USR1
srun bash -c 'trap "echo step >>%[1]s" USR1; echo inner >>%[1]s; sleep 300 & wait; wait' &
echo ready >>%[1]s
wait; wait; sleep 300
`, said)
		out := s.run("alice", "sh", "-c", "cat >"+said+".sh <<'END'\n"+script+"END\nsbatch --parsable --chdir=/tmp --output=/dev/null --time=10 --partition=low "+said+".sh")
		id, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
		if err != nil {
			s.Fatal(err, out)
		}
		s.Cleanup(func() {
			_, _ = s.slurm.Run(context.Background(), "alice", "sh", "-c", fmt.Sprintf("scancel %d; rm -f %s*", id, said))
		})
		text := func() string {
			out, _ := s.slurm.Run(s.Context(), "alice", "sh", "-c", "cat "+said+"; true")
			return out
		}
		says := func(what string) {
			s.until("it says "+what, 30*time.Second, func() bool { return strings.Contains(text(), what) })
		}
		says("ready")
		says("inner") // the step has its trap
		j := s.job(id)
		s.apply(slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditWarn, Signal: slurm.USR1, Value: 60})
		says("script")
		if j := s.job(id); j.State != "RUNNING" || strings.Contains(text(), "step") {
			s.Errorf("the job is %s; it said %q", j.State, text())
		}
	})
}

func TestLiveFence(t *testing.T) {
	everywhere(t, func(s site) {
		if !s.client.API().BindsUpdateToRun {
			s.Skip("this release has no SLUIDs")
		}
		j := s.submit("--begin=now+1hour")
		r := j.CurrentRun()
		r.SLUID = "s0N1M7Y39ZNQ00"
		if c := s.class(slurm.Edit{Run: r, Kind: slurm.EditNice, Value: 9}); c != slurm.ErrorJobGone {
			s.Errorf("an update of another run: %s", c)
		}
		if got := s.show(j.ID, "Nice"); got != "0" {
			s.Errorf("nice became %s", got)
		}
	})
}
