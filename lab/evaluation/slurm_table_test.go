package evaluation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/lab/keptruns"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/scripts/verify/part"
)

// quickTable writes the section in small into a page of two others, with runs in the folder, and
// returns the page and how many runs were made for it.
func quickTable(t *testing.T, ctx context.Context, folder string, change func(*SlurmTableOptions)) (string, int, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("# Page\n\nHead.\n\n## One\n\nFirst.\n\n## Two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs, err := keptruns.Open(folder, "test", false)
	if err != nil {
		t.Fatal(err)
	}
	counted := &countingKeeper{RunKeeper: runs}
	o := SlurmTableOptions{Runs: counted, Parallel: 2, IsQuick: true, ReportProgress: func(string) {}}
	if change != nil {
		change(&o)
	}
	err = WriteSlurmTable(ctx, path, o)
	text, readErr := os.ReadFile(path)
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(text), int(counted.count.Load()), err
}

// TestSlurmTableGoesOn: what was made once is not made again, what is missing is said and made,
// and the page is the same in the end.
func TestSlurmTableGoesOn(t *testing.T) {
	part.Long(t, testing.Short())
	folder := t.TempDir()
	none, made, err := quickTable(t, t.Context(), folder, func(o *SlurmTableOptions) { o.MakesNone = true })
	if err != nil || made != 0 || !strings.Contains(none, "**20 runs of 20 are missing here**") {
		t.Errorf("of nothing %d runs are made (%v):\n%s", made, err, none)
	}
	if half, _, err := quickTable(t, t.Context(), folder, func(o *SlurmTableOptions) { o.MakesNone, o.SeedCount = true, 1 }); err != nil || !strings.Contains(half, "**10 runs of 10 are missing here**") {
		t.Errorf("of one seed of two (%v):\n%s", err, half)
	}
	first, made, err := quickTable(t, t.Context(), folder, nil)
	if err != nil || made != 20 || strings.Contains(first, "missing here") {
		t.Fatalf("%d runs are made, want 20 (%v)", made, err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, f := range files[:3] {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	part, made, err := quickTable(t, t.Context(), folder, func(o *SlurmTableOptions) { o.MakesNone = true })
	if err != nil || made != 0 || !strings.Contains(part, "**3 runs of 20 are missing here**") {
		t.Errorf("of a part %d runs are made (%v)", made, err)
	}
	second, made, err := quickTable(t, t.Context(), folder, nil)
	if err != nil || made != 3 || second != first {
		t.Errorf("%d runs are made, want 3, and the page is the same: %t (%v)", made, second == first, err)
	}
	if !strings.HasPrefix(first, "# Page\n\nHead.\n\n"+daysTitle+"") || !strings.HasSuffix(first, "\n\n## One\n\nFirst.\n\n## Two\n") {
		t.Errorf("the rest of the page is not as it was:\n%s", first)
	}
	for _, row := range []string{"\n| fairbridge | ", "\n| slurm again | ", "\n| *slurm* | *2* | ", "\n| fifo | "} {
		if !strings.Contains(first, row) {
			t.Errorf("no row %q", row)
		}
	}
}

// TestInterruptedSlurmTable: when the context ends, the page is made of what is there.
func TestInterruptedSlurmTable(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	page, made, err := quickTable(t, ctx, t.TempDir(), func(o *SlurmTableOptions) {
		o.Parallel, o.Runs = 1, &interruptingKeeper{o.Runs.(*countingKeeper), 7, interrupt}
	})
	if !errors.Is(err, context.Canceled) || made != 7 || !strings.Contains(page, "**13 runs of 20 are missing here**") {
		t.Errorf("%d runs are made (%v):\n%s", made, err, page)
	}
}

// interruptingKeeper calls after once so many runs are kept.
type interruptingKeeper struct {
	*countingKeeper
	left  int
	after func()
}

func (k *interruptingKeeper) KeepRun(key string, run *measure.Run) error {
	err := k.countingKeeper.KeepRun(key, run)
	if k.left--; k.left == 0 {
		k.after()
	}
	return err
}

// TestSectionIsReplaced puts the section before the first one, then in its own place.
func TestSectionIsReplaced(t *testing.T) {
	page := "# P\n\nx\n\n## A\n\na\n"
	one := replaceSection(page, daysTitle, daysTitle+"\nold\n")
	two := replaceSection(one, daysTitle, daysTitle+"\nnew\n\n### Sub\n\nb\n")
	if want := "# P\n\nx\n\n" + daysTitle + "\nold\n\n## A\n\na\n"; one != want {
		t.Errorf("put in:\n%s", one)
	}
	if want := "# P\n\nx\n\n" + daysTitle + "\nnew\n\n### Sub\n\nb\n\n## A\n\na\n"; two != want {
		t.Errorf("replaced:\n%s", two)
	}
	if got := replaceSection(two, daysTitle, daysTitle+"\nold\n"); got != one {
		t.Errorf("and back:\n%s", got)
	}
}

// TestDrawnSpreads: 1 is in the middle, and what is beyond the ends shows there.
func TestDrawnSpreads(t *testing.T) {
	middle := strings.Repeat(" ", 30)
	for want, s := range map[string]paired.Spread{
		middle + "│": {},
		middle + "●": {Median: 1, Least: 1, Greatest: 1, SeedCount: 3},
		strings.Repeat(" ", 15) + "●" + strings.Repeat("─", 14) + "│":                {Median: 0.5, Least: 0.5, Greatest: 0.99, SeedCount: 3},
		middle + "│" + strings.Repeat("─", 14) + "●" + strings.Repeat("─", 14) + ">": {Median: 2, Least: 1.01, Greatest: 90, SeedCount: 3},
	} {
		if got := drawSpread(s); got != want {
			t.Errorf("%+v is drawn\n%q, want\n%q", s, got, want)
		}
	}
}
