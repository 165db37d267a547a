package trial

import (
	"io"

	"fairbridge/accounting/chart"
	"fairbridge/bridge/datafile"
	"fairbridge/cmd/internal/cli"
	"fairbridge/replica/study"
)

// Files are the files in which results are written besides.
type Files struct{ HTMLPage, PerJob *datafile.AtomicFile }

// NewFiles makes sure that they can be written.
func NewFiles(f *Flags) (*Files, error) {
	page, err := datafile.CreateFile(f.HTMLFile)
	if err != nil {
		return nil, err
	}
	jobs, err := datafile.CreateFile(f.PerJobFile)
	if err != nil {
		page.Discard()
		return nil, err
	}
	return &Files{page, jobs}, nil
}

// Discard leaves them unwritten, unless they are written.
func (f *Files) Discard() {
	f.HTMLPage.Discard()
	f.PerJob.Discard()
}

// Write writes them; more sentences come below the title of the page.
func (f *Files) Write(e *study.Experiment, results []study.Result, more ...string) error {
	if err := f.HTMLPage.Write(func(w io.Writer) error {
		page := e.NewComparisonPage(results, DescribeExperiment(e))
		page.About, page.Footer = append(append(page.About, e.DescribeInformation(), e.DescribeNoise()), more...), cli.MadeByText()
		return chart.WriteComparisonPage(w, page)
	}); err != nil {
		return err
	}
	return f.PerJob.Write(func(w io.Writer) error { return study.WriteJobOutcomes(w, results) })
}
