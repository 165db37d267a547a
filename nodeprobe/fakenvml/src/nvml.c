/* A libnvidia-ml.so.1 whose GPUs are read from a text file. It has the calls
 * that a probe makes, with NVML's own names, types and return codes. */
#include "state.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int ret;
typedef unsigned long long u64;
enum { OK = 0, UNINITIALIZED = 1, BAD = 2, UNSUPPORTED = 3, DENIED = 4, NOT_FOUND = 6, SMALL = 7, NO_DRIVER = 9, TIMEOUT = 10, LOST = 15 };

static int started;
static struct { int used; } handle[MAX_GPUS * (MAX_PARTS + 1)];
static int reported[MAX_GPUS], watched[MAX_GPUS];

/* Handles: number gpu*(MAX_PARTS+1), plus 1+part for a MIG device. */
static void *handle_of(int gpu, int part) { return &handle[gpu * (MAX_PARTS + 1) + 1 + part]; }
static int number(void *h) { return (int)((char *)h - (char *)handle) / (int)sizeof handle[0]; }
static int gpu_of(void *h) { return number(h) / (MAX_PARTS + 1); }
static int part_of(void *h) { return number(h) % (MAX_PARTS + 1) - 1; }

/* The code a list such as ",busy:999,handle:10," gives for the name, else OK. */
static ret code_for(const char *list, const char *what) {
	char key[64];
	snprintf(key, sizeof key, ",%s:", what);
	const char *at = strstr(list, key);
	if (!at) at = strstr(list, ",all:"), key[snprintf(key, sizeof key, ",all:")] = 0;
	return at ? atoi(at + strlen(key)) : OK;
}

static ret find(void *h, const char *what, struct gpu **g) {
	char key[64];
	if (!started) return UNINITIALIZED;
	if (!h) return BAD;
	refresh(gpu_of(h));
	*g = &state.gpus[gpu_of(h)];
	if (!(*g)->set) return NOT_FOUND;
	if ((*g)->lost) return LOST;
	snprintf(key, sizeof key, ",%s,", what);
	return strstr((*g)->na, key) ? UNSUPPORTED : code_for((*g)->ret, what);
}

#define FIND(what) \
	struct gpu *g; \
	ret r = find(h, what, &g); \
	if (r != OK) return r
#define WHOLE if (part_of(h) >= 0) return UNSUPPORTED

ret nvmlInit_v2(void) {
	refresh(-1);
	if (state.missing) return NO_DRIVER;
	if (code_for(state.ret, "init")) return code_for(state.ret, "init");
	started = 1;
	return OK;
}
ret nvmlShutdown(void) { started = 0; return OK; }
ret nvmlSystemGetDriverVersion(char *out, unsigned n) { snprintf(out, n, "%s", state.version); return OK; }
ret nvmlSystemGetCudaDriverVersion_v2(int *out) { *out = state.cuda; return OK; }

ret nvmlDeviceGetCount_v2(unsigned *n) {
	refresh(-1);
	*n = state.count;
	return !started ? UNINITIALIZED : code_for(state.ret, "count");
}
ret nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out) {
	if (i >= (unsigned)state.count || !state.gpus[i].set) return NOT_FOUND;
	refresh(i);
	if (state.gpus[i].lost) return LOST;
	if (strstr(state.gpus[i].na, ",handle,")) return DENIED;
	if (code_for(state.gpus[i].ret, "handle")) return code_for(state.gpus[i].ret, "handle");
	*out = handle_of(i, -1);
	return OK;
}
ret nvmlDeviceGetUUID(void *h, char *out, unsigned n) {
	FIND("uuid");
	if (part_of(h) < 0) snprintf(out, n, "%s", g->uuid);
	else snprintf(out, n, "MIG-%s-%d", g->uuid + 4, part_of(h));
	return OK;
}
ret nvmlDeviceGetName(void *h, char *out, unsigned n) {
	FIND("name");
	if (part_of(h) < 0) snprintf(out, n, "%s", g->model);
	else snprintf(out, n, "%s MIG %s", g->model, g->part[part_of(h)]);
	return OK;
}
ret nvmlDeviceGetMinorNumber(void *h, unsigned *out) { FIND("minor"); *out = g->minor; return OK; }

typedef struct { char old[16]; unsigned domain, bus, device, id, sub; char bus_id[32]; } pci;
ret nvmlDeviceGetPciInfo_v3(void *h, pci *out) {
	FIND("pci");
	memset(out, 0, sizeof *out);
	out->bus = 0x10 + g->minor;
	snprintf(out->old, sizeof out->old, "0000:%02X:00.0", out->bus);
	snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", out->bus);
	return OK;
}

typedef struct { unsigned gpu, memory; } rates;
ret nvmlDeviceGetUtilizationRates(void *h, rates *out) {
	FIND("busy"); WHOLE;
	if (g->nparts) return UNSUPPORTED;
	out->gpu = number_of(g, "busy", 0), out->memory = number_of(g, "membusy", 0);
	return OK;
}
typedef struct { u64 total, free, used; } memory;
typedef struct { unsigned version; u64 total, reserved, free, used; } memory2;
static u64 total_of(struct gpu *g, int part) { return (part < 0 ? g->total : g->total / 8) << 20; }
static u64 used_of(struct gpu *g, int part) {
	u64 sum = 0;
	if (part < 0) return g->used << 20;
	for (int i = 0; i < g->nprocs; i++) sum += g->procs[i].part == part ? g->procs[i].mb : 0;
	return sum << 20;
}
ret nvmlDeviceGetMemoryInfo(void *h, memory *out) {
	FIND("mem");
	out->total = total_of(g, part_of(h)), out->used = used_of(g, part_of(h)), out->free = out->total - out->used;
	return OK;
}
ret nvmlDeviceGetMemoryInfo_v2(void *h, memory2 *out) {
	FIND("mem");
	out->total = total_of(g, part_of(h)), out->used = used_of(g, part_of(h)), out->reserved = 0;
	out->free = out->total - out->used;
	return OK;
}
ret nvmlDeviceGetPowerUsage(void *h, unsigned *mw) { FIND("watts"); WHOLE; *mw = number_of(g, "watts", 60) * 1000; return OK; }
ret nvmlDeviceGetEnforcedPowerLimit(void *h, unsigned *mw) { FIND("limit"); *mw = number_of(g, "limit", 400) * 1000; return OK; }
ret nvmlDeviceGetTotalEnergyConsumption(void *h, u64 *mj) { FIND("energy"); *mj = 3600000; return OK; }
ret nvmlDeviceGetTemperature(void *h, int sensor, unsigned *out) { FIND("temp"); (void)sensor; *out = number_of(g, "temp", 30); return OK; }
ret nvmlDeviceGetClockInfo(void *h, int kind, unsigned *out) {
	FIND("clocks");
	*out = kind == 2 ? number_of(g, "memclock", 1593) : number_of(g, "sm", 1410);
	return OK;
}
ret nvmlDeviceGetCurrentClocksThrottleReasons(void *h, u64 *out) { FIND("throttle"); *out = number_of(g, "throttle", 0); return OK; }
ret nvmlDeviceGetCurrPcieLinkGeneration(void *h, unsigned *out) { FIND("pcie"); *out = 4; return OK; }
ret nvmlDeviceGetCurrPcieLinkWidth(void *h, unsigned *out) { FIND("pcie"); *out = 16; return OK; }
ret nvmlDeviceGetPcieReplayCounter(void *h, unsigned *out) { FIND("pcie"); *out = 0; return OK; }

typedef struct { unsigned id, scope; int64_t at, took; int type; ret result; u64 value; } field;
ret nvmlDeviceGetFieldValues(void *h, int n, field *f) {
	FIND("fields");
	for (int i = 0; i < n; i++) {
		f[i].type = 3; /* unsigned long long */
		f[i].result = f[i].id == 197 || f[i].id == 198 ? OK : UNSUPPORTED;
		f[i].value = (u64)f[i].id << 20;
	}
	return OK;
}
ret nvmlDeviceGetTotalEccErrors(void *h, int kind, int since, u64 *out) {
	FIND("ecc");
	(void)since;
	*out = kind == 1 ? g->uncorrected : g->corrected;
	return OK;
}
ret nvmlDeviceGetRetiredPages(void *h, int cause, unsigned *n, u64 *out) {
	FIND("retired");
	unsigned have = cause == 1 ? number_of(g, "retired", 0) : 0, room = *n;
	*n = have;
	if (have > room) return SMALL;
	for (unsigned i = 0; i < have; i++) out[i] = i << 12;
	return OK;
}
ret nvmlDeviceGetRetiredPagesPendingStatus(void *h, int *out) { FIND("retired"); *out = number_of(g, "retired", 0) && g->pending; return OK; }
ret nvmlDeviceGetRemappedRows(void *h, unsigned *corrected, unsigned *not, unsigned *pending, unsigned *failed) {
	FIND("remapped");
	*corrected = 0, *not = number_of(g, "remapped", 0), *pending = *not && g->pending, *failed = g->failed;
	return OK;
}

ret nvmlDeviceGetMigMode(void *h, unsigned *now, unsigned *next) {
	FIND("mig");
	*now = *next = g->nparts > 0;
	return OK;
}
ret nvmlDeviceGetMaxMigDeviceCount(void *h, unsigned *out) { FIND("mig"); *out = g->nparts ? 7 : 0; return OK; }
ret nvmlDeviceGetMigDeviceHandleByIndex(void *h, unsigned i, void **out) {
	FIND("mig");
	if (i >= (unsigned)g->nparts) return NOT_FOUND;
	*out = handle_of(gpu_of(h), i);
	return OK;
}
ret nvmlDeviceGetGpuInstanceId(void *h, unsigned *out) {
	FIND("mig");
	if (part_of(h) < 0) return UNSUPPORTED;
	*out = part_of(h) + 7; /* real ones seldom start at 0 */
	return OK;
}
ret nvmlDeviceGetComputeInstanceId(void *h, unsigned *out) { FIND("mig"); *out = 0; return OK; }

typedef struct { unsigned pid; u64 used; unsigned instance, compute; } process;
ret nvmlDeviceGetComputeRunningProcesses_v3(void *h, unsigned *n, process *out) {
	unsigned have = 0, room = *n;
	FIND("pids");
	for (int i = 0; i < g->nprocs; i++) {
		struct proc *p = &g->procs[i];
		if (part_of(h) >= 0 && p->part != part_of(h)) continue;
		if (have < room) {
			out[have].pid = p->pid, out[have].used = p->mb << 20;
			out[have].instance = p->part < 0 ? ~0u : (unsigned)p->part + 7;
			out[have].compute = p->part < 0 ? ~0u : 0;
		}
		have++;
	}
	*n = have;
	return have > room ? SMALL : OK;
}
ret nvmlDeviceGetGraphicsRunningProcesses_v3(void *h, unsigned *n, process *out) {
	FIND("pids");
	(void)out;
	*n = 0;
	return OK;
}

typedef struct { unsigned pid; u64 at; unsigned sm, mem, enc, dec; } use_sample;
ret nvmlDeviceGetProcessUtilization(void *h, use_sample *out, unsigned *n, u64 since) {
	static u64 clock;
	unsigned have = 0, room = *n;
	FIND("puse"); WHOLE;
	if (g->nparts) return UNSUPPORTED;
	for (int i = 0; i < g->nuses; i++) {
		if (out && have < room) {
			memset(&out[have], 0, sizeof *out);
			out[have].pid = g->uses[i].pid, out[have].at = ++clock + since;
			out[have].sm = g->uses[i].sm, out[have].mem = g->uses[i].mem;
		}
		have++;
	}
	*n = have;
	return !have ? NOT_FOUND : have > room ? SMALL : OK;
}

typedef struct { void *device; u64 type, data; unsigned instance, compute; } event;
ret nvmlDeviceGetSupportedEventTypes(void *h, u64 *out) { FIND("xid"); *out = 8; return OK; }
ret nvmlEventSetCreate(void **out) { *out = &watched; return OK; }
ret nvmlEventSetFree(void *set) { (void)set; return OK; }
ret nvmlDeviceRegisterEvents(void *h, u64 types, void *set) {
	FIND("xid");
	(void)set;
	watched[gpu_of(h)] = types & 8 ? 1 : 0;
	return OK;
}
ret nvmlEventSetWait_v2(void *set, event *out, unsigned ms) {
	(void)set, (void)ms;
	for (int i = 0; i < state.count; i++) {
		int xid = number_of(&state.gpus[i], "xid", 0), before = reported[i];
		if (!watched[i]) continue;
		reported[i] = xid;
		if (!xid || xid == before) continue;
		memset(out, 0, sizeof *out);
		out->device = handle_of(i, -1), out->type = 8, out->data = xid;
		return OK;
	}
	return TIMEOUT;
}
