package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairbridge/bridge/datafile"
	"fairbridge/lab/sites"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// siteOptions are the flags about windows of the logs of real sites.
type siteOptions struct {
	logFolder   string
	windowsPath string
	chosen      []sites.Site             // of which windows are chosen; nil: none are
	policies    []policyset.PolicyChoice // that run on the windows; nil: none does
	only        string                   // the site whose windows are taken; "": all
}

func (o *siteOptions) addFlags() {
	flag.StringVar(&o.logFolder, "logs", "", "folder with the logs of sites that -windows names")
	flag.StringVar(&o.windowsPath, "windows", "docs/site-windows.tsv", "list of windows of these logs")
	flag.StringVar(&o.only, "site", "",
		"with -sites: only the windows of this site; the page is printed, and no file written")
	flag.Func("sites", "try these policies, separated by commas, on -windows of -logs beside Slurm alone", func(list string) (err error) {
		o.policies, err = policyset.ParsePolicies(list, false)
		return err
	})
	const usage = "write -windows, without running any policy: sites as NAME=FILE:PROCESSORS separated by commas, " +
		"with FILE in -logs and the processors of the machine"
	flag.Func("choose-windows", usage, func(list string) (err error) {
		o.chosen, err = parseSites(list)
		return err
	})
}

func parseSites(list string) ([]sites.Site, error) {
	var all []sites.Site
	for part := range strings.SplitSeq(list, ",") {
		name, rest, isNamed := strings.Cut(part, "=")
		file, number, isSized := strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if !isNamed || !isSized || err != nil || n <= 0 {
			return nil, fmt.Errorf("site %q: write NAME=FILE:PROCESSORS", part)
		}
		all = append(all, sites.Site{Name: name, File: file, Processors: n})
	}
	return all, nil
}

// chooseWindows writes the list of windows.
func (o *siteOptions) chooseWindows() error {
	if o.logFolder == "" {
		return errors.New("choosing windows: name the folder with the logs by -logs")
	}
	var all []sites.Window
	for _, s := range o.chosen {
		log, err := s.Load(o.logFolder)
		if err != nil {
			return fmt.Errorf("choosing windows of %s: %w", s.Name, err)
		}
		chosen := s.ChooseWindows(log)
		fmt.Fprintf(os.Stderr, "%s: %d windows of %d jobs\n", s.Name, len(chosen), len(log.Jobs))
		all = append(all, chosen...)
	}
	return datafile.SaveFile(o.windowsPath, true, func(w io.Writer) error { return sites.WriteWindows(w, all) })
}

// run writes the results of each row on the windows into the folder of their list: the page sites.md, all figures as
// site-figures.tsv and who loses as site-losers.tsv.
func (o *siteOptions) run(ctx context.Context, runs study.RunKeeper, parallel int, report func(string)) error {
	list, err := os.Open(o.windowsPath)
	if err != nil {
		return fmt.Errorf("reading the list of windows: %w", err)
	}
	defer list.Close()
	windows, err := sites.ReadWindows(list)
	if err != nil {
		return err
	}
	if o.only != "" {
		windows = slices.DeleteFunc(windows, func(w sites.Window) bool { return w.Name != o.only })
		if len(windows) == 0 {
			return fmt.Errorf("%s has no windows of site %q: name a site of its first column", o.windowsPath, o.only)
		}
	}
	all, err := sites.Run(ctx, sites.Options{
		LogFolder: o.logFolder, Windows: windows, Policies: o.policies, Runs: runs, Parallel: parallel, ReportProgress: report,
	})
	if err != nil {
		return err
	}
	rows := sites.AllRows(o.policies)
	if o.only != "" {
		return sites.WritePage(os.Stdout, all, rows)
	}
	save := func(name string, write func(io.Writer) error) error {
		return datafile.SaveFile(filepath.Join(filepath.Dir(o.windowsPath), name), true, write)
	}
	return errors.Join(
		save("site-figures.tsv", func(w io.Writer) error { return sites.WriteFigures(w, all, rows) }),
		save("site-losers.tsv", func(w io.Writer) error { return sites.WriteLosers(w, all, rows) }),
		save("sites.md", func(w io.Writer) error { return sites.WritePage(w, all, rows) }),
	)
}
