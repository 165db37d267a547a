package decode

import (
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// unusualFields are the fields of a job's request that choose among nodes in a way that fairbridge does not
// follow. In a plain "sbatch --gres=gpu:1" job they are empty, or have one of the values given. A job in which
// one of them is not plain has its name in UnusualRequest.
var unusualFields = []recordField[slurm.Job]{
	unusualText("burst_buffer"), unusualText("cluster_features"), unusualText("mcs_label"), unusualText("network"),
	unusualText("prefer"), unusualText("tres_bind"), unusualText("tres_per_socket"), unusualText("selinux_context"),
	unusualBool("contiguous"), unusualBool("reboot"),
	unusualNumber("core_spec", noValue16), unusualNumber("thread_spec", 0x7ffe, noValue16),
	unusualNumber("cores_per_socket"), unusualNumber("sockets_per_board"), unusualNumber("sockets_per_node"),
	unusualNumber("threads_per_core"), unusualNumber("tasks_per_board"), unusualNumber("tasks_per_core"),
	unusualNumber("tasks_per_node"), unusualNumber("tasks_per_socket"), unusualNumber("tasks_per_tres"),
	unusualNumber("minimum_tmp_disk_per_node"), unusualNumber("minimum_switches"), unusualNumber("required_switches"),
	unusualNumber("segment_size"), optionalField(recordField[slurm.Job]{"flags", readRequestFlags}),
}

// noValue16 is how Slurm writes that a number of 16 bits is not set.
const noValue16 = 0xfffe

// harmlessFlags are the flags of a job that say nothing of the nodes it needs, as all releases write them.
var harmlessFlags = strings.Fields(`JOB_CPUS_SET JOB_MEM_SET JOB_NTASKS_SET JOB_WAS_RUNNING JOB_ACCRUE_OVER
JOB_ACCRUE_TIME_RESET JOB_KILL_HURRY KILL_INV_DEP NO_KILL_INV_DEP KILL_INVALID_DEPENDENCY NO_KILL_INVALID_DEPENDENCY
HAS_STATE_DIR HAS_STATE_DIRECTORY BACKFILL_TEST BACKFILL_TEST_WHOLE TESTING_BACKFILL TESTING_WHOLE_NODE_BACKFILL
BACKFILL_ATTEMPTED SCHEDULING_ATTEMPTED CLEAR_SCHEDULING STARTED_ON_SCHEDULE STARTED_ON_SUBMIT STARTED_ON_BACKFILL
START_RECEIVED PARTITION_ASSIGNED DEPENDENT SEND_JOB_ENVIRONMENT SKIP_TRES_STRING_ACCOUNTING SIB_JOB_FLUSH
SIBLING_CLUSTER_UPDATE_ONLY HET_JOB HETEROGENEOUS_JOB CRON_JOB EXACT_TASK_COUNT_REQUESTED EXACT_CPU_COUNT_REQUESTED
EXACT_MEMORY_REQUESTED JOB_IMPLICIT_MAX_NODES TOP_PRIO_TMP TOP_PRIORITY_JOB ACCRUE_COUNT_CLEARED
GRES_DISABLE_BIND GRES_BINDING_DISABLED
USING_DEFAULT_ACCOUNT USING_DEFAULT_PARTITION USING_DEFAULT_QOS USING_DEFAULT_WCKEY STEPMGR_ENABLED NODE_MEM_CALC`)

// noteUnusual keeps the first field that is not plain.
func noteUnusual(j *slurm.Job, field string) {
	if j.UnusualRequest == "" {
		j.UnusualRequest = field
	}
}

func unusualText(name string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		text, got := s.readSharedString()
		return noteUnless(j, name, got, text == "" || text == "(null)")
	}}
}

func unusualBool(name string) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		yes, got := s.ReadBool()
		return noteUnless(j, name, got, !yes)
	}}
}

func unusualNumber(name string, plain ...int64) recordField[slurm.Job] {
	return recordField[slurm.Job]{name, func(s *replyInput, j *slurm.Job) valueStatus {
		n, got := s.ReadNumber()
		return noteUnless(j, name, got, n == 0 || slices.Contains(plain, n))
	}}
}

// noteUnless notes a field whose value is there and not plain, or cannot be read. Neither spoils the record.
func noteUnless(j *slurm.Job, name string, got valueStatus, isPlain bool) valueStatus {
	if got == statusUnreadable || got == statusFound && !isPlain {
		noteUnusual(j, name)
	}
	if got == statusUnreadable {
		return statusAbsent
	}
	return got
}

func readRequestFlags(s *replyInput, j *slurm.Job) valueStatus {
	got := s.readWords(true)
	for _, flag := range s.lastWords {
		if flag = strings.TrimSpace(flag); !slices.Contains(harmlessFlags, flag) {
			noteUnusual(j, "flags: "+flag)
		}
	}
	return got
}
