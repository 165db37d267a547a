package cells_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"fairbridge/policy/cells"
)

// TestClassChangesNothing: requests with a class, which are not searched for again after one of it has failed, get
// the very places that those without get, whatever starts, ends and breaks between them.
func TestClassChangesNothing(t *testing.T) {
	config := cells.Config{
		Types:           map[string]cells.Type{"node": {Child: "gpu", Count: 4, IsNode: true}},
		VirtualClusters: []cells.VirtualCluster{{Name: "A"}},
	}
	for i := range 9 {
		node := cells.Physical{Type: "node", Node: fmt.Sprint("n", i), Devices: []int{0, 1, 2, 3}}
		config.Physical = append(config.Physical, node)
	}
	failed, found := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		both := []*cells.Cluster{newCluster(t, config), newCluster(t, config)}
		starts, last := 0, ""
		for step := range 80 {
			switch name := fmt.Sprint("A", step); r.IntN(16) {
			case 0:
				node, index := fmt.Sprint("n", r.IntN(9)), r.IntN(4)
				for _, k := range both {
					k.SetDeviceBad(node, index)
				}
			case 1:
				for _, k := range both {
					k.End(last, last)
				}
			default:
				kind, epoch := r.IntN(6), starts
				request := cells.Request{
					Task: name, Gang: name, VirtualCluster: "A", Priority: cells.OpportunisticPriority,
					Devices: 1 + kind%4, Members: []cells.Member{{Devices: 1 + kind%4, Tasks: 1 + kind%2}},
				}
				request.IsSuggested = func(node string) bool { return (int(node[1])*7+kind*5+epoch*3)%11 < 4 }
				var got [2]cells.Answer
				for i, k := range both {
					if i == 1 {
						request.Class = kind
					}
					a, err := k.Schedule(request)
					if err != nil {
						t.Fatal(err)
					}
					if got[i] = a; a.Wait == "" && step%3 > 0 {
						k.Start(request, a)
						starts, last = epoch+1, name
					}
				}
				areNodesAlike := reflect.DeepEqual(got[0].Nodes, got[1].Nodes)
				if got[0].Wait != got[1].Wait || !areNodesAlike || !reflect.DeepEqual(got[0].Devices, got[1].Devices) {
					t.Fatalf("seed %d, step %d: %v, with a class %v", seed, step, got[0], got[1])
				}
				if failed++; got[0].Wait == "" {
					failed, found = failed-1, found+1
				}
			}
		}
	}
	if failed < 1000 || found < 1000 {
		t.Errorf("%d found a place and %d did not: too few", found, failed)
	}
}
