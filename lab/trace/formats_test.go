package trace_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// put writes a file and returns its path.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	shockwave = "LM (batch size 10)\tpython3 main.py --batch_size 10\tlanguage\t--steps\t1\t134583\t2\tgns\t1\t-1.000000\t1418\t0\n" +
		"ResNet-18 (batch size 32)\tpython3 main.py\timage\t--num_steps\t1\t143450\t1\taccordion\t3\t2.0\t3338\t55\n"
	gavel10    = "ResNet-50 (batch size 64)\tpython3 main.py\timage\t--num_minibatches\t1\t2931\t1\t1\t-1.000000\t0\n"
	gavel7     = "A3C\tpython3 main.py\t-step\t1\t95121\t6.500000\t4\n"
	phillyCSV  = "timestamp,duration(s),num_gpus,gpu_time(s),cluster\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n2017-10-09 06:13:03,2951.0,8,23608,6214e9\n"
	heliosCSV  = "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n11,u1,vcA,8,48,1,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:00:12,2020-04-01 00:10:12,600,2\n12,u2,vcB,0,4,1,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:00:12,2020-04-01 00:10:12,600,2\n13,u2,vcB,1,4,1,CANCELLED,2020-04-01 00:00:05,None,None,0,2\n14,u2,vcB,16,4,1,FAILED,2020-04-01 00:00:00,2020-04-01 00:00:12,2020-04-01 00:10:12,30,2\n"
	itpCSV     = "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\nbdd6,3715485,3249,deepspeech2,3716178,32,1,1075\n23b8,3717550,48266,inception3,3720405,64,8,3604\n"
	elasticCSV = "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration,best_effort\n0,0,7246,resnet50,5896,256,1,3930,0\n1,4686,19793,gpt2,11932,256,1,4830,1\n"
	tiresias60 = "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,1,0,606,vgg19,164,30\n1,8,30,133,vgg11,147,23\n"
	muriCSV    = "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n0,8,1500,10000,dqn,128,5090000,0,509,435,8,0.5,0\n1,8,2500,4999,vgg16,128,1069999,0,214,82,75,66,1\n"
	pcsCSV     = "app,arrival_s,jobs,gpus_min,gpus_max,service_gpu_s,speedup\n0,0,1,0,64,64000,linear\n1,100,1,0,32,32000,linear\n2,200,1,0,16,1600,log\n"
	openbCSV   = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\npod-0,12000,16384,1,1000,,LS,Running,100,400,150\npod-1,6500,12288,1,460,V100M16,BE,Failed,90,300,95\npod-2,4000,1,0,0,,BE,Succeeded,90,300,95\npod-3,4000,1,1,1000,A|B,BE,Pending,90,300,\n"
	swfText    = "; UnixStartTime: 1000000000\n; Note: made up\n\n 1 100 5 60 8 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n 2 160 5 -1 8 -1 -1 8 120 -1 5 3 1 -1 2 -1 -1 -1\n 3 170 5 30 -1 -1 -1 6 -1 -1 0 4 1 -1 2 -1 -1 -1\n"
	paiTasks   = "job1,worker,2,Terminated,1000,1600,600,29,50,MISC\njob1,ps,1,Terminated,1000,1600,600,29,,CPU\njob2,worker,4,Failed,2000,2100,600,29,100,V100\njob3,worker,1,Running,2000,,600,29,100,T4\njob4,worker,1,Terminated,2000,2100,600,29,25,T4\n"
	phillyLog  = `[
 {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [
   {"start_time": "2017-10-07 01:10:00", "end_time": "2017-10-07 01:20:00", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]},
   {"start_time": "2017-10-07 01:30:00", "end_time": "2017-10-07 01:35:00", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu0", "gpu1"]}]}],
  "submitted_time": "2017-10-07 01:00:00", "user": "ce2f99"},
 {"status": "Killed", "vc": "v", "jobid": "application_2", "attempts": [], "submitted_time": "2017-10-07 01:00:00", "user": "x"},
 {"status": "Killed", "vc": "v", "jobid": "application_3", "attempts": [
   {"start_time": "2017-10-07 02:10:00", "end_time": "2017-10-07 02:20:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}], "submitted_time": "2017-10-07 02:00:00", "user": "x"}
]
`
	sacctText = "JobID|JobIDRaw|User|Account|QOS|Partition|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|AllocTRES|ReqTRES\n" +
		"100|100|ann|ml|normal|gpu|COMPLETED|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T10:05:00|2026-01-05T11:05:00|3600|120|billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1|billing=8,cpu=8,gres/gpu=4,mem=64G,node=1\n" +
		"100.batch|100.batch|||||COMPLETED|2026-01-05T10:05:00|2026-01-05T10:05:00|2026-01-05T10:05:00|2026-01-05T11:05:00|3600||cpu=8,gres/gpu:a100=4|\n" +
		"101_7|103|bob|ml|normal|gpu|CANCELLED by 1000|2026-01-05T10:00:00|2026-01-05T12:00:00|2026-01-05T12:05:00|2026-01-05T12:06:00|60|1440|cpu=8,gres/gpu:h100=2|cpu=8,gres/gpu:h100=2\n" +
		"104|104|bob|ml|normal|gpu|PENDING|2026-01-05T10:00:00|Unknown|Unknown|Unknown|0|1440||cpu=8,gres/gpu=2\n" +
		"105|105|bob|ml|normal|gpu|REQUEUED|2026-01-05T10:30:00|2026-01-05T10:30:00|2026-01-05T10:40:00|2026-01-05T10:50:00|600|1440|cpu=1,gres/gpu=1|cpu=1,gres/gpu=1\n" +
		"105|105|bob|ml|normal|gpu|TIMEOUT|2026-01-05T10:50:00|2026-01-05T10:52:00|2026-01-05T11:40:00|2026-01-05T11:50:00|86400|1440|cpu=1,gres/gpu=1|cpu=1,gres/gpu=1\n" +
		"106|106|bob|ml|normal|cpu|COMPLETED|2026-01-05T10:50:00|2026-01-05T10:52:00|2026-01-05T11:40:00|2026-01-05T11:50:00|600|1440|cpu=1|cpu=1\n"
	squeueText = "JOBID|USER|ACCOUNT|QOS|PARTITION|STATE|SUBMIT_TIME|TIME_LIMIT|NODES|CPUS|TRES_PER_NODE\n" +
		"200|ann|ml|normal|gpu|RUNNING|2026-01-05T10:00:00|1-02:00:00|2|16|gres/gpu:a100:4\n201_[1-5:2%2]|bob|ml|normal|gpu|PENDING|2026-01-05T10:10:00|30:00|1|4|gres/gpu:1\n202|bob|ml|normal|gpu|PENDING|2026-01-05T10:10:00|UNLIMITED|1|4|gres/gpu:1\n203|bob|ml|normal|gpu|PENDING|2026-01-05T10:10:00|1:00|1|4|N/A\n"
	squeueJSON = `{"meta": {"slurm": {"release": "25.05"}}, "jobs": [
 {"job_id": 300, "user_name": "ann", "account": "ml", "job_state": ["RUNNING"], "submit_time": {"set": true, "infinite": false, "number": 1767600000}, "eligible_time": {"set": true, "number": 1767600060}, "time_limit": {"set": true, "number": 90}, "tres_req_str": "cpu=4,mem=10G,gres/gpu:a100=2", "tres_alloc_str": "cpu=8,mem=10G,gres/gpu=2,gres/gpu:a100=2"},
 {"job_id": 301, "user_name": "bob", "account": "ml", "job_state": "PENDING", "submit_time": 1767600100, "eligible_time": 0, "time_limit": 10, "tres_req_str": "cpu=4,gres/gpu=1", "array_task_string": "1,3-4"},
 {"job_id": 302, "job_state": ["COMPLETED"], "submit_time": 0, "eligible_time": 0, "time_limit": 1}
], "errors": []}
`
)

// short is what a test compares of a job.
type short struct {
	ID, GPUs      int
	Arrive, Lasts float64
	Who, What     string
	End           workload.JobEnd
	Deadline      float64
}

func shorts(jobs []workload.Job) []short {
	var all []short
	for _, j := range jobs {
		all = append(all, short{int(j.ID), j.GPUs, j.Arrive, j.Duration, j.User + "@" + j.Account, j.Class + j.GPUType, j.End, j.Deadline})
	}
	return all
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, format, text string
		start              string
		want               []short
		ignored            map[string]int
	}{
		{"t.trace", "shockwave", shockwave, "", []short{
			{1, 2, 0, 1418, "@", "LM (batch size 10)", "", 0}, {2, 1, 55, 3338, "@", "ResNet-18 (batch size 32)", "", 55 + 2*3338}}, nil},
		{"t10.trace", "shockwave", gavel10, "", []short{{1, 1, 0, 0, "@", "ResNet-50 (batch size 64)", "", 0}}, nil},
		{"t7.trace", "shockwave", gavel7, "", []short{{1, 4, 6.5, 0, "@", "A3C", "", 0}}, nil},
		{"p.csv", "philly", phillyCSV, "2017-10-09T06:13:03Z", []short{
			{3, 8, 0, 2951, "@6214e9", "", "", 0}, {2, 1, 2932, 66, "@11cb48", "", "", 0}}, nil},
		{"p.json", "philly-log", phillyLog, "2017-10-07T01:00:00Z", []short{
			{1, 4, 0, 900, "ce2f99@ee9e8c", "", "", 0}, {2, 1, 3600, 600, "x@v", "", workload.Cancelled, 0}}, map[string]int{"that never ran": 1}},
		{"h.csv", "helios", heliosCSV, "2020-04-01T00:00:00Z", []short{
			{14, 16, 0, 30, "u2@vcB", "", workload.Failed, 0}, {11, 8, 10, 600, "u1@vcA", "", "", 0}},
			map[string]int{"without GPUs": 1, "that never ran": 1}},
		{"i.csv", "itp", itpCSV, "", []short{
			{2, 1, 0, 1075, "@", "deepspeech2 (batch size 32)", "", 693}, {3, 8, 2065, 3604, "@", "inception3 (batch size 64)", "", 4920}}, nil},
		{"e.csv", "elasticflow", elasticCSV, "", []short{
			{2, 1, 0, 3930, "@", "resnet50 (batch size 256)", "", 5896}, {3, 1, 4686, 4830, "@", "gpt2 (batch size 256)", "", 0}}, nil},
		{"60.csv", "tiresias", tiresias60, "", []short{{2, 1, 0, 164, "@", "vgg19", "", 0}, {3, 8, 30, 147, "@", "vgg11", "", 0}}, nil},
		{"m.csv", "muri", muriCSV, "", []short{{2, 8, 0, 5090, "@", "dqn", "", 0}, {3, 8, 1, 1069.999, "@", "vgg16", "", 0}}, nil},
		{"apps.csv", "pcs", pcsCSV, "", []short{{2, 1, 0, 64000, "@", "", "", 0}, {3, 1, 100, 32000, "@", "", "", 0}},
			map[string]int{"whose speed is not in proportion to its GPUs": 1}},
		{"o.csv", "openb", openbCSV, "", []short{
			{3, 1, 0, 205, "@", "V100M16", workload.Failed, 0}, {2, 1, 10, 250, "@", "", "", 0}},
			map[string]int{"without GPUs": 1, "that never ran": 1}},
		{"l.swf", "swf", swfText, "2001-09-09T01:48:20Z", []short{
			{1, 8, 0, 60, "user3@group1", "", "", 0}, {3, 6, 70, 30, "user4@group1", "", workload.Failed, 0}}, map[string]int{"that never ran": 1}},
		{"pai_task_table.csv", "pai", paiTasks, "", []short{
			{1, 1, 0, 600, "@", "", "", 0}, {2, 4, 1000, 100, "@", "V100", workload.Failed, 0}, {3, 1, 1000, 100, "@", "T4", "", 0}}, map[string]int{"not ended yet": 1}},
		{"s.txt", "sacct", sacctText, "2026-01-05T10:00:00Z", []short{
			{100, 4, 0, 3600, "ann@ml", "", "", 0}, {105, 1, 1800, 86400, "bob@ml", "", "", 0},
			{103, 2, 7200, 60, "bob@ml", "h100", workload.Cancelled, 0}},
			map[string]int{"job steps": 1, "not ended yet": 1, "without GPUs": 1, "earlier runs of requeued jobs": 1}},
		{"q.txt", "squeue", squeueText, "2026-01-05T10:00:00Z", []short{
			{200, 8, 0, 93600, "ann@ml", "a100", "", 0}, {201, 1, 600, 1800, "bob@ml", "", "", 0},
			{202, 1, 600, 1800, "bob@ml", "", "", 0}, {203, 1, 600, 1800, "bob@ml", "", "", 0}},
			map[string]int{"whose GPUs are not known: print tres-alloc as docs/simulation.md says": 1,
				"without a time limit": 1}},
		{"q.json", "squeue-json", squeueJSON, "2026-01-05T08:01:00Z", []short{
			{300, 2, 0, 5400, "ann@ml", "a100", "", 0}, {301, 1, 40, 600, "bob@ml", "", "", 0},
			{302, 1, 40, 600, "bob@ml", "", "", 0}, {303, 1, 40, 600, "bob@ml", "", "", 0}},
			map[string]int{"neither waiting nor running": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := trace.ReadFile(put(t, c.name, c.text), trace.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if tr.Format != c.format {
				t.Errorf("taken for %s, want %s", tr.Format, c.format)
			}
			if d := cmp.Diff(c.want, shorts(tr.Jobs)); d != "" {
				t.Errorf("jobs (-want +got):\n%s", d)
			}
			if d := cmp.Diff(c.ignored, tr.IgnoredByReason); d != "" {
				t.Errorf("ignored (-want +got):\n%s", d)
			}
			if start := tr.Start.Format(time.RFC3339); c.start != "" && start != c.start || c.start == "" && !tr.Start.IsZero() {
				t.Errorf("starts %s, want %s", start, c.start)
			}
			roundTrip(t, tr)
		})
	}
}

// roundTrip writes a trace in our format and wants the same back.
func roundTrip(t *testing.T, tr *trace.Trace) {
	t.Helper()
	var b bytes.Buffer
	if err := tr.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := trace.Read(&b, "copy", trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := append([]workload.Job(nil), tr.Jobs...)
	for i := range want {
		want[i].Line = i + 2
	}
	if d := cmp.Diff(want, back.Jobs); d != "" || !back.Start.Equal(tr.Start) || back.Name != tr.Name {
		t.Errorf("another trace comes back (-written +read):\n%s", d)
	}
}

// TestDetails looks at what the table above leaves out.
func TestDetails(t *testing.T) {
	open := func(text string, o trace.ReadOptions) []workload.Job {
		t.Helper()
		tr, err := trace.Read(strings.NewReader(text), "t", o)
		if err != nil {
			t.Fatal(err)
		}
		return tr.Jobs
	}
	if j := open(shockwave, trace.ReadOptions{})[1]; *j.Training != (workload.Training{Model: "ResNet-18", BatchSize: 32, Mode: workload.AccordionMode, Steps: 143450}) || j.Weight != 3 {
		t.Errorf("training job %+v, %+v", j, j.Training)
	}
	for text, steps := range map[string]int64{elasticCSV: 7246, itpCSV: 3249} {
		if j := open(text, trace.ReadOptions{KeepsSteps: true})[0]; j.Training == nil || j.Training.Steps != steps || j.Training.BatchSize == 0 {
			t.Errorf("job of %d steps: %+v", steps, j.Training)
		}
	}
	if j := open(sacctText, trace.ReadOptions{})[0]; j.TimeLimit != 2*time.Hour || j.CPUs != 8 || j.MemMB != 65536 || j.QOS != "normal" || j.Partition != "gpu" {
		t.Errorf("sacct job %+v", j)
	}
	if j := open(openbCSV, trace.ReadOptions{})[0]; !j.IsShareable || j.CPUs != 7 || j.MemMB != 12288 {
		t.Errorf("pod %+v", j)
	}
	if j := open(muriCSV, trace.ReadOptions{})[1]; !j.IsShareable || cmp.Diff(j.Sharing, &policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true,
		IsOpportunistic: true, StepSeconds: .214, StageSeconds: []float64{.082, .075, .066}}) != "" {
		t.Errorf("job of Muri %+v", j.Sharing)
	}
	if j := open(swfText, trace.ReadOptions{GPUsPerProc: .25})[0]; j.GPUs != 2 || j.TimeLimit != 2*time.Minute {
		t.Errorf("swf job %+v", j)
	}
	if j := open(paiTasks, trace.ReadOptions{})[2]; !j.IsShareable {
		t.Errorf("a quarter of a GPU is not shareable: %+v", j)
	}
}

// TestUsersOfPAI finds the job table beside the tasks.
func TestUsersOfPAI(t *testing.T) {
	path := put(t, "pai_task_table.csv", paiTasks)
	jobs := "job1,i,alice,Terminated,900,1600\njob2,i,bob,Failed,2500,2600\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "pai_job_table.csv"), []byte(jobs), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.ReadFile(path, trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if j := tr.Jobs[0]; j.User != "alice" || j.Duration != 600 || tr.Jobs[1].Arrive != 1100 {
		t.Errorf("%+v", tr.Jobs)
	}
}

func TestPacked(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(phillyCSV)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	tr, err := trace.ReadFile(put(t, "p.csv.gz", b.String()), trace.ReadOptions{})
	if err != nil || tr.Name != "p" || len(tr.Jobs) != 2 {
		t.Errorf("%+v, %v", tr, err)
	}
}
