package writer

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// buildGPUField returns the field for a total of count GPUs of a type, "": the one asked for.
func buildGPUField(api rest.API, j *slurm.Job, count int64, wantedType string) (updateField, error) {
	if j.GresPerJob.Text != "" {
		typ, err := chooseGPUType(j.GresPerJob, wantedType)
		if err != nil {
			return updateField{}, err
		}
		if api.TakesPlainBodies {
			return updateField{"gpus", formatGPUCount(typ, count)}, nil
		}
		return updateField{"tres_per_job", "gres/gpu:" + formatGPUCount(typ, count)}, nil
	}
	typ, err := chooseGPUType(j.GresPerNode, wantedType)
	if asksShardsAlone(j) { // in place of its GPU: the type of that is only in what is wanted
		typ, err = wantedType, nil
	}
	if err != nil {
		return updateField{}, err
	}
	nodes := int64(max(j.NodeCount, 1))
	if count%nodes != 0 {
		return updateField{}, fmt.Errorf("%d GPUs cannot be spread evenly over the %d nodes of job %s", count, nodes, j.Label())
	}
	if api.TakesPlainBodies {
		return updateField{"gres", "gpu:" + formatGPUCount(typ, count/nodes)}, nil
	}
	return updateField{"tres_per_node", "gres/gpu:" + formatGPUCount(typ, count/nodes)}, nil
}

// chooseGPUType returns the wanted type of GPU, "": that of the request. A request for any type is given none: it
// could not be taken away again on every release.
func chooseGPUType(request slurm.GRESList, wanted string) (string, error) {
	asked, err := soleGPUType(request)
	if err == nil && asked == "" && wanted != "" {
		err = fmt.Errorf("the request %q is for GPUs of any type: it is not made one for %s", request.Text, wanted)
	}
	return cmp.Or(wanted, asked), err
}

// soleGPUType returns the type of GPU of a request that asks for GPUs of one kind
// and nothing else.
func soleGPUType(request slurm.GRESList) (string, error) {
	if request.UnreadReason != "" {
		return "", errors.New(request.UnreadReason)
	}
	if list := request.List; len(list) == 1 && list[0].Name == "gpu" && !strings.Contains(request.Text, ",") {
		return list[0].Type, nil
	}
	return "", fmt.Errorf("the request %q is not for GPUs alone, per job or per node", request.Text)
}

func formatGPUCount(typ string, count int64) string {
	if typ == "" {
		return strconv.FormatInt(count, 10)
	}
	return typ + ":" + strconv.FormatInt(count, 10)
}
