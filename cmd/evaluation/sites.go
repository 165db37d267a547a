package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"fairbridge/bridge/study/datafile"
	"fairbridge/bridge/study/sites"
)

// siteOptions are the flags about windows of the logs of real sites.
type siteOptions struct {
	logFolder   string
	windowsPath string
	chosen      []sites.Site // of which windows are chosen; nil: none are
}

func (o *siteOptions) addFlags() {
	flag.StringVar(&o.logFolder, "logs", "", "folder with the logs of sites that -windows names")
	flag.StringVar(&o.windowsPath, "windows", "docs/site-windows.tsv", "list of windows of these logs")
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
func (o *siteOptions) chooseWindows(context.Context) error {
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
	return datafile.SaveFile(o.windowsPath, false, func(w io.Writer) error { return sites.WriteWindows(w, all) })
}
