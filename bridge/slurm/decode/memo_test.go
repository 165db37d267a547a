package decode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// However many texts come, textCache stays small and tells what each of them means.
func TestMemoStaysSmall(t *testing.T) {
	var k textCaches
	for i := range 60_000 {
		text := fmt.Sprintf("n[%d-%d]", i, i+3)
		if i%1000 == 0 {
			text += strings.Repeat(",longer", 200)
		}
		if diff := cmp.Diff(slurm.ReadHosts(text), k.parseHosts(text)); i%500 == 0 && diff != "" {
			t.Fatalf("%.40q (-read +kept):\n%s", text, diff)
		}
	}
	if k.hostLists.itemCount > maxCacheItems || len(k.hostLists.valueByText) > maxCacheItems/8 {
		t.Errorf("%d texts of size %d are kept", len(k.hostLists.valueByText), k.hostLists.itemCount)
	}
	if a, b := k.parseHosts("n[1-9]"), k.parseHosts("n[1-9]"); &a.Names[0] != &b.Names[0] {
		t.Error("a text that comes back is read again")
	}
}
