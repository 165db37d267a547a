package ask

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

const nodesHelp = `Show the nodes with GPUs: what is given to jobs beside what the node probe measures.
FREE are GPUs that no job holds and that work. BUSY and MEMORY are means over the node's
GPUs as measured last; – is not measured. JOBS are those that hold GPUs there, with how
many; jobs of others that your site keeps private are counted.

`

func newNodesCommand(o *cli.Options, open opener) *cobra.Command {
	var partitions, nodes string
	c := &cobra.Command{
		Use:   "nodes",
		Short: "The GPUs of each node: given, free, measured",
		Long:  nodesHelp + source.Rule,
		Example: `  fairbridge nodes
  fairbridge nodes -p gpu -w n[1-3,7]
  fairbridge nodes --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			names, err := splitNodes(nodes)
			if err != nil {
				return cli.NewUsageError(err)
			}
			q := api.NodeQuery{Partitions: splitList(partitions), Names: names, Limit: pageLimit}
			return withSource(c, o, open, func(ctx context.Context, s source.Source) error {
				a, err := readNodes(ctx, s, q)
				if err != nil {
					return err
				}
				if o.JSON {
					return output.WriteJSON(c.OutOrStdout(), a)
				}
				printNodes(c.OutOrStdout(), a, whyNoCycle(source.ReadsRecord(s), DaemonStateOf(ctx, s, a.Stale)), time.Now())
				return nil
			})
		},
	}
	c.Flags().StringVarP(&partitions, "partition", "p", "", "only these partitions")
	c.Flags().StringVarP(&nodes, "nodelist", "w", "", "only these nodes")
	_ = c.RegisterFlagCompletionFunc("partition", completePartitions(o, open)) // fails only for a flag that is not there
	return c
}

// pageLimit is how many rows are asked for at a time.
const pageLimit = 10_000

// readNodes reads all pages.
func readNodes(ctx context.Context, s source.ClusterReader, q api.NodeQuery) (*api.Nodes, error) {
	all, err := s.Nodes(ctx, q)
	for err == nil && all.Next != "" {
		q.After = all.Next
		var more *api.Nodes
		if more, err = s.Nodes(ctx, q); err == nil {
			all.Nodes, all.Next = append(all.Nodes, more.Nodes...), more.Next
		}
	}
	return all, err
}

func printNodes(w io.Writer, a *api.Nodes, whyOld string, now time.Time) {
	if len(a.Nodes) == 0 {
		printable.Fprintf(w, "No node with GPUs is one that was asked for.\n\n")
		output.WriteParagraph(w, "", asOfText(a.AsOf, a.Stale, whyOld, now))
		return
	}
	list := NewNodeList(a)
	list.print(w)
	printable.Fprintf(w, "\n%s\n", NodeSumText(a))
	output.WriteParagraph(w, "", asOfText(a.AsOf, a.Stale, whyOld, now))
}

// NewNodeList lists nodes.
func NewNodeList(a *api.Nodes) List {
	l := List{Head: strings.Fields("NODE PARTITION GPUS GIVEN FREE BUSY MEMORY JOBS")}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		held, open, _ := countGPUs(n)
		busy, memory := meanUse(n.Devices)
		l.add(n.Name, n.Name, strings.Join(n.Partitions, ","), nodeGPUsText(n), held, open, percentText(busy), percentText(memory), nodeJobsText(n))
	}
	return l
}

// NodeSumText counts the GPUs of all nodes.
func NodeSumText(a *api.Nodes) string {
	given, free, count := 0, 0, 0
	for i := range a.Nodes {
		held, open, all := countGPUs(&a.Nodes[i])
		given, free, count = given+held, free+open, count+all
	}
	return fmt.Sprintf("%s, %d given to jobs, %d free.", policy.FormatCount(count, "GPU"), given, free)
}

// countGPUs counts the GPUs of a node: those given to jobs, those that a job could get, all.
func countGPUs(n *api.Node) (given, free, all int) {
	for _, g := range n.GPUs {
		given, all = given+g.Allocated, all+g.Count
		if n.Down == "" {
			free += max(g.Count-g.Sick-g.Allocated, 0)
		}
	}
	return given, free, all
}

func nodeGPUsText(n *api.Node) string {
	var parts []string
	for _, g := range n.GPUs {
		text := fmt.Sprintf("%d %s", g.Count, cmp.Or(g.Type, "GPUs"))
		if g.Sick > 0 {
			text += fmt.Sprintf(" (%d faulty)", g.Sick)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// meanUse is the mean of what was measured of the devices.
func meanUse(all []api.DeviceUse) (busy, memory policy.OptionalValue) {
	mean := func(of func(d *api.DeviceUse) policy.OptionalValue) policy.OptionalValue {
		sum, n := 0.0, 0
		for i := range all {
			if v := of(&all[i]); v.Known {
				sum, n = sum+v.Value, n+1
			}
		}
		if n == 0 {
			return policy.OptionalValue{}
		}
		return policy.KnownValue(sum / float64(n))
	}
	return mean(func(d *api.DeviceUse) policy.OptionalValue { return d.Busy }), mean(func(d *api.DeviceUse) policy.OptionalValue { return d.Memory })
}

// nodeJobsText names the jobs on a node, or says why nothing may start there.
func nodeJobsText(n *api.Node) string {
	var parts []string
	if n.Down != "" {
		parts = append(parts, "nothing new may start: "+n.Down)
	}
	for _, j := range n.Jobs {
		parts = append(parts, fmt.Sprintf("%s (%s, %d)", j.Address, printable.Truncate(j.User, 12), j.GPUs))
	}
	if n.HiddenJobs > 0 {
		parts = append(parts, fmt.Sprintf("%d private", n.HiddenJobs))
	}
	return strings.Join(parts, ", ")
}

// WriteNodeDetails writes each GPU of a node as it was measured last.
func WriteNodeDetails(w io.Writer, a *api.Nodes, name string) {
	for i := range a.Nodes {
		if n := &a.Nodes[i]; n.Name == name && len(n.Devices) > 0 {
			t := output.NewTable(w, "GPU", "TYPE", "UTILISATION", "BUSY", "MEMORY", "WATTS")
			for _, d := range n.Devices {
				watts := "–"
				if d.Watts.Known {
					watts = fmt.Sprintf("%.0f", d.Watts.Value)
				}
				t.AddRow(printable.Truncate(d.UUID, 16), d.Type, drawnShare(d.Busy), percentText(d.Busy), percentText(d.Memory), watts)
			}
			t.Print()
		}
	}
}
