package names

import (
	"strings"
	"testing"

	"fairbridge/api"
)

func TestUnknownNamesAreTold(t *testing.T) {
	for _, tt := range []struct {
		names, known []string
		want         string
	}{
		{nil, JobStates, ""},
		{[]string{"running", "PENDING"}, JobStates, ""},
		{[]string{"PENDING", "XX"}, JobStates, `state: there is no "XX": one of PENDING, RUNNING`},
		{[]string{"site_factor", "admin_comment"}, ChangeKinds, ""},
		{[]string{"nise"}, ChangeKinds, `there is no "nise": one of site_factor, nice`},
		{[]string{"FAILED", "VOID"}, ChangeStates, ""},
		{[]string{""}, ChangeStates, "one of PLANNED, SENT, ACKED"},
	} {
		err := Check("state", tt.names, tt.known)
		if tt.want == "" && err == nil {
			continue
		}
		if api.CodeOf(err) != api.CodeBadRequest || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v", tt.names, err)
		}
	}
}
