package reader_test

import (
	"reflect"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/reader"
)

// TestReaderReadsAsSlurmDoes wants a text to read the same the first and the second time, and
// texts that differ to be told apart.
func TestReaderReadsAsSlurmDoes(t *testing.T) {
	r := reader.New()
	for range 2 {
		for _, text := range []string{"", "cpu=8,mem=64G,node=1,billing=8", "cpu=8,node=2,billing=8,gres/gpu=4,gres/gpu:a100=4", "cpu=x"} {
			if got, want := r.ReadTRES(text), slurm.ReadTRES(text); !reflect.DeepEqual(got, want) {
				t.Errorf("TRES %q: %+v, want %+v", text, got, want)
			}
		}
		for _, text := range []string{"gres/gpu:a100:4", "gres/gpu:4", "gres/gpu:x:y:z"} {
			if got, want := r.ReadGRESRequest(text), slurm.ReadGRESRequest(text); !reflect.DeepEqual(got, want) {
				t.Errorf("GRES %q: %+v, want %+v", text, got, want)
			}
		}
		for _, texts := range [][2]string{{"fairbridge:preemptible", ""}, {"", "fairbridge:preemptible"}, {"fairbridge:class=a", "fairbridge:class=b"}, {"fairbridge:class=b", "fairbridge:class=a"}} {
			if got, want := r.ReadDirective(texts[0], texts[1]), slurm.ReadDirective(texts[0], texts[1]); !reflect.DeepEqual(got, want) {
				t.Errorf("directive %q: %+v, want %+v", texts, got, want)
			}
		}
	}
}

func TestReadTRESRequest(t *testing.T) {
	r := reader.New()
	for range 2 {
		for text, asked := range map[string]reader.TRESRequest{
			"cpu=4,node=2,billing=4":                                      {CPUCount: 4, NodeCount: 2},
			"cpu=4,mem=2G,node=2,billing=4,gres/gpu=8":                    {CPUCount: 4, NodeCount: 2, MemMB: 2048, GPUCount: 8},
			"cpu=4,mem=2000M,node=1,billing=4,gres/gpu=8,gres/gpu:a100=8": {CPUCount: 4, NodeCount: 1, MemMB: 2000, GPUCount: 8, GPUType: "a100"},
			"cpu=1,node=1,billing=1,gres/gpu=1,gres/gpu:h100=1":           {CPUCount: 1, NodeCount: 1, GPUCount: 1, GPUType: "h100"},
		} {
			if got, want := r.ReadTRESRequest(asked), slurm.ReadTRES(text); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v: %+v, want %+v", asked, got, want)
			}
		}
	}
}
