// Package evaluation measures the policies and the simulator and writes what came
// of it as the page docs/evaluation.md.
package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"fairbridge/bridge/datafile"
	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
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

// writeSpeedComparison compares wall times with those of the published simulator.
func writeSpeedComparison(ctx context.Context, page *bytes.Buffer, o Options) error {
	sizes := published.WallTimeSizes[:]
	if o.IsQuick {
		sizes = sizes[:1]
	}
	fmt.Fprint(page, "\n## Speed\n\nWall time of one simulation, the least of three: ours on a drawn workload of the size,\nand in brackets that of the published simulator on its own trace of the size, where it\nwas measured (two cores, Python, open solvers), with the ratio.\n\n")
	cells := []string{"Policy"}
	for _, s := range sizes {
		cells = append(cells, fmt.Sprintf("%d jobs, %d GPUs", s.JobCount, s.ClusterGPUs))
	}
	writeHeader(page, cells...)
	for _, wall := range published.PolicyWallTimes {
		cells, err := newSpeedRow(ctx, wall, sizes, o)
		if err != nil {
			return err
		}
		writeRow(page, cells...)
	}
	return nil
}

// newSpeedRow is the row of one policy.
func newSpeedRow(ctx context.Context, wall published.WallTimes, sizes []published.WorkloadSize, o Options) ([]string, error) {
	policies, err := policyset.ParsePolicies(wall.OurPolicy, true)
	if err != nil {
		return nil, err
	}
	cells := []string{wall.OurPolicy}
	for k, size := range sizes {
		o.reportProgressf("speed: %s, %d jobs", wall.OurPolicy, size.JobCount)
		scenarios, err := generateScenarios("shockwave", generate.WorkloadOptions{JobCount: size.JobCount}, 1, fmt.Sprint(size.ClusterGPUs))
		if err != nil {
			return nil, err
		}
		s, err := runFastest(ctx, scenarios[0], policies[0], 2)
		if err != nil {
			return nil, err
		}
		cell := formatDuration(s.WallSeconds)
		if theirs := wall.SecondsBySize[k]; theirs > 0 {
			cell += fmt.Sprintf(" (%s, %.0f ×)", formatDuration(theirs), theirs/s.WallSeconds)
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// writeGrowthWithJobs shows what more jobs cost.
func writeGrowthWithJobs(ctx context.Context, page *bytes.Buffer, o Options) error {
	sizes := []int{1_000, 10_000, 100_000}
	if o.IsQuick {
		sizes = []int{200, 2_000}
	}
	fmt.Fprint(page, "\n## Growth\n\nPhilly-like jobs (`--generate philly`) on 24 servers of 8 GPUs, decided upon at most once a\nminute. Memory is what the process has taken from the system by then; the rows were\nmeasured in this order.\n\n")
	writeHeader(page, "Policy", "Jobs", "Wall time", "A job", "Against the row above", "Memory")
	for _, name := range []string{"fifo", "tiresias"} {
		policies, err := policyset.ParsePolicies(name, true)
		if err != nil {
			return err
		}
		before := 0.0
		for _, n := range sizes {
			o.reportProgressf("growth: %s, %d jobs", name, n)
			scenarios, err := generateScenarios("philly", generate.WorkloadOptions{JobCount: n}, 1, "24x8")
			if err != nil {
				return err
			}
			s, err := runFastest(ctx, scenarios[0], policies[0], 0)
			if err != nil {
				return err
			}
			more := "–"
			if before > 0 {
				more = fmt.Sprintf("%.1f ×", s.WallSeconds/before)
			}
			before = s.WallSeconds
			writeRow(page, name, fmt.Sprint(n), formatDuration(s.WallSeconds), fmt.Sprintf("%.0f µs", 1e6*s.WallSeconds/float64(n)), more, describeMemory())
		}
	}
	return nil
}

func describeMemory() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%d MB", m.Sys>>20)
}

// writeFreshWorkloads compares all policies on fresh workloads like the published ones.
func writeFreshWorkloads(ctx context.Context, page *bytes.Buffer, o Options) error {
	seeds, sizes := 5, published.WallTimeSizes[:3]
	if o.IsQuick {
		seeds, sizes = 2, []published.WorkloadSize{{JobCount: 30, ClusterGPUs: 8}}
	}
	fmt.Fprintf(page, "\n## On fresh workloads of the same family\n\n")
	fmt.Fprintf(page, "Jobs drawn as the published traces were made (models, sizes, batch-size modes, run\ntimes, arrivals), with speeds of our own: `fairbridge-lab compare --generate shockwave`. Medians\nof %s (least–greatest).\n", seedCountText(seeds))
	policies, err := allPolicies()
	if err != nil {
		return err
	}
	metrics := metricsByHead("MAKESPAN", "AVG JCT", "WORST ρ", "UNFAIR", "UTIL", "RESTARTS")
	for _, size := range sizes {
		scenarios, err := generateScenarios("shockwave", generate.WorkloadOptions{JobCount: size.JobCount}, seeds, fmt.Sprint(size.ClusterGPUs))
		if err != nil {
			return err
		}
		o.reportProgressf("%d drawn jobs on %d GPUs", size.JobCount, size.ClusterGPUs)
		list, err := runPolicies(ctx, policies, scenarios, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(page, "\n### %d drawn jobs on %d GPUs\n\n", size.JobCount, size.ClusterGPUs)
		writeHeader(page, metricTitles(metrics)...)
		for _, r := range list {
			writeRow(page, append([]string{r.Label}, study.TableRow{Result: &r}.Cells(metrics)...)...)
		}
	}
	return nil
}

func seedCountText(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}

// sitePolicies are the policies whose price is measured: what sites run, and one of each
// kind.
const sitePolicies = "multifactor,fifo,drf,tiresias,astraea,gandiva-fair,themis,gavel,shockwave,fairbridge"

// writeFidelityComparison compares both fidelities.
func writeFidelityComparison(ctx context.Context, page *bytes.Buffer, o Options) error {
	seeds, spec, list := 3, "4x4", sitePolicies
	if o.IsQuick {
		seeds, spec, list = 1, "1x4", "fifo,drf"
	}
	fmt.Fprintf(page, "\n## The price of going through Slurm\n\nThe same jobs with the same parameters, those of the daemon: plans carried out at once\nand exactly, and through the daemon's loop, its gate and a simulated Slurm (requeue delay,\nbackfill, leases). A day of plain batch jobs, which report nothing, that keeps the cluster\n%s busy (`--generate day --load 0.9`, about 280 jobs); medians of %s (least–greatest).\n\n", spec, seedCountText(seeds))
	policies, err := policyset.ParsePolicies(list, false)
	if err != nil {
		return err
	}
	scenarios, err := generateScenarios("day", generate.WorkloadOptions{OfferedLoad: 0.9}, seeds, spec)
	if err != nil {
		return err
	}
	metrics := metricsByHead("AVG JCT", "P99", "UTIL", "RESTARTS")
	cells := metricTitles(metrics)
	writeHeader(page, append([]string{cells[0], "Fidelity"}, cells[1:]...)...)
	for _, p := range policies {
		o.reportProgressf("price: %s", p.Label)
		for _, fidelity := range []string{"exact", "slurm"} {
			list, err := runPolicies(ctx, []policyset.PolicyChoice{p}, scenarios, fidelity == "slurm")
			if err != nil {
				return err
			}
			writeRow(page, append([]string{p.Label, fidelity}, study.TableRow{Result: &list[0]}.Cells(metrics)...)...)
		}
	}
	return nil
}
