package evaluation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"fairbridge/bridge/datafile"
	"fairbridge/policy"
)

// WriteSlurmTable makes the runs that are missing and writes the section of the page that compares policies with Slurm
// alone; the rest of the page stays. When the context ends, the section is made of what is there, which it says, and the
// error is the context's.
func WriteSlurmTable(ctx context.Context, path string, o SlurmTableOptions) error {
	page, err := readPage(path)
	if err != nil {
		return err
	}
	t, err := newSlurmTable(o)
	if err != nil {
		return err
	}
	var ran error
	if !o.MakesNone {
		if ran = t.makeRuns(ctx); ran != nil && !errors.Is(ran, ctx.Err()) {
			return ran
		}
	}
	section, err := t.writeSection()
	if err != nil {
		return err
	}
	return errors.Join(saveSection(path, page, daysTitle, section), ran)
}

// readPage reads the page of which a section is written anew.
func readPage(path string) (string, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the page of which the section is a part: %w", err)
	}
	return string(page), nil
}

// saveSection saves the page with the section in the place of the old one, or, where there was none,
// before the first.
func saveSection(path, page, title, section string) error {
	whole := replaceSection(page, title, section)
	return datafile.SaveFile(path, true, func(w io.Writer) error { _, err := io.WriteString(w, whole); return err })
}

// findSection returns where the section with the heading stands in a page; both 0: nowhere.
func findSection(page, title string) (begin, end int) {
	begin = strings.Index(page, title)
	if begin < 0 {
		return 0, 0
	}
	if next := strings.Index(page[begin+1:], "\n## "); next >= 0 {
		return begin, begin + 1 + next + 1
	}
	return begin, len(page)
}

// replaceSection puts the section in the place of the old one; where there was none, before the
// first of the page.
func replaceSection(page, title, section string) string {
	begin, end := findSection(page, title)
	if end == 0 {
		begin, end = len(page), len(page)
		if first := strings.Index(page, "\n## "); first >= 0 {
			begin, end = first+1, first+1
		}
	}
	return page[:begin] + strings.TrimRight(section, "\n") + "\n\n" + page[end:]
}

// writeSection writes all workloads.
func (t *slurmTable) writeSection() (string, error) {
	writer := &comparisonWriter{}
	missing := 0
	for _, w := range t.workloads {
		for _, c := range w.cells() {
			b, n, err := t.collectRuns(&c)
			if err != nil {
				return "", err
			}
			missing += n
			p, err := b.PairWith(w.choices[0].Label)
			if err != nil {
				return "", err
			}
			writer.add(w, p)
			b.DropJobs()
		}
	}
	page := bytes.NewBufferString(daysHead)
	if missing > 0 {
		fmt.Fprintf(page, "\n**%s of %d are missing here**: not made yet, or failed.\n", policy.FormatCount(missing, "run"), t.countRuns())
	}
	writer.write(page)
	return page.String(), nil
}
