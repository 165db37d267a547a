package cells_test

import (
	"fmt"
	"strings"
	"testing"

	"fairbridge/policy/cells"
)

// twoNodes are two nodes of four devices, pairs in them, A with a node of its own.
func twoNodes(b ...cells.Quota) cells.Config {
	c := cells.Config{
		Types:           map[string]cells.Type{"node": {Child: "pair", Count: 2, IsNode: true}, "pair": {Child: "gpu", Count: 2}},
		VirtualClusters: []cells.VirtualCluster{{Name: "A", Cells: []cells.Quota{{Chain: "node", Type: "node", Number: 1}}}, {Name: "B", Cells: b}},
		SmallCellsFirst: true,
	}
	for i := range 2 {
		c.Physical = append(c.Physical, cells.Physical{Type: "node", Node: fmt.Sprint("n", i), Devices: []int{0, 1, 2, 3}})
	}
	return c
}

func newCluster(t *testing.T, c cells.Config) *cells.Cluster {
	t.Helper()
	k, err := cells.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ask asks for devices in one task and takes the place, if it is free.
func ask(t *testing.T, k *cells.Cluster, name string, priority, devices int, lets func(*cells.Request)) string {
	t.Helper()
	r := cells.Request{Task: name, Gang: name, VirtualCluster: name[:1], Priority: priority, Devices: devices, Members: []cells.Member{{Devices: devices, Tasks: 1}}}
	if lets != nil {
		lets(&r)
	}
	a, err := k.Schedule(r)
	switch {
	case err != nil:
		return err.Error()
	case a.Wait != "":
		return "waits: " + string(a.Wait)
	case a.Victims != nil:
		return fmt.Sprint("victims ", a.Victims)
	}
	k.Start(r, a)
	return fmt.Sprint(a.Node, a.Devices)
}

func wantAnswers(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

// TestSmallCellsLeaveLargeOnesWhole: of B's cells none takes a device of the node that A has.
func TestSmallCellsLeaveLargeOnesWhole(t *testing.T) {
	k := newCluster(t, twoNodes(cells.Quota{Chain: "node", Type: "pair", Number: 1}, cells.Quota{Chain: "node", Type: "gpu", Number: 2}))
	wantAnswers(t, []string{ask(t, k, "B1", 0, 1, nil), ask(t, k, "B2", 0, 1, nil), ask(t, k, "B3", 0, 2, nil), ask(t, k, "A1", 0, 4, nil), ask(t, k, "A2", 0, 1, nil)},
		"n0[0]", "n0[1]", "n0[2 3]", "n1[0 1 2 3]", "waits: "+string(cells.NoCapacity))
}

// TestSpreadLosesTheWholeNode: where the cells of B are spread over both nodes, outside of its virtual
// cluster, none is whole, and A waits until one leaves: the anomaly that cells are against.
func TestSpreadLosesTheWholeNode(t *testing.T) {
	k := newCluster(t, twoNodes(cells.Quota{Chain: "node", Type: "gpu", Number: 2}))
	on := func(node string) func(*cells.Request) {
		return func(r *cells.Request) { r.IsSuggested = func(n string) bool { return n == node } }
	}
	wantAnswers(t, []string{ask(t, k, "B1", -1, 1, on("n0")), ask(t, k, "B2", -1, 1, on("n1")), ask(t, k, "A1", 0, 4, nil)},
		"n0[0]", "n1[0]", "victims map[n0:[B1]]")
}

// TestTakesTheNodeThatNobodyUses: an opportunistic gang is on n0; A goes to n1, and nobody has to leave.
func TestTakesTheNodeThatNobodyUses(t *testing.T) {
	k := newCluster(t, twoNodes(cells.Quota{Chain: "node", Type: "node", Number: 1}))
	wantAnswers(t, []string{ask(t, k, "B1", -1, 4, nil), ask(t, k, "A1", 0, 4, nil), ask(t, k, "B2", 0, 4, nil)},
		"n0[0 1 2 3]", "n1[0 1 2 3]", "victims map[n0:[B1]]")
}

// TestBadNodeIsSomebodysLoss: with one node of two bad, the first who asks has the other; the
// second sees that its cell is bad.
func TestBadNodeIsSomebodysLoss(t *testing.T) {
	k := newCluster(t, twoNodes(cells.Quota{Chain: "node", Type: "node", Number: 1}))
	k.SetBad("n1")
	wantAnswers(t, []string{ask(t, k, "A1", 0, 4, nil), fmt.Sprint(k.NodeCells("A", "node"), k.NodeCells("B", "node")), ask(t, k, "B1", 0, 4, nil)},
		"n0[0 1 2 3]", "[{false false}] [{true true}]", "waits: "+string(cells.NodesBad))
	k.SetHealthy("n1")
	wantAnswers(t, []string{ask(t, k, "B1", 0, 4, nil)}, "n1[0 1 2 3]")
}

// TestQuotasThatDoNotFit: a node and five single devices are more than two nodes.
func TestQuotasThatDoNotFit(t *testing.T) {
	_, err := cells.New(twoNodes(cells.Quota{Chain: "node", Type: "gpu", Number: 5}))
	if err == nil || err.Error() != "chain node: its virtual clusters have 5 cells of type gpu, 4 are left for them" {
		t.Error(err)
	}
	if _, err := cells.New(twoNodes(cells.Quota{Chain: "node", Type: "rack", Number: 1})); err == nil || !strings.Contains(err.Error(), "virtual cluster B: 1 cells of type rack below node: there are none") {
		t.Error(err)
	}
}

// TestHigherGangReservesAndLetsGo: in A's one node a gang of a higher priority has what a lower one is to leave; when it waits no
// more, the lower one has it again, and is called as before.
func TestHigherGangReservesAndLetsGo(t *testing.T) {
	k := newCluster(t, twoNodes())
	reserves := func(r *cells.Request) { r.Reserves = true }
	wantAnswers(t, []string{ask(t, k, "A1", 0, 4, nil), ask(t, k, "A2", 1, 4, reserves), fmt.Sprint(k.Gangs()["A1"], k.Gangs()["A2"])},
		"n0[0 1 2 3]", "victims map[n0:[A1]]", "{being preempted false} {preempting false}")
	k.End("A2", "A2")
	wantAnswers(t, []string{fmt.Sprint(k.Gangs()), ask(t, k, "A2", 1, 4, reserves)}, "map[A1:{being preempted false}]", "victims map[n0:[A1]]")
	k.End("A1", "A1")
	wantAnswers(t, []string{ask(t, k, "A2", 1, 4, reserves), fmt.Sprint(k.Gangs())}, "n0[0 1 2 3]", "map[A2:{allocated false}]")
}

// TestLazyPreemption: a gang that may lose its cells runs on, outside of its virtual cluster, while there are others.
func TestLazyPreemption(t *testing.T) {
	k := newCluster(t, twoNodes())
	mayLose := func(r *cells.Request) { r.MayLose = true }
	wantAnswers(t, []string{ask(t, k, "A1", 0, 4, mayLose), ask(t, k, "A2", 1, 4, nil), fmt.Sprint(k.Gangs())},
		"n0[0 1 2 3]", "n1[0 1 2 3]", "map[A1:{allocated true} A2:{allocated false}]")
}
