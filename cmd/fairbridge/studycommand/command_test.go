package studycommand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// fakeSource answers what studies there are.
type fakeSource struct {
	source.Source
	studies api.Studies
	err     error
}

func (f *fakeSource) Studies(context.Context) (*api.Studies, error) { return &f.studies, f.err }
func (f *fakeSource) Close()                                        {}

// run runs the command line and returns what it printed, with one blank between words.
func (f *fakeSource) run(t *testing.T, line ...string) (out string, err error) {
	t.Helper()
	o := &cli.Options{}
	root := &cobra.Command{Use: "fairbridge", SilenceUsage: true, SilenceErrors: true}
	o.AddFlagsTo(root)
	root.AddCommand(newCommand(o, func(context.Context, *cli.Options) (source.Source, error) { return f, nil }))
	var b bytes.Buffer
	root.SetOut(printable.NewWriter(&b))
	root.SetErr(printable.NewWriter(&b))
	root.SetArgs(append([]string{"study"}, line...))
	err = root.ExecuteContext(t.Context())
	return strings.Join(strings.Fields(b.String()), " "), err
}

// site has an old study of a partition, and none of another.
func site() *fakeSource {
	made := time.Date(2026, 6, 8, 12, 0, 0, 0, time.Local)
	return &fakeSource{studies: api.Studies{Partitions: []api.PartitionStudy{
		{Partition: "gpu", Age: 40 * 86400, Stale: true, Command: "fairbridge replay -p gpu --store", Study: &api.Study{
			ID: 1, Partition: "gpu", Made: made, By: "root", Since: made.AddDate(0, 0, -7), Until: made, Fidelity: "exact", Seeds: 3, About: "115 jobs on 32 GPUs.", Accuracy: "It is off by 2 %.", Remarks: []string{"still running: 1 job"},
			Lines: []api.StudyLine{{Policy: "slurm", JobCount: 115, MeanWait: 3600, MeanJCT: 7200, WorstRho: 1.5, UnfairPart: .25, Utilization: .7, RestartCount: 4, LostGPUHours: 1.25}, {Policy: "pollux", Error: "it has no profile"}},
		}},
		{Partition: "big", Command: "fairbridge replay -p big --store"},
	}}}
}

// TestStudy says all that is known of a study, and how one is made where there is none.
func TestStudy(t *testing.T) {
	out, err := site().run(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Partition gpu: made 2026-06-08 12:00 by root, 40d", "ago; that is old:", "Of the jobs from 2026-06-01 12:00 to 2026-06-08 12:00; plans carried out exactly, 3 seeds.", "115 jobs on 32 GPUs.",
		"It is off by 2 %. Differences between policies that are smaller than that mean nothing.", "note: still running: 1 job", "slurm 115 1h 2h 0s 0s 1.50 25 % 70 % 4 1.2", "pollux failed: it has no profile", "Anew: fairbridge replay -p gpu --store",
		"Partition big: none is stored. An administrator has one made by fairbridge replay -p big --store"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// TestPartitions: one can be named, by its exact name; where none has a study that is said by the exit status.
func TestPartitions(t *testing.T) {
	if out, err := site().run(t, "-p", "big"); !errors.Is(err, cli.ErrFinding) || strings.Contains(out, "slurm 115") {
		t.Errorf("of a partition without one: %v\n%s", err, out)
	}
	if _, err := site().run(t, "-p", "GPU"); !cli.IsUsageError(err) {
		t.Errorf("of no partition: %v", err)
	}
	out, err := site().run(t, "-p", "gpu", "--json")
	var got api.Studies
	if e := json.Unmarshal([]byte(out), &got); err != nil || e != nil || len(got.Partitions) != 1 || len(got.Partitions[0].Study.Lines) != 2 {
		t.Errorf("as JSON: %v %v\n%s", err, e, out)
	}
	f := site()
	f.err = &api.Error{Code: api.CodeForbidden, Message: "usage is private here"}
	if out, err := f.run(t); err == nil || strings.Contains(out, "slurm") {
		t.Errorf("what is private: %v\n%s", err, out)
	}
}
