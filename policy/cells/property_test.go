package cells

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawConfig draws a chain of cells, and virtual clusters that fit it.
func drawConfig(t *rapid.T) Config {
	c := Config{Types: map[string]Type{}, SmallCellsFirst: rapid.Bool().Draw(t, "small first")}
	levels := rapid.IntRange(2, 4).Draw(t, "levels")
	node := rapid.IntRange(1, levels-1).Draw(t, "node level")
	name := func(l int) string { return fmt.Sprintf("c%d", l) }
	fanout := make([]int, levels)
	for l := 1; l < levels; l++ {
		fanout[l] = rapid.IntRange(1, 3).Draw(t, "fanout")
		c.Types[name(l)] = Type{Child: name(l - 1), Count: fanout[l], IsNode: l == node}
	}
	nodes := 0
	var make func(l int) Physical
	make = func(l int) Physical {
		p := Physical{Type: name(l)}
		if l == node {
			nodes++
			p.Node = fmt.Sprintf("n%d", nodes)
			devices := 1
			for _, f := range fanout[1 : l+1] {
				devices *= f
			}
			for i := range devices {
				p.Devices = append(p.Devices, i)
			}
			return p
		}
		for range fanout[l] {
			p.Cells = append(p.Cells, make(l-1))
		}
		return p
	}
	available := rapid.IntRange(1, 4).Draw(t, "tops")
	for range available {
		c.Physical = append(c.Physical, make(levels-1))
	}
	c.VirtualClusters = []VirtualCluster{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for l := levels - 1; l >= 0; l-- {
		for range rapid.IntRange(0, available).Draw(t, "quota") {
			v := &c.VirtualClusters[rapid.IntRange(0, 2).Draw(t, "whose")]
			v.Cells = append(v.Cells, Quota{Chain: name(levels - 1), Type: name(l), Number: 1})
			available--
		}
		available *= fanout[l]
	}
	return c
}

// checkInvariants wants free lists merged as far as they can be, counts that agree with them, and all that is
// due still to be had.
func checkInvariants(t *rapid.T, k *Cluster) {
	for _, c := range k.chains {
		if !c.isSafe() {
			t.Fatalf("not safe: free %v, due %v", c.freeList, c.due)
		}
		below := 0
		for l := c.top(); l >= 0; l-- {
			for _, n := range c.freeList[l] {
				if n.parent != nil && c.areBuddiesFree(n) {
					t.Fatalf("all buddies of a cell of level %d are free, and not merged", l)
				}
			}
			if below += len(c.freeList[l]); below != c.left[l] {
				t.Fatalf("level %d: %d cells are free, %d counted", l, below, c.left[l])
			}
			below *= c.fanout[l]
		}
	}
}

// TestBuddyAllocationNeverFails binds and releases cells of drawn quotas, whole or one device of
// them: each that a tenant wants it gets.
func TestBuddyAllocationNeverFails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, err := New(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		var roots []*cell
		for _, tn := range k.tenants {
			for _, p := range tn.pools {
				roots = append(roots, slices.Concat(p.roots...)...)
			}
		}
		if len(roots) == 0 {
			return
		}
		all := func(string) bool { return true }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			root := rapid.SampledFrom(roots).Draw(t, "cell")
			var devices []*cell
			root.walk(func(c *cell) {
				if c.level == 0 && (root.counter == nil || c.counter != nil) {
					devices = append(devices, c)
				}
			})
			if root.counter != nil {
				for _, d := range devices {
					k.freeDevice(d.counter, root.owner)
				}
			} else {
				if rapid.Bool().Draw(t, "one device") {
					devices = devices[:1]
				}
				found := mapDevices(root.chain, devices, all)
				if found == nil {
					t.Fatalf("no cell of level %d, though it is due: free %v, due %v", root.level, root.chain.freeList, root.chain.due)
				}
				for _, d := range devices {
					k.useDevice(found[d], d, 5, root.owner)
				}
			}
			checkInvariants(t, k)
		}
		for _, r := range roots {
			r.walk(func(c *cell) {
				if c.level == 0 && c.counter != nil {
					k.freeDevice(c.counter, r.owner)
				}
			})
		}
		for _, c := range k.chains {
			if len(c.freeList[c.top()]) != len(c.all[c.top()]) {
				t.Fatalf("nothing is in use, and only %d of %d cells at the top are whole", len(c.freeList[c.top()]), len(c.all[c.top()]))
			}
		}
	})
}

// TestGangsOfAllKinds draws gangs, guaranteed and not, that come and go, and nodes that fail and
// heal: devices are used once, cells within quotas stay safe, and nobody waits for room that its
// virtual cluster has while all nodes are healthy.
func TestGangsOfAllKinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		k, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		running := map[string]Request{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(running) > 0 && rapid.IntRange(0, 2).Draw(t, "end") == 0 {
				var names []string
				for n := range running {
					names = append(names, n)
				}
				slices.Sort(names)
				name := rapid.SampledFrom(names).Draw(t, "which")
				k.End(name, name)
				delete(running, name)
			} else if len(k.badNodes) == 0 && rapid.IntRange(0, 9).Draw(t, "fail") == 0 {
				k.SetBad("n1")
			} else if len(k.badNodes) > 0 && rapid.IntRange(0, 3).Draw(t, "heal") == 0 {
				k.SetHealthy("n1")
			} else {
				name, n := fmt.Sprintf("g%d", i), rapid.IntRange(1, 4).Draw(t, "devices")
				r := Request{Task: name, Gang: name, VirtualCluster: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "vc"), Reserves: true,
					Priority: rapid.IntRange(-1, 2).Draw(t, "priority"), Devices: n, Members: []Member{{Devices: n, Tasks: 1}}, MayLose: rapid.Bool().Draw(t, "lazy")}
				admit(t, k, r, running)
			}
			checkUse(t, k)
		}
	})
}

// admit schedules a gang and stops its victims until it has its place.
func admit(t *rapid.T, k *Cluster, r Request, running map[string]Request) {
	a, err := k.Schedule(r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Wait != "" {
		if a.Wait == NodesBad && len(k.badNodes) == 0 {
			t.Fatalf("%+v has no place, though all nodes are healthy", r)
		}
		return
	}
	for _, tasks := range a.Victims {
		for _, victim := range tasks {
			if v := running[victim]; v.VirtualCluster != r.VirtualCluster && v.Priority >= MinPriority && !k.Gangs()[victim].IsOutside {
				t.Fatalf("%+v drives out %+v", r, v)
			}
			k.End(victim, victim)
			delete(running, victim)
		}
	}
	if a.Victims != nil {
		if a, err = k.Schedule(r); err != nil || a.Wait != "" || a.Victims != nil {
			t.Fatalf("its victims have gone: %+v, %v", a, err)
		}
	}
	k.Start(r, a)
	running[r.Task] = r
}

// checkUse wants devices to be used by those that have them, and counts that agree.
func checkUse(t *rapid.T, k *Cluster) {
	for _, g := range k.gangs {
		g.eachDevice(func(d, virtual *cell) {
			if d.user != g || virtual != nil && d.counter != virtual || virtual == nil && d.priority != OpportunisticPriority {
				t.Fatalf("gang %s: %+v", g.name, d)
			}
		})
	}
	for _, c := range k.chains {
		for _, top := range c.all[c.top()] {
			top.walk(func(n *cell) {
				sum := 0
				for _, number := range n.used {
					sum += number
				}
				want := 0
				n.walk(func(d *cell) {
					if d.level == 0 && d.user != nil {
						want++
					}
				})
				if sum != want {
					t.Fatalf("%d devices are counted, %d used", sum, want)
				}
			})
		}
		if len(k.badNodes) == 0 && !c.isSafe() {
			t.Fatalf("not safe: free %v, due %v", c.freeList, c.due)
		}
	}
}
