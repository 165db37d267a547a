package door_test

import (
	"testing"

	"fairbridge/bridge/slurm"
)

func TestLiveZeroWrites(t *testing.T) {
	everywhere(t, func(s site) {
		if _, err := s.client.Observe(s.Context()); err != nil || s.door.Writes() != 0 {
			s.Errorf("%v, %d writes", err, s.door.Writes())
		}
	})
}

func TestLiveGPUs(t *testing.T) {
	everywhere(t, func(s site) {
		for _, ask := range []string{"--gres=gpu:a100:4", "--gpus=4"} {
			j := s.submit("--begin=now+1hour", ask)
			s.apply(slurm.Edit{Run: j.Run(), Kind: slurm.SetGPUs, Value: 2})
			req, err := slurm.ParseTRES(s.job(j.ID).Request)
			if err != nil || req.GPUs() != 2 {
				s.Errorf("%s: %s after the change (%v)", ask, s.job(j.ID).Request, err)
			}
		}
	})
}

func TestLiveFence(t *testing.T) {
	everywhere(t, func(s site) {
		if !s.client.API().Fence {
			s.Skip("this release has no SLUIDs")
		}
		j := s.submit("--begin=now+1hour")
		r := j.Run()
		r.SLUID = "s0N1M7Y39ZNQ00"
		if c := s.class(slurm.Edit{Run: r, Kind: slurm.Nice, Value: 9}); c != slurm.Gone {
			s.Errorf("an update of another run: %s", c)
		}
		if got := s.show(j.ID, "Nice"); got != "0" {
			s.Errorf("nice became %s", got)
		}
	})
}
