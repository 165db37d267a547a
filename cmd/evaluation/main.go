// Command evaluation writes docs/evaluation.md; see package bridge/study/evaluation.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"fairbridge/bridge/study/evaluation"
)

func main() {
	o := evaluation.Options{ReportProgress: func(what string) { fmt.Fprintln(os.Stderr, what) }}
	path := flag.String("o", "docs/evaluation.md", "file to write")
	flag.StringVar(&o.TracesFolder, "traces", "", "folder with the Shockwave artifact's traces and throughput tables; without it these tables are left out")
	flag.BoolVar(&o.IsQuick, "quick", false, "small sizes only, to try the command")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := evaluation.WriteEvaluation(ctx, *path, o); err != nil {
		fmt.Fprintln(os.Stderr, "evaluation:", err)
		os.Exit(1)
	}
}
