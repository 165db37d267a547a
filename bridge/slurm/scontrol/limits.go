package scontrol

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
)

// ReadLimits returns the limits of the cluster's associations and QOS with their usage, as "scontrol show assoc_mgr"
// prints them. Administrators and Operators may read all of them.
func (c Command) ReadLimits(ctx context.Context, cluster string) (slurm.Limits, error) {
	out, err := c.run(ctx, "--oneliner", "show", "assoc_mgr", "flags=assoc,qos")
	if err != nil {
		return slurm.Limits{}, err
	}
	return ParseLimits(out, cluster)
}

// ParseLimits reads a line for each association and each QOS, such as
//
//	ClusterName=lab Account=bio UserName=ann(3001) Partition= … ParentAccount= … GrpTRES=cpu=N(8),gres/gpu=16(4)
//	QOS=normal(1) … GrpJobs=N(1) Account Limits= bio={MaxJobsPA=4(1)} User Limits= ann(3001)={MaxJobsPU=N(1)}
//
// where N means no limit and the number in brackets is the usage. Without its headings the text is an error: it is not
// that of a Slurm without limits.
func ParseLimits(text []byte, cluster string) (slurm.Limits, error) {
	out := slurm.Limits{Associations: map[string][]slurm.AssociationLimits{}}
	headings := 0
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, maxLimitsLine)
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), " Comment=") // a person's text, at the end
		switch {
		case line == "Association Records" || line == "QOS Records" ||
			strings.HasPrefix(line, "No associations") || strings.HasPrefix(line, "No QOS"):
			headings++
		case strings.HasPrefix(line, "ClusterName="):
			if a, name := readAssociation(line); name == cluster {
				out.Associations[a.Account] = append(out.Associations[a.Account], a)
			}
		case strings.HasPrefix(line, "QOS="):
			out.QOS = append(out.QOS, readQOS(line))
		}
	}
	if err := s.Err(); err != nil {
		return slurm.Limits{}, fmt.Errorf("reading the limits of associations: %w", err)
	}
	if headings < 2 {
		return slurm.Limits{}, fmt.Errorf("reading the limits of associations: scontrol printed %s, "+
			"not the state of the association manager", slurm.QuoteExcerpt(string(text)))
	}
	return out, nil
}

// maxLimitsLine is the longest line that is read, in bytes: a QOS has all its users on one.
const maxLimitsLine = 64 << 20

func readAssociation(line string) (a slurm.AssociationLimits, cluster string) {
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "ClusterName":
			cluster = value
		case "Account":
			a.Account = value
		case "UserName":
			a.User = withoutNumber(value)
		case "Partition":
			a.Partition = value
		case "ParentAccount":
			a.Parent = withoutNumber(value)
		default:
			a.Limits = appendLimits(a.Limits, key, value)
		}
	}
	return a, cluster
}

func readQOS(line string) slurm.QOSLimits {
	q := slurm.QOSLimits{ByAccount: map[string][]slurm.Limit{}, ByUser: map[string][]slurm.Limit{}}
	of, owner := q.ByAccount, "" // the owner of the words in braces
	previous := ""
	for word := range strings.FieldsSeq(line) {
		if name, first, begins := strings.Cut(word, "={"); begins {
			owner, word = withoutNumber(name), first
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(word, "}"), "=")
		switch {
		case key == "QOS":
			q.Name = withoutNumber(value)
		case key == "Limits" && previous == "User":
			of = q.ByUser
		case owner != "":
			of[owner] = appendLimits(of[owner], key, value)
		default:
			q.Limits = appendLimits(q.Limits, key, value)
		}
		if previous = word; strings.HasSuffix(word, "}") {
			owner = ""
		}
	}
	return q
}

// withoutNumber cuts the number behind a name: ann(3001).
func withoutNumber(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

// appendLimits adds what a word says: a limit, or one for each of a list of resources. Of those without a limit only
// running minutes are kept, which count against other limits.
func appendLimits(all []slurm.Limit, name, value string) []slurm.Limit {
	isLimit := strings.HasPrefix(name, "Grp") || strings.HasPrefix(name, "Max") || strings.HasPrefix(name, "Min")
	if value == "" || !isLimit {
		return all
	}
	for item := range strings.SplitSeq(value, ",") {
		l := slurm.Limit{Name: name}
		number := item
		if i := strings.LastIndex(item, "="); i >= 0 {
			l.TRES, number = item[:i], item[i+1:]
		}
		most, usage, _ := strings.Cut(strings.TrimSuffix(number, ")"), "(")
		l.Most, l.Usage = readLimit(most), readLimit(usage)
		if !math.IsInf(l.Most, 1) || name == "GrpTRESRunMins" && l.Usage > 0 {
			all = append(all, l)
		}
	}
	return all
}

// readLimit reads a number; N is without a limit, nothing is 0, all else is NaN.
func readLimit(text string) float64 {
	switch text {
	case "N":
		return math.Inf(1)
	case "":
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}
