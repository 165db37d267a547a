// Package evaluation measures the policies and the simulator and writes what came
// of it as the page docs/evaluation.md.
package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"fairbridge/bridge/study/datafile"
)

// Options say what is evaluated.
type Options struct {
	Traces string // folder with the Shockwave artifact's traces and throughput tables; "": they are left out
	Quick  bool   // small sizes, to try the evaluation itself
	// Progress is told what is being measured.
	Progress func(what string)
}

func (o *Options) reportProgress(format string, a ...any) { o.Progress(fmt.Sprintf(format, a...)) }

// Write measures everything, then writes the page to the file: whole or not at
// all.
func Write(ctx context.Context, path string, o Options) error {
	page := &bytes.Buffer{}
	fmt.Fprintf(page, pageHead, describeMachine())
	for _, section := range []func(context.Context, *bytes.Buffer, Options) error{writePublishedTraces, writeFreshWorkloads, writeSpeed, writeGrowth, writeFidelities} {
		if err := section(ctx, page, o); err != nil {
			return err
		}
	}
	f, err := datafile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	return f.Write(func(w io.Writer) error {
		_, err := page.WriteTo(w)
		return err
	})
}
