package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"fairbridge/nodeprobe"
	"fairbridge/scripts/executable"
)

// elasticSite is a folder with the elastic example, and a fairbridge that answers --ask and writes
// down what is reported.
type elasticSite struct {
	*testing.T
	dir string
}

func newElasticSite(t *testing.T) elasticSite {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not there: the example is in Python")
	}
	s := elasticSite{t, t.TempDir()}
	for _, name := range []string{"elastic.sbatch", "elastic.py"} {
		text, err := os.ReadFile(filepath.Join("examples", name))
		if err != nil {
			t.Fatal(err)
		}
		s.write(name, string(text))
	}
	s.write("fairbridge", "#!/bin/sh\ncase $2 in --ask) cat \"$(dirname \"$0\")/size\" ;; *) echo \"$@\" >>\"$(dirname \"$0\")/reports\" ;; esac\n")
	return s
}

func (s elasticSite) write(name, text string) {
	s.Helper()
	if err := executable.Write(filepath.Join(s.dir, name), []byte(text)); err != nil {
		s.Fatal(err)
	}
}

// run starts the example with so many GPUs and a recommended batch ("": none).
func (s elasticSite) run(gpus int, batch, gpuBatch, accumulation string, env ...string) script {
	s.Helper()
	s.write("size", fmt.Sprintf("FAIRBRIDGE_GPUS=%d\nFAIRBRIDGE_NODES=1\nFAIRBRIDGE_BATCH=%s\nFAIRBRIDGE_GPU_BATCH=%s\nFAIRBRIDGE_ACCUMULATION=%s\n", gpus, batch, gpuBatch, accumulation))
	return startScript(s.T, s.dir, filepath.Join(s.dir, "elastic.sbatch"), append(env, "PATH="+s.dir+":"+os.Getenv("PATH"))...)
}

// TestElasticExample: the example saves when it is warned, ends when it is stopped, and goes on where
// it was on another number of GPUs with the batch size that is recommended there.
func TestElasticExample(t *testing.T) {
	site := newElasticSite(t)
	first := site.run(4, "", "", "")
	first.says("begins on 4 GPUs with batch 256 (4 x 64 x 1) at sample 0")
	for saved := "0"; saved == "0"; {
		saved = first.answers(syscall.SIGUSR1, "warned, saved at sample ")
	}
	stopped := first.answers(syscall.SIGTERM, "stopped at sample ")
	if err := first.cmd.Wait(); err != nil {
		t.Errorf("stopped at sample %s: %v", stopped, err)
	}
	samples, err := strconv.Atoi(stopped)
	if err != nil || samples == 0 || samples%256 != 0 {
		t.Fatalf("stopped at sample %q", stopped)
	}
	second := site.run(2, "1024", "256", "1", "STEP_SECONDS=0", fmt.Sprintf("SAMPLES=%d", samples+250*1024))
	second.says("begins on 2 GPUs with batch 1024 (2 x 256 x 2) at sample " + stopped)
	second.says(fmt.Sprintf("done at sample %d", samples+250*1024))
	if err := second.cmd.Wait(); err != nil {
		t.Error(err)
	}
	site.checkReports(samples)
}

// checkReports wants two reports of the second run, of flags and with values that the program takes.
func (s elasticSite) checkReports(samples int) {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "reports"))
	if err != nil {
		s.Fatal(err)
	}
	var last []string
	count := 0
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "--batch 1024") {
			last, count = strings.Fields(line), count+1
		}
	}
	if count != 2 {
		s.Fatalf("%d reports of the second run, want 2:\n%s", count, text)
	}
	value := map[string]string{}
	for i := 2; i+1 < len(last); i++ {
		value[last[i]] = last[i+1]
	}
	done, all, _ := strings.Cut(value["--step"], "/")
	if want := strconv.Itoa((samples + 200*1024) / 1024); done != want {
		s.Errorf("step %s, want %s", done, want)
	}
	rate, err := strconv.ParseFloat(value["--rate"], 64)
	p := nodeprobe.Progress{Step: knownNumber(s.T, done), TotalSteps: knownNumber(s.T, all), StepsPerSecond: nodeprobe.KnownValue(rate), BatchSize: knownNumber(s.T, value["--batch"])}
	if err := p.Check(); err != nil || rate <= 0 {
		s.Errorf("%v: rate %v, %v", last, rate, err)
	}
	if value["--batch-range"] != "256-4096" || value["--gpu-batch"] != "1-256" || value["--gradient"] == "" {
		s.Errorf("%v", last)
	}
	if err != nil {
		s.Error(err)
	}
}

func knownNumber(t *testing.T, text string) nodeprobe.OptionalValue {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Errorf("%q is no number", text)
	}
	return nodeprobe.KnownValue(v)
}
