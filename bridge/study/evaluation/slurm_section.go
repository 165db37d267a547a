package evaluation

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/datafile"
	"fairbridge/policy"
)

//go:embed slurm_section.md
var slurmSectionHead string

// slurmSectionTitle is the heading of the section that WriteSlurmTable writes.
const slurmSectionTitle = "## Against Slurm alone\n"

// WriteSlurmTable makes the runs that are missing and writes the section of the page that
// compares all policies with Slurm alone; the rest of the page stays. When the context ends, the
// section is made of what is there, which it says, and the error is the context's.
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
	return errors.Join(saveSection(path, page, slurmSectionTitle, section), ran)
}

// readPage reads the page of which a section is written anew.
func readPage(path string) (string, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the page of which the section is a part: %w", err)
	}
	return string(page), nil
}

// saveSection saves the page with the section in the place of the old one.
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

// replaceSection puts the section in the place of the old one, or before the first.
func replaceSection(page, title, section string) string {
	begin, end := findSection(page, title)
	if end == 0 {
		if first := strings.Index(page, "\n## "); first >= 0 {
			begin, end = first+1, first+1
		} else {
			begin, end = len(page), len(page)
		}
	}
	return page[:begin] + strings.TrimRight(section, "\n") + "\n\n" + page[end:]
}

// writeSection writes all workloads.
func (t *slurmTable) writeSection() (string, error) {
	var body bytes.Buffer
	missing := 0
	for _, w := range t.workloads {
		var blocks []*study.PairedBlock
		for _, c := range w.cells() {
			b, n, err := t.collectRuns(&c)
			if err != nil {
				return "", err
			}
			missing += n
			p, err := b.PairWith(t.policies[0].Label)
			if err != nil {
				return "", err
			}
			b.DropJobs()
			blocks = append(blocks, p)
		}
		writeComparedWorkload(&body, w, blocks)
	}
	head := bytes.NewBufferString(slurmSectionHead)
	if missing > 0 {
		fmt.Fprintf(head, "\n**%s of %d are missing here**: not made yet, or failed.\n", policy.FormatCount(missing, "run"), t.countRuns())
	}
	for _, x := range [][2]string{{t.PhillyPath, "Philly"}, {t.ITPPath, "ITP"}} {
		if x[0] == "" {
			fmt.Fprintf(head, "\nWritten without the %s trace: its windows are left out.\n", x[1])
		}
	}
	return head.String() + body.String(), nil
}
