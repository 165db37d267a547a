package scontrol

import (
	"slices"
	"testing"
)

func TestParseFederation(t *testing.T) {
	const shown = `Federation: both
Self:       lab:127.0.0.1:15841 ID:1 FedState:ACTIVE Features:
Sibling:    other:127.0.0.1:20587 ID:2 FedState:ACTIVE Features: PersistConnSend/Recv:Yes/Yes Synced:Yes
Sibling:    third::0 ID:3 FedState:ACTIVE Features: PersistConnSend/Recv:No/Yes Synced:No
`
	if name, siblings := parseFederation([]byte(shown)); name != "both" || !slices.Equal(siblings, []string{"other", "third"}) {
		t.Errorf("got %q %q", name, siblings)
	}
	if name, siblings := parseFederation([]byte("\n")); name != "" || siblings != nil {
		t.Errorf("of no federation: %q %q", name, siblings)
	}
}
