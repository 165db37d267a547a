package fidelity

import (
	"bytes"
	"fmt"
	"slices"
)

// writeWorth writes what fairbridge is worth, real and simulated: the mean wait with it as a part
// of that of Slurm alone, of every stream that ran both ways on one release.
func writeWorth(b *bytes.Buffer, all []Comparison) {
	b.WriteString("\n## What fairbridge is worth, real and simulated\n\nMean wait with fairbridge to that of Slurm alone, on the same stream and release.\n\n" +
		"| stream, arm | real runs | real | simulated |\n|---|---|---|---|\n")
	for i := range all {
		with := &all[i]
		k := slices.IndexFunc(all, func(c Comparison) bool {
			return c.Arm == ArmAlone && c.Stream.Name == with.Stream.Name && c.Release == with.Release
		})
		if with.Arm == ArmAlone || k < 0 {
			continue
		}
		waits, alone := with.meanWait(), all[k].meanWait()
		fmt.Fprintf(b, "| %s, %s, Slurm %s | %d and %d | %.2f | %.2f |\n", with.Stream.Name, with.Arm, with.Release, len(with.Real), len(all[k].Real),
			waits.RealMean()/alone.RealMean(), waits.SimulatedMean()/alone.SimulatedMean())
	}
}

// meanWait is the first figure that is compared.
func (c *Comparison) meanWait() *Row { return &c.Rows()[0] }
