package answers

import (
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
)

// staleAfter is the age beyond which a study is called stale: in a month users, jobs and nodes are others.
const staleAfter = 31 * 24 * time.Hour

// answerStudies puts the newest studies beside the partitions, as of a moment. Who had one made, and what may name jobs or nodes, is
// for operators.
func answerStudies(v *api.Viewer, partitions []bridge.Partition, list []api.Study, now time.Time) *api.Studies {
	out := &api.Studies{Partitions: []api.PartitionStudy{}}
	for i := range partitions {
		p := &partitions[i]
		one := api.PartitionStudy{Partition: p.Name, Command: command(p)}
		for _, x := range list {
			if x.Partition != p.Name {
				continue
			}
			if !v.IsOperator() {
				x = hide(x)
			}
			age := max(now.Sub(x.Made), 0)
			one.Study, one.Age, one.Stale = &x, age.Round(time.Second).Seconds(), age > staleAfter
		}
		out.Partitions = append(out.Partitions, one)
	}
	return out
}

// hide returns a study without what is for operators.
func hide(x api.Study) api.Study {
	x.By, x.Remarks = "", nil
	lines := make([]api.StudyLine, len(x.Lines))
	for i, l := range x.Lines {
		if lines[i] = l; l.Error != "" {
			lines[i].Error = "it could not be run; operators see why"
		}
	}
	x.Lines = lines
	return x
}

// command has a study made of the last week, of Slurm alone and of what the partition is configured to be decided by.
func command(p *bridge.Partition) string {
	policies := "slurm"
	if p.Policy != "" {
		policies += "," + writePolicy(p.Policy, p.Params)
	}
	return "fairbridge replay -p " + quote(p.Name) + " --since 7d --policy " + quote(policies) + " --store"
}

// listSigns turn parameters as they are recorded, "round=360s queues=[3600 36000]", into those of a command line, where
// lists have semicolons.
var listSigns = strings.NewReplacer("map[", "", "[", "", "]", "", " ", ";")

// writePolicy writes a policy as a command line has it.
func writePolicy(name, params string) string {
	var all []string
	depth, from := 0, 0
	for i, c := range params + " " {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ' ' && depth == 0 && i > from:
			all, from = append(all, listSigns.Replace(params[from:i])), i+1
		}
	}
	if len(all) == 0 {
		return name
	}
	return name + ":" + strings.Join(all, ",")
}

// quote quotes a word for a shell where that matters.
func quote(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,:=._-") == "" && word != "" {
		return word
	}
	return printable.ShellWord(word)
}
