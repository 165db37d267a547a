package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// StudyLine is what a page shows of a line of fairbridge compare --json or replay --json: one policy on one workload.
// Times are in seconds, parts 0..1.
type StudyLine struct {
	Policy       string  `json:"policy"`
	Trace        string  `json:"trace"`
	JobCount     int     `json:"jobs"`
	MeanJCT      float64 `json:"avg_jct_s"`
	MedianJCT    float64 `json:"median_jct_s"`
	P99JCT       float64 `json:"p99_jct_s"`
	MeanWait     float64 `json:"avg_queue_s"`
	WorstRho     float64 `json:"worst_rho"`
	UnfairPart   float64 `json:"unfair_share"`
	Utilization  float64 `json:"utilization"`
	RestartCount int     `json:"restarts"`
	LostGPUHours float64 `json:"lost_gpu_hours"`
	Error        string  `json:"error,omitempty"` // why the policy could not be run; "": it was
}

// ReadStudy reads what fairbridge compare --json printed.
func ReadStudy(r io.Reader) ([]StudyLine, error) {
	var lines []StudyLine
	for d := json.NewDecoder(r); ; {
		var l StudyLine
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return nil, fmt.Errorf("reading line %d of a study (write it anew: fairbridge compare --json): %w", len(lines)+1, err)
		}
		if l.Policy != "" { // of replay a line tells how true the simulation is
			lines = append(lines, l)
		}
	}
}

func viewStudy(_ *Handler, r *http.Request, s Source) (any, error) {
	reader, ok := s.(StudyReader)
	if !ok {
		return []StudyLine(nil), nil
	}
	return reader.Study(r.Context())
}
