package simulation

import (
	"errors"
	"io"
	"strings"

	"fairbridge/accounting/chart"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/trial"
	"fairbridge/replica/study"
)

// comparisonReport tells of the blocks of a sweep as they end.
type comparisonReport struct {
	blocks    []*study.Block
	baseline  string // that policies are compared with; "": none
	files     *trial.Files
	out       io.Writer
	json      bool
	keepsJobs bool // what became of each job is wanted when all is done
	told      []*study.Block
	paired    []*study.PairedBlock
	failed    error
}

// addBlock prints what came of a block.
func (r *comparisonReport) addBlock(b *study.Block) error {
	r.told = append(r.told, b)
	if text := b.Setting.String(); text != "" && !r.json {
		printable.Fprintf(r.out, "%s%s.\n", strings.ToUpper(text[:1]), text[1:])
	}
	if r.baseline == "" {
		r.failed = errors.Join(r.failed, trial.PrintComparison(r.out, b.Experiment, b.Results, r.json))
		return nil
	}
	p, err := b.PairWith(r.baseline)
	if err != nil {
		return err
	}
	r.paired = append(r.paired, p)
	if r.json {
		err = writeRatioLines(r.out, p)
	} else {
		printRatios(r.out, p)
	}
	r.failed = errors.Join(r.failed, study.CheckFailures(b.Results))
	if !r.keepsJobs {
		b.DropJobs()
	}
	return err
}

// finish explains the tables, writes the files, and says what failed.
func (r *comparisonReport) finish() error {
	if len(r.paired) > 0 && !r.json {
		printable.Fprintlines(r.out, ratiosLegend(r.paired[0].Baseline.PolicyLabel))
	}
	return errors.Join(writeBlocks(r.files, r.told, r.paired), r.failed)
}

// writeBlocks writes them of a sweep: beside a baseline the page shows ratios.
func writeBlocks(f *trial.Files, blocks []*study.Block, paired []*study.PairedBlock) error {
	if len(paired) == 0 && len(blocks) == 1 {
		return f.Write(blocks[0].Experiment, blocks[0].Results)
	}
	if len(paired) > 0 {
		if err := f.HTMLPage.Write(func(w io.Writer) error {
			page := study.NewRatioPage(paired, trial.DescribeExperiment(paired[0].Experiment), paired[0].DescribeInformation(), paired[0].DescribeNoise())
			page.Footer = cli.MadeByText()
			return chart.WriteReportPage(w, page)
		}); err != nil {
			return err
		}
	}
	return f.PerJob.Write(func(w io.Writer) error { return study.WriteBlockOutcomes(w, blocks) })
}
