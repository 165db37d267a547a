package doctor

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"fairbridge/bridge/slurm/writer"
)

// scancelTimeout bounds one run of scancel.
const scancelTimeout = 15 * time.Second

// checkScancel looks whether jobs can be warned before they are requeued: by the
// command scancel, or by the one beside scontrol where it is nil.
func (r *Report) checkScancel(ctx context.Context, scancel, scontrol []string) {
	const fix, then = "install slurm-client here, or set slurm.scancel", "jobs that are to be warned before a requeue are not requeued"
	if len(scancel) == 0 {
		scancel = writer.ScancelFromScontrol(scontrol)
	}
	if len(scancel) == 0 {
		r.addFinding("warnings", LevelWarn, fix, "there is no scancel beside slurm.scontrol: %s", then)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, scancelTimeout)
	defer cancel()
	argv := append(append([]string{}, scancel...), "--version")
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		r.addFinding("warnings", LevelWarn, fix, "running %s: %v: %s", strings.Join(argv, " "), err, then)
		return
	}
	r.addOK("warnings", "%s can warn jobs before they are requeued", strings.Join(scancel, " "))
}
