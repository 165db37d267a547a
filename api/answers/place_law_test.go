package answers_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/gear/policytest"
	"fairbridge/policy/catalogue"
)

// Where nodes alone are private, whatever a policy says: no answer about a job of others names a node.
func TestNoNodeIsNamedOfOthersJobs(t *testing.T) {
	gone, err := accounting.Open(t.Context(), accounting.Config{DSN: "postgres:///none?host=/nonexistent"})
	must(t, err)
	t.Cleanup(gone.Close)
	zoe := api.Viewer{User: lawUser, Role: api.RoleUser}
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := policytest.GenerateSnapshots().Draw(rt, "snapshot")
				recognisable(s)
				p, err := e.New(nil)
				must(t, err)
				plan, err := p.Decide(s)
				if err != nil || len(s.Jobs) == 0 || len(s.Nodes) == 0 {
					return
				}
				var names []string
				for i := range s.Nodes {
					names = append(names, regexp.QuoteMeta(s.Nodes[i].Name))
				}
				aNode := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
				r := lawReport(s, plan, e.Name)
				r.PartitionResults[0].Refusals = append(r.PartitionResults[0].Refusals, bridge.Refusal{Job: s.Jobs[len(s.Jobs)/2].ID, Why: "node " + s.Nodes[0].Name + ": it is down"})
				service := newLawService(rt, stores.New(gone), p, e.Name, api.Privacy{Nodes: true})
				service.NoteCycle(r)
				q, err := service.Queue(t.Context(), zoe, api.QueueQuery{})
				must(t, err)
				for i := range q.Jobs {
					row := &q.Jobs[i]
					if row.User == lawUser {
						continue
					}
					j, err := service.Job(t.Context(), zoe, row.Address)
					must(t, err)
					if text := jsonOf(t, row) + jsonOf(t, j); aNode.MatchString(text) {
						rt.Fatalf("job %s names node %s: %s", row.Address, aNode.FindString(text), text)
					}
				}
			})
		})
	}
}
