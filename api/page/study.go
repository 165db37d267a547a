package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"fairbridge/api"
)

// ReadStudy reads what fairbridge-lab compare --json or replay --json printed. Which days it is of, and who had it made, does
// not stand there.
func ReadStudy(r io.Reader) (*api.Studies, error) {
	var lines []api.StudyLine
	for d := json.NewDecoder(r); ; {
		var l api.StudyLine
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return NewStudies(lines), nil
		case err != nil:
			return nil, fmt.Errorf("reading line %d of a study (write it anew: fairbridge-lab compare --json): %w", len(lines)+1, err)
		}
		if l.Policy != "" { // of replay a line tells how true the simulation is
			lines = append(lines, l)
		}
	}
}

// NewStudies is what pages show of lines alone.
func NewStudies(lines []api.StudyLine) *api.Studies {
	if lines == nil {
		return &api.Studies{}
	}
	return &api.Studies{Partitions: []api.PartitionStudy{{Study: &api.Study{Lines: lines}}}}
}

func viewStudy(_ *Handler, r *http.Request, s Source) (any, error) { return s.Studies(r.Context()) }
