package interleave_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/interleave"
)

// alone is each of n jobs as a pack.
func alone(n int) [][]int {
	packs := make([][]int, n)
	for i := range packs {
		packs[i] = []int{i}
	}
	return packs
}

// TestGroup merges no more than it must, those that go together, and only jobs of as many GPUs.
func TestGroup(t *testing.T) {
	for name, c := range map[string]struct {
		jobs  []interleave.Job
		gpus  []int
		total int
		most  int
		want  string
	}{
		"room for all":        {[]interleave.Job{a2cx1, gpt2x1}, []int{1, 1}, 2, 0, "[[0] [1]]"},
		"two on one GPU":      {[]interleave.Job{a2cx1, gpt2x1}, []int{1, 1}, 1, 0, "[[0 1]]"},
		"unlike ones":         {[]interleave.Job{a2cx1, a2cx1, gpt2x1, gpt2x1}, []int{1, 1, 1, 1}, 2, 0, "[[1 2] [0 3]]"},
		"not of other size":   {[]interleave.Job{a2cx1, gpt2x1}, []int{1, 2}, 2, 0, "[[0] [1]]"},
		"in order of turns":   {[]interleave.Job{dqnx8, a2cx1, gpt2x1, bertx8}, []int{8, 1, 1, 8}, 9, 0, "[[0 3] [1 2]]"},
		"as far as needed":    {[]interleave.Job{dqnx8, a2cx1, gpt2x1, bertx8}, []int{8, 1, 1, 8}, 10, 0, "[[0 3] [1] [2]]"},
		"four in two rounds":  {[]interleave.Job{a2cx1, a2cx1, gpt2x1, gpt2x1}, []int{1, 1, 1, 1}, 1, 0, "[[1 2 0 3]]"},
		"not more than asked": {[]interleave.Job{a2cx1, a2cx1, gpt2x1, gpt2x1}, []int{1, 1, 1, 1}, 1, 2, "[[1 2] [0 3]]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := interleave.Grouping{Jobs: c.jobs, GPUs: c.gpus, TotalGPUs: c.total, MaxPerPack: c.most, Times: new(interleave.Times)}
			if got := fmt.Sprint(g.Group(alone(len(c.jobs)))); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestGroupLaws: every job is in one pack, of its size, not with one it may not share with, and
// merging stops as soon as all fit.
func TestGroupLaws(t *testing.T) {
	kinds := []interleave.Job{vgg16x8, dqnx8, bertx8, resnet18x4, shufflenetx4, bertx4, a2cx1, gpt2x1}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "jobs")
		g := interleave.Grouping{TotalGPUs: rapid.IntRange(1, 100).Draw(t, "GPUs"), MaxPerPack: rapid.IntRange(0, 4).Draw(t, "most"), Times: new(interleave.Times)}
		demand := 0
		for range n {
			g.Jobs = append(g.Jobs, rapid.SampledFrom(kinds).Draw(t, "job"))
			g.GPUs = append(g.GPUs, rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "size"))
			demand += g.GPUs[len(g.GPUs)-1]
		}
		g.MayShare = func(a, b []int) bool { return (a[0]+b[0])%3 != 0 }
		seen := make([]bool, n)
		packs, want := g.Group(alone(n)), 0
		for _, p := range packs {
			want += g.GPUs[p[0]]
			for _, j := range p {
				if seen[j] || g.GPUs[j] != g.GPUs[p[0]] || len(p) > g.MaxPerPack {
					t.Fatalf("%v", packs)
				}
				seen[j] = true
			}
			if len(p) == 2 && (p[0]+p[1])%3 == 0 {
				t.Fatalf("%v may not share", p)
			}
		}
		for j := range seen {
			if !seen[j] {
				t.Fatalf("job %d is in no pack", j)
			}
		}
		if demand <= g.TotalGPUs && len(packs) != n {
			t.Fatalf("%d GPUs are enough for %d, and jobs share: %v", g.TotalGPUs, demand, packs)
		}
		if want < g.TotalGPUs-8+1 && len(packs) < n {
			t.Fatalf("%d GPUs are left over, and jobs share: %v", g.TotalGPUs-want, packs)
		}
	})
}

// TestTimes: what is remembered is what is worked out.
func TestTimes(t *testing.T) {
	times := new(interleave.Times)
	for _, jobs := range [][]interleave.Job{{vgg16x8, dqnx8}, {dqnx8, vgg16x8}, {dqnx8}, {vgg16x8, dqnx8, bertx8}, {vgg16x8, dqnx8}} {
		if got, want := times.StepSeconds(jobs), interleave.StepSeconds(jobs); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
