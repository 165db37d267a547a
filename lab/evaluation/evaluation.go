// Package evaluation measures the policies and the simulator and writes what came
// of it as the page docs/evaluation.md.
package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"fairbridge/bridge/datafile"
)

// Options say what is evaluated.
type Options struct {
	TracesFolder string // folder with the Shockwave artifact's traces and throughput tables; "": they are left out
	IsQuick      bool   // small sizes, to try the evaluation itself
	// ReportProgress is told what is being measured.
	ReportProgress func(what string)
}

func (o *Options) reportProgressf(format string, a ...any) {
	o.ReportProgress(fmt.Sprintf(format, a...))
}

// WriteEvaluation measures everything but the tables against Slurm alone and the price of the loop
// taken apart and the like, which stay as they are on the page (see WriteSlurmTable, WriteLoopPrice and WriteSizes), then writes the page to the file: whole or not at all.
func WriteEvaluation(ctx context.Context, path string, o Options) error {
	page := &bytes.Buffer{}
	fmt.Fprintf(page, pageHead, describeMachine())
	if old, err := os.ReadFile(path); err == nil {
		for _, title := range keptSections() {
			if begin, end := findSection(string(old), title); end > 0 {
				fmt.Fprintf(page, "\n%s\n", bytes.TrimRight(old[begin:end], "\n"))
			}
		}
	}
	if err := writeWrittenSections(page); err != nil {
		return err
	}
	for _, section := range []func(context.Context, *bytes.Buffer, Options) error{writePublishedTraces, writeFreshWorkloads, writeSpeedComparison, writeGrowthWithJobs, writeFidelityComparison} {
		if err := section(ctx, page, o); err != nil {
			return err
		}
	}
	f, err := datafile.CreateFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	return f.Write(func(w io.Writer) error {
		_, err := page.WriteTo(w)
		return err
	})
}

// keptSections are the headings of what WriteEvaluation leaves.
func keptSections() []string {
	return []string{daysTitle, sizesTitle, loopPriceTitle, startEstimatesTitle}
}
