// Command evaluation measures the policies and the simulator and writes what
// came of it to docs/evaluation.md.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// options are the flags.
type options struct {
	out    string
	traces string // folder with the Shockwave artifact's traces; "": they are left out
	quick  bool   // small sizes, to try the command itself
}

func main() {
	var o options
	flag.StringVar(&o.out, "o", "docs/evaluation.md", "file to write")
	flag.StringVar(&o.traces, "traces", "", "folder with the Shockwave artifact's traces and throughput tables; without it these tables are left out")
	flag.BoolVar(&o.quick, "quick", false, "small sizes only, to try the command")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "evaluation:", err)
		os.Exit(1)
	}
}

// run measures everything, then writes the page: whole or not at all.
func run(ctx context.Context, o options) error {
	page := &bytes.Buffer{}
	fmt.Fprintf(page, head, machine())
	for _, section := range []func(context.Context, *bytes.Buffer, options) error{artifact, family, speed, growth, price} {
		if err := section(ctx, page, o); err != nil {
			return err
		}
	}
	temp := o.out + ".new"
	if err := os.WriteFile(temp, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if err := os.Rename(temp, o.out); err != nil {
		os.Remove(temp)
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// progress tells the terminal what is being measured.
func progress(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }
