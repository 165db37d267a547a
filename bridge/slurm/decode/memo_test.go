package decode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// However many texts come, parsedTexts stays small and tells what each of them means.
func TestMemoStaysSmall(t *testing.T) {
	var k meanings
	for i := range 60_000 {
		text := fmt.Sprintf("n[%d-%d]", i, i+3)
		if i%1000 == 0 {
			text += strings.Repeat(",longer", 200)
		}
		if diff := cmp.Diff(slurm.ReadHosts(text), k.hostsOf(text)); i%500 == 0 && diff != "" {
			t.Fatalf("%.40q (-read +kept):\n%s", text, diff)
		}
	}
	if k.hostLists.size > maxMemoItems || len(k.hostLists.values) > maxMemoItems/8 {
		t.Errorf("%d texts of size %d are kept", len(k.hostLists.values), k.hostLists.size)
	}
	if a, b := k.hostsOf("n[1-9]"), k.hostsOf("n[1-9]"); &a.Names[0] != &b.Names[0] {
		t.Error("a text that comes back is read again")
	}
}
