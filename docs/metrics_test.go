package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/api/server"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/cycle/figures"
	"fairbridge/bridge/reminders/counts"
)

// recorder notes what is registered.
type recorder struct{ descs []string }

func (r *recorder) Register(c prometheus.Collector) error {
	descs := make(chan *prometheus.Desc, 16)
	c.Describe(descs)
	close(descs)
	for d := range descs {
		r.descs = append(r.descs, d.String())
	}
	return nil
}

func (r *recorder) MustRegister(list ...prometheus.Collector) {
	for _, c := range list {
		_ = r.Register(c)
	}
}

func (r *recorder) Unregister(prometheus.Collector) bool { return false }

var desc = regexp.MustCompile(`fqName: "([a-z_]+)".*variableLabels: \{([a-z_,]*)\}`)

// TestMetrics wants the table of metrics, with their labels, to be what the
// loop, its measure of free GPUs, reminders and the API register, and the alerts to name no other.
func TestMetrics(t *testing.T) {
	var r recorder
	cycle.NewMetrics(&r)
	figures.NewMetrics(&r)
	server.NewMetrics(&r)
	counts.NewMetrics(&r)
	var want [][2]string
	for _, d := range r.descs {
		m := desc.FindStringSubmatch(d)
		if m == nil {
			t.Fatalf("cannot read %s", d)
		}
		want = append(want, [2]string{"`" + m[1] + "`", strings.ReplaceAll(m[2], ",", ", ")})
	}
	got := rows(t, "admin-quickstart.md", regexp.MustCompile("^`fairbridge_[a-z_]+`$"))
	byName := func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }
	slices.SortFunc(got, byName)
	slices.SortFunc(want, byName)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the table differs from cycle.NewMetrics, figures.NewMetrics, counts.NewMetrics and server.NewMetrics (-registered +page):\n%s", d)
	}
	names := regexp.MustCompile(`fairbridge_[a-z_]+`)
	for _, p := range pages(t) {
		for _, name := range names.FindAllString(strings.Join(p.blocks("yaml"), "\n"), -1) {
			if !slices.ContainsFunc(want, func(w [2]string) bool { return w[0] == "`"+name+"`" }) {
				t.Errorf("%s: there is no metric %s", p.path, name)
			}
		}
	}
}
