/* The GPUs of the fake driver, as a text file describes them. */
#ifndef FAKE_STATE_H
#define FAKE_STATE_H

enum { MAX_GPUS = 64, MAX_PROCS = 64, MAX_PARTS = 14, TEXT = 96 };

struct proc { unsigned pid; unsigned long long mb; int part; };
struct use { unsigned pid, sm, mem; }; /* percent of the time */

struct gpu {
	int set, lost, hang, crash, pending, failed, minor, nparts, nprocs, nuses;
	char model[TEXT], uuid[TEXT], na[TEXT * 2], ret[TEXT * 2], part[MAX_PARTS][32];
	char numbers[1024]; /* the words NAME=NUMBER that have no field here: see number_of */
	unsigned long long used, total, corrected, uncorrected;
	struct proc procs[MAX_PROCS];
	struct use uses[MAX_PROCS];
};

struct state {
	int count, missing, hang, cuda;
	char version[TEXT], ret[TEXT];
	struct gpu gpus[MAX_GPUS];
};

extern struct state state;

/* The number that the GPU's line gives the name, else the other one. */
double number_of(const struct gpu *g, const char *name, double otherwise);

/* Reads the file again if it changed; waits while it says that the driver, or
 * the GPU (-1: none in particular), hangs. */
void refresh(int gpu);

#endif
