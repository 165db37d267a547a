package main

import (
	"errors"

	"github.com/spf13/cobra"
)

const specHelp = ""

type replaying struct{ since string }

func (t *replaying) flags(c *cobra.Command) { c.Flags().StringVar(&t.since, "since", "", "") }

func (t *replaying) run(c *cobra.Command, o *options, partition string) error {
	return errors.New("not yet")
}
