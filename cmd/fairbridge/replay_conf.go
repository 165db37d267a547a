package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"fairbridge/bridge/study/replay"
)

// settings reads Slurm's settings from a file, else from scontrol. Where there
// is none either, a simulated Slurm has Slurm's defaults.
func (p *pasting) settings(ctx context.Context) error {
	if p.conf != "" {
		text, err := os.ReadFile(p.conf)
		if err != nil {
			return fmt.Errorf("reading --slurm-conf: %w", err)
		}
		if p.way.Conf, err = replay.Conf(string(text)); err != nil {
			return usageError{fmt.Errorf("%s: %w", p.conf, err)}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	argv := append(append([]string{}, p.file.Slurm.Scontrol...), "show", "config")
	text, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err == nil {
		p.way.Conf, err = replay.Conf(string(text))
	}
	if err != nil {
		p.unread = fmt.Sprintf("Slurm's settings could not be read (%v); the simulated one has the defaults. --slurm-conf names a file", err)
	}
	return nil
}
