package decode

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/SlinkyProject/slurm-client/api/v0042"
	"github.com/SlinkyProject/slurm-client/api/v0043"
	"github.com/SlinkyProject/slurm-client/api/v0044"
	"github.com/SlinkyProject/slurm-client/api/v0045"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge/slurm"
)

// TestAgreesWithSlinky checks against the types that Slurm's makers generate
// from its OpenAPI documents: a recorded reply read into them and written
// again holds every field we read, with the same value. A field that we read
// under a name or kind they do not know would be lost on the way.
func TestAgreesWithSlinky(t *testing.T) {
	tests := []struct {
		version                               string
		jobs, nodes, partitions, reservations any
	}{
		{"24.11-v0.0.42", &v0042.V0042OpenapiJobInfoResp{}, &v0042.V0042OpenapiNodesResp{}, &v0042.V0042OpenapiPartitionResp{}, &v0042.V0042OpenapiReservationResp{}},
		{"26.05-v0.0.42", &v0042.V0042OpenapiJobInfoResp{}, &v0042.V0042OpenapiNodesResp{}, &v0042.V0042OpenapiPartitionResp{}, &v0042.V0042OpenapiReservationResp{}},
		{"26.05-v0.0.43", &v0043.V0043OpenapiJobInfoResp{}, &v0043.V0043OpenapiNodesResp{}, &v0043.V0043OpenapiPartitionResp{}, &v0043.V0043OpenapiReservationResp{}},
		{"26.05-v0.0.44", &v0044.V0044OpenapiJobInfoResp{}, &v0044.V0044OpenapiNodesResp{}, &v0044.V0044OpenapiPartitionResp{}, &v0044.V0044OpenapiReservationResp{}},
		{"26.05-v0.0.45", &v0045.V0045OpenapiJobInfoResp{}, &v0045.V0045OpenapiNodesResp{}, &v0045.V0045OpenapiPartitionResp{}, &v0045.V0045OpenapiReservationResp{}},
	}
	for _, tt := range tests {
		t.Run(tt.version, func(t *testing.T) {
			var d Decoder
			text, again := through(t, tt.version, "jobs", tt.jobs)
			jobs, _, err := d.Jobs(bytes.NewReader(text), nil)
			same(t, jobs, err, again, referenceJob)
			text, again = through(t, tt.version, "nodes", tt.nodes)
			nodes, _, err := d.Nodes(bytes.NewReader(text), nil)
			same(t, nodes, err, again, referenceNode)
			text, again = through(t, tt.version, "partitions", tt.partitions)
			partitions, _, err := d.Partitions(bytes.NewReader(text), nil)
			same(t, partitions, err, again, referencePartition)
			text, again = through(t, tt.version, "reservations", tt.reservations)
			reservations, _, err := d.Reservations(bytes.NewReader(text), nil)
			same(t, reservations, err, again, referenceReservation)
		})
	}
}

var (
	blank = regexp.MustCompile(`"(\w+)": ""`)
	zero  = regexp.MustCompile(`("set": true,\s+"infinite": false,\s+"number": )0\b`)
)

// through reads a recorded reply, its empty values filled so that none is
// alike by chance, into its typed form, writes that, and returns the text and
// the records written.
func through(t *testing.T, version, key string, typed any) (text []byte, again []any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", version, key+".json"))
	if err != nil {
		t.Fatal(err)
	}
	text = blank.ReplaceAll(text, []byte(`"$1": "value of $1"`))
	text = zero.ReplaceAll(text, []byte("${1}3"))
	if err := json.Unmarshal(text, typed); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parse(out)
	if err != nil {
		t.Fatal(err)
	}
	return text, doc[key].([]any)
}

func same[T any](t *testing.T, got []T, err error, again []any, one func(jsonObject) T) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var want []T
	for _, x := range again {
		want = append(want, one(x.(map[string]any)))
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), withoutUnusual); diff != "" || len(got) == 0 {
		t.Errorf("%d records, -theirs +ours:\n%s", len(got), diff)
	}
}

// referencePartition reads one partition of a version since 24.11.
func referencePartition(o jsonObject) slurm.Partition {
	inside := func(key string) *reader {
		m, _ := o[key].(map[string]any)
		return newReader(m)
	}
	states, _ := inside("partition").list("state", true)
	exclusive := inside("partition").text("exclusive")
	if shares, told := o["maximums"].(map[string]any)["shares"].(float64); told && shares == 0 && exclusive == "" {
		exclusive = "YES"
	}
	exclusive = strings.TrimPrefix(exclusive, "NO")
	return slurm.Partition{
		Name:            newReader(o).text("name"),
		State:           states[0],
		Nodes:           slurm.ReadHosts(inside("nodes").text("configured")),
		MaxTimeMinutes:  inside("maximums").size("time"),
		PriorityTier:    int(inside("priority").size("tier")),
		AllowedAccounts: inside("accounts").commas("allowed"),
		AllowedQOS:      inside("qos").commas("allowed"),
		DeniedAccounts:  inside("accounts").commas("deny"),
		DeniedQOS:       inside("qos").commas("deny"),
		QOS:             inside("qos").text("assigned"),
		Exclusive:       exclusive,
		MaxCPUsPerNode:  int(inside("maximums").size("cpus_per_node")),
		MaxNodes:        int(inside("maximums").size("nodes")),
	}
}
