package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/client"
)

// Probes of several nodes are asked at once. One that does not answer costs the others
// nothing: its error stands beside their samples.
func ExampleClient_PullSamples() {
	probe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(nodeprobe.Sample{Node: "n1", GPUs: []nodeprobe.GPU{{}, {}}})
	}))
	defer probe.Close()
	samples, err := client.New(client.Config{}).PullSamples(context.Background(), map[string]string{"n1": probe.URL, "n2": "unix:/nowhere"})
	fmt.Println(len(samples), "node answered, with", len(samples["n1"].GPUs), "GPUs")
	fmt.Println("n2 did not:", err != nil)
	// Output:
	// 1 node answered, with 2 GPUs
	// n2 did not: true
}
