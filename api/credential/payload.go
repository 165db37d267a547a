package credential

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// payloadVersion begins each payload: a credential that was made for something else, such
// as Slurm, is none for us.
const payloadVersion = "fairbridge-request-1 "

// NewPayload binds a credential to one request: a captured one is good for nothing else.
// The URI is the path with the query as sent, the host what the Host header says. What it
// returns is short whatever they are, and tells none of it to who may decode it too.
func NewPayload(method, requestURI, host string, body []byte) string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(method), []byte(requestURI), []byte(host), body} {
		// With its length, so that no two requests run together to the same text.
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	return payloadVersion + hex.EncodeToString(sum.Sum(nil))
}
