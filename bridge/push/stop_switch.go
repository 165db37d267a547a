package push

import (
	"fmt"
	"sync/atomic"
)

// StopSwitch ends writing at once in the process in which an operator stopped us; what stands in the
// record ends it everywhere with the next cycle. The nil switch is never on.
type StopSwitch struct {
	setting atomic.Int64 // the id of the stop; 0: off
}

// Stop turns it on for a stop that stands in the record.
func (s *StopSwitch) Stop(action int64) {
	if s != nil {
		s.setting.Store(action)
	}
}

// Setting is what Clear takes to turn off what was on then, and nothing later.
func (s *StopSwitch) Setting() int64 {
	if s == nil {
		return 0
	}
	return s.setting.Load()
}

// Clear turns the switch off if it is as it was.
func (s *StopSwitch) Clear(setting int64) {
	if s != nil {
		s.setting.CompareAndSwap(setting, 0)
	}
}

// Check returns the error ErrPushHalted while the switch is on.
func (s *StopSwitch) Check() error {
	if id := s.Setting(); id != 0 {
		return fmt.Errorf("%w: an operator stopped us (action %d): fairbridge operate resume ends that", ErrPushHalted, id)
	}
	return nil
}
