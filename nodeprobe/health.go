package nodeprobe

import (
	"fmt"
)

// fatalTextByXid are the Xids after which a GPU must not be given out until it was
// reset or replaced, by NVIDIA's catalogue. The others are a program's fault
// (13, 31, 43, 45 …) or harmless to the next job.
var fatalTextByXid = map[int]string{
	48:  "double-bit ECC error",
	62:  "internal micro-controller halt",
	64:  "page retirement or row remapping failed",
	74:  "NVLink error",
	79:  "fallen off the bus",
	95:  "uncontained ECC error",
	109: "context switch timeout",
	119: "GSP timeout",
	120: "GSP error",
	136: "link training failed",
	140: "unrecovered ECC error",
	142: "interrupt storm",
	143: "initialisation failed",
	155: "NVLink degraded",
	156: "resource retirement",
	158: "fatal GPU timeout",
}

// FatalXidText returns what the Xid means when the GPU must not be used after it, and
// "" when the next job may run.
func FatalXidText(xid int) string { return fatalTextByXid[xid] }

// IsWorseXid reports whether a says more against a GPU than b. Nil says nothing.
func IsWorseXid(a, b *Xid) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case (FatalXidText(a.Code) != "") != (FatalXidText(b.Code) != ""):
		return FatalXidText(a.Code) != ""
	}
	return a.HeardAt.After(b.HeardAt)
}

// FindSickness returns why nothing should be placed on the GPU, "" when nothing
// speaks against it. Readings that are unknown speak for nothing.
func FindSickness(g *GPU) string {
	e := &g.Errors
	switch {
	case g.LostReason != "":
		return g.LostReason
	case e.Xid != nil && FatalXidText(e.Xid.Code) != "":
		return fmt.Sprintf("Xid %d: %s", e.Xid.Code, FatalXidText(e.Xid.Code))
	case e.RemapFailed.Value > 0:
		return "a faulty memory row could not be replaced"
	case e.ECCUncorrected.Value > 0:
		return "uncorrectable ECC errors since the driver was loaded"
	case e.RetiredPending.Value > 0:
		return "a faulty memory page waits for a reset to be retired"
	}
	return ""
}
