package serve

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/nodeprobe"
)

// Collector turns the sampler's sample into metrics. An unknown reading has no
// metric, and while there is no fresh sample only nodeprobe_up and its like
// are served: a stale number would look like a fresh one.
type Collector struct {
	sampler          *Sampler
	countChildStarts func() int
	countReports     func() uint64
}

// NewCollector returns a collector; starts counts the readers of the driver
// that were started, taken the reports of jobs that were taken.
func NewCollector(k *Sampler, starts func() int, taken func() uint64) *Collector {
	return &Collector{k, starts, taken}
}

// Describe tells nothing in advance: what there is depends on the GPUs.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

var (
	upDesc              = newDesc("nodeprobe_up", "1 when the GPUs were read at the last try.")
	sampleAgeDesc       = newDesc("nodeprobe_sample_age_seconds", "Age of the last good sample.")
	samplesTotalDesc    = newDesc("nodeprobe_samples_total", "Samples tried.")
	sampleFailuresDesc  = newDesc("nodeprobe_sample_failures_total", "Samples that could not be taken.")
	readerStartsDesc    = newDesc("nodeprobe_reader_starts_total", "Processes started to read the driver.")
	progressReportsDesc = newDesc("nodeprobe_progress_reports_total", "Reports of jobs' progress taken.")
	driverInfoDesc      = newDesc("nodeprobe_driver_info", "The driver.", "version", "cuda")
	missingFunctionDesc = newDesc("nodeprobe_driver_missing", "1 for each NVML function the driver lacks.", "function")
	gpuInfoDesc         = newDesc("nodeprobe_gpu_info", "What a GPU is.", "gpu", "uuid", "model", "bus", "mig")
	gpuSickDesc         = newDesc("nodeprobe_gpu_sick", "1 when nothing should be placed on the GPU.", gpuLabels("reason")...)
	gpuXidDesc          = newDesc("nodeprobe_gpu_xid", "The worst Xid since the probe started, 0 for none.", gpuLabels()...)
	gpuProcessesDesc    = newDesc("nodeprobe_gpu_processes", "Processes on the GPU.", gpuLabels()...)
	gpuThrottledDesc    = newDesc("nodeprobe_gpu_throttled", "1 for each reason why clocks are held down.", gpuLabels("reason")...)
	sliceMemUsedDesc    = newDesc("nodeprobe_slice_memory_used_bytes", "Memory in use of a MIG slice.", "gpu", "slice", "profile")
	sliceMemTotalDesc   = newDesc("nodeprobe_slice_memory_total_bytes", "Memory of a MIG slice.", "gpu", "slice", "profile")
	jobMemoryDesc       = newDesc("nodeprobe_job_gpu_memory_used_bytes", "GPU memory of a job's processes.", "job", "sluid", "gpu", "uuid")
)

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// gpuLabels are those of every metric of a GPU: job is empty when there is none
// and "shared" when there are several.
func gpuLabels(more ...string) []string { return append([]string{"gpu", "uuid", "job"}, more...) }

// Collect sends the metrics.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	s := c.sampler.Sample()
	tries, failed := c.sampler.CountAttempts()
	ch <- newGauge(upDesc, floatOfBool(s.Error == ""))
	ch <- newCounter(samplesTotalDesc, float64(tries))
	ch <- newCounter(sampleFailuresDesc, float64(failed))
	ch <- newCounter(readerStartsDesc, float64(c.countChildStarts()))
	ch <- newCounter(progressReportsDesc, float64(c.countReports()))
	if !s.At.IsZero() {
		ch <- newGauge(sampleAgeDesc, s.AgeSeconds)
	}
	if s.Error != "" {
		return
	}
	ch <- newGauge(driverInfoDesc, 1, s.Driver.Version, s.Driver.CUDA)
	for _, f := range s.Driver.MissingFunctions {
		ch <- newGauge(missingFunctionDesc, 1, f)
	}
	for i := range s.GPUs {
		collectGPU(ch, &s.GPUs[i])
	}
}

func collectGPU(ch chan<- prometheus.Metric, g *nodeprobe.GPU) {
	at := []string{strconv.Itoa(g.Index), g.UUID, soleJobLabel(g)}
	ch <- newGauge(gpuInfoDesc, 1, at[0], g.UUID, g.Model, g.PCIBusID, strconv.FormatBool(g.IsMIG))
	ch <- newGauge(gpuSickDesc, floatOfBool(g.SickReason != ""), joinLabels(at, g.SickReason)...)
	for i := range gpuMetrics {
		m := &gpuMetrics[i]
		if v := m.ValueOf(g); v.Known {
			ch <- prometheus.MustNewConstMetric(m.desc, m.kind, v.Value*m.Scale, joinLabels(at, m.extraLabels...)...)
		}
	}
	if g.Errors.XidWatched || g.Errors.Xid != nil {
		ch <- newGauge(gpuXidDesc, xidCodeOrZero(g.Errors.Xid), at...)
	}
	if g.Throttle != nil {
		for _, why := range g.Throttle.Reasons {
			ch <- newGauge(gpuThrottledDesc, 1, joinLabels(at, why)...)
		}
	}
	for _, p := range g.Slices {
		at := []string{at[0], p.UUID, p.Profile}
		sendMiBAsBytes(ch, sliceMemUsedDesc, p.MemUsedMB, at)
		sendMiBAsBytes(ch, sliceMemTotalDesc, p.MemTotalMB, at)
	}
	if g.ProcessesKnown {
		ch <- newGauge(gpuProcessesDesc, float64(len(g.Processes)), at...)
		collectJobMemory(ch, g)
	}
}

// sendMiBAsBytes sends mebibytes as bytes when they are known.
func sendMiBAsBytes(ch chan<- prometheus.Metric, d *prometheus.Desc, m nodeprobe.OptionalValue, labels []string) {
	if m.Known {
		ch <- newGauge(d, m.Value*(1<<20), labels...)
	}
}

func collectJobMemory(ch chan<- prometheus.Metric, g *nodeprobe.GPU) {
	for _, j := range nodeprobe.JobsOnGPUs([]nodeprobe.GPU{*g}) {
		sendMiBAsBytes(ch, jobMemoryDesc, j.MemMB, []string{formatJobID(j.Job), j.SLUID, strconv.Itoa(g.Index), g.UUID})
	}
}

func soleJobLabel(g *nodeprobe.GPU) string {
	switch on := nodeprobe.ProcessJobsOn(g); {
	case len(on) == 0:
		return ""
	case len(on) > 1:
		return "shared"
	case on[0].Job != 0:
		return strconv.FormatInt(on[0].Job, 10)
	default:
		return on[0].SLUID
	}
}

// formatJobID is empty for a job of which only the SLUID is known.
func formatJobID(job int64) string {
	if job == 0 {
		return ""
	}
	return strconv.FormatInt(job, 10)
}

func xidCodeOrZero(x *nodeprobe.Xid) float64 {
	if x == nil {
		return 0
	}
	return float64(x.Code)
}

func joinLabels(at []string, more ...string) []string { return append(at[:len(at):len(at)], more...) }

func floatOfBool(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func newGauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
}

func newCounter(d *prometheus.Desc, v float64) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
}

// gpuMetric is a number of a GPU with what Prometheus knows it by.
type gpuMetric struct {
	nodeprobe.Metric
	desc        *prometheus.Desc
	kind        prometheus.ValueType
	extraLabels []string // values of the labels beyond those of every metric of a GPU
}

var gpuMetrics = newGPUMetrics(nodeprobe.Metrics)

func newGPUMetrics(list []nodeprobe.Metric) []gpuMetric {
	var out []gpuMetric
	for _, m := range list {
		d := gpuMetric{Metric: m, kind: prometheus.GaugeValue}
		if m.IsCounter() {
			d.kind = prometheus.CounterValue
		}
		var names []string
		for _, l := range m.Labels {
			names, d.extraLabels = append(names, l[0]), append(d.extraLabels, l[1])
		}
		d.desc = newDesc("nodeprobe_gpu_"+m.Name, m.Help, gpuLabels(names...)...)
		out = append(out, d)
	}
	return out
}
