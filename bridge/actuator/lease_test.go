package actuator

import (
	"testing"
	"time"
)

func TestLeasesEndApartButNotEarly(t *testing.T) {
	for _, length := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		ends := map[time.Duration]bool{}
		for job := range int64(200) {
			j := leaseJitter(job, 9, length)
			if j < time.Second || j > max(length/10, time.Second) || j > 59*time.Second || j != leaseJitter(job, 9, length) {
				t.Errorf("a lease of %v ends %v early", length, j)
			}
			ends[j] = true
		}
		if length >= 10*time.Minute && len(ends) < 40 {
			t.Errorf("200 leases of %v end at %d different moments", length, len(ends))
		}
	}
}
