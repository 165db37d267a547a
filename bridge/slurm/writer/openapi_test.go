package writer

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/throwaway/livetest"
)

// Every body of every version must be what the OpenAPI document of a live
// slurmrestd says it takes. 22.05's document is left out: it describes a job's
// submission, and neither the fields nor the forms an update takes.
func TestLiveDocumentAllowsBodies(t *testing.T) {
	for _, release := range []string{"24.11", "26.05"} {
		t.Run(release, func(t *testing.T) { validate(t, livetest.ClusterInLab(t, release)) })
	}
}

func validate(t *testing.T, c *throwaway.Cluster) {
	doc, err := openapi3.NewLoader().LoadFromData(document(t, c))
	if err != nil {
		t.Fatal(err)
	}
	versions := 0
	for v := rest.OldestVersion; v <= rest.NewestVersion; v++ {
		api, _ := rest.APIFromVersion(v)
		item := doc.Paths.Value("/slurm/" + api.Name() + "/job/{job_id}")
		if item == nil {
			continue
		}
		versions++
		checkBodies(t, api, schemaOf(t, item))
		requeue := doc.Paths.Value("/slurm/" + api.Name() + "/jobs/requeue")
		if (requeue != nil) != api.CanRequeue {
			t.Errorf("%s: jobs/requeue in the document: %v", api.Name(), requeue != nil)
		}
		if requeue != nil {
			visit(t, schemaOf(t, requeue), encodeRequeue(id))
		}
		if states := doc.Paths.Value("/slurm/" + api.Name() + "/jobs/state/"); api.ListsStates && states == nil {
			t.Errorf("%s: the document has no jobs/state/", api.Name())
		}
	}
	if versions == 0 {
		t.Error("no version of ours in the document")
	}
}

func checkBodies(t *testing.T, api rest.API, schema *openapi3.Schema) {
	b := &fieldEncoder{allowHardHold: true, leaseMax: time.Hour, now: func() time.Time { return noon }}
	for _, c := range bodies {
		f, err := b.encodeEdit(api, c.edit)
		if err != nil {
			cannot := c.edit.Kind == slurm.EditSiteFactor && !api.WritesSiteFactor || c.edit.Kind == slurm.EditAdminComment && !api.WritesAdminComment
			if !cannot {
				t.Errorf("%s, %s: %v", api.Name(), c.name, err)
			}
			continue
		}
		body, err := encodeUpdate(f, sluidToBind(run(7), api.BindsUpdateToRun))
		if err != nil {
			t.Fatal(err)
		}
		visit(t, schema, body)
	}
	for _, request := range []slurm.Job{{GresPerNode: slurm.ReadGRESRequest("gres/gpu:a100:4")}, {GresPerJob: slurm.ReadGRESRequest("gres/gpu:4")}} {
		f, err := buildGPUField(api, &request, 2, "")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := encodeUpdate(f, sluidToBind(run(7), api.BindsUpdateToRun))
		visit(t, schema, body)
	}
}

// visit checks a body against a schema, and that every field is a known one:
// unknown ones are ignored in silence. The documents say int32 of site_factor,
// whose neutral value 2147483648 is no int32: there only the kind is checked.
func visit(t *testing.T, schema *openapi3.Schema, body []byte) {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatal(err)
	}
	for name := range value {
		if schema.Properties[name] == nil {
			t.Errorf("%s: the document has no field %s", body, name)
		}
	}
	if _, ok := value["site_factor"].(float64); ok && schema.Properties["site_factor"].Value.Type.Is("integer") {
		delete(value, "site_factor")
	}
	if err := schema.VisitJSON(value); err != nil {
		t.Errorf("%s: %v", body, err)
	}
}

func schemaOf(t *testing.T, item *openapi3.PathItem) *openapi3.Schema {
	t.Helper()
	if item.Post == nil || item.Post.RequestBody == nil {
		t.Fatal("the document has no body")
	}
	return item.Post.RequestBody.Value.Content.Get("application/json").Schema.Value
}

func document(t *testing.T, c *throwaway.Cluster) []byte {
	t.Helper()
	token, err := os.ReadFile(c.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/openapi/v3", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-SLURM-USER-NAME", c.TokenUser)
	r.Header.Set("X-SLURM-USER-TOKEN", strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(fmt.Errorf("GET /openapi/v3: %d %w", resp.StatusCode, err))
	}
	return b
}
