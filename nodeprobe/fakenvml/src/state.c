/* Reads the text file named by FAKENVML_STATE. Its format is in fakenvml.go. */
#define _GNU_SOURCE
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct state state;
static struct stat seen;

/* Takes the next word off *at; quotes keep spaces together and are removed. */
static char *word(char **at) {
	char *in = *at, *out, *start;
	int quoted = 0;
	while (*in == ' ' || *in == '\t') in++;
	if (!*in || *in == '\n' || *in == '#') return NULL;
	for (start = out = in; *in && *in != '\n' && (quoted || (*in != ' ' && *in != '\t')); in++) {
		if (*in == '"') quoted = !quoted;
		else *out++ = *in;
	}
	*at = *in ? in + 1 : in;
	*out = 0;
	return start;
}

static void copy(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from); }

static void processes(struct gpu *g, char *list) {
	char *save = NULL, *item = strtok_r(list, ",", &save);
	for (; item && g->nprocs < MAX_PROCS; item = strtok_r(NULL, ",", &save)) {
		struct proc *p = &g->procs[g->nprocs++];
		p->part = -1;
		sscanf(item, "%u:%llu@%d", &p->pid, &p->mb, &p->part);
	}
}

static void uses(struct gpu *g, char *list) {
	char *save = NULL, *item = strtok_r(list, ",", &save);
	for (; item && g->nuses < MAX_PROCS; item = strtok_r(NULL, ",", &save)) {
		struct use *u = &g->uses[g->nuses++];
		sscanf(item, "%u:%u/%u", &u->pid, &u->sm, &u->mem);
	}
}

static void parts(struct gpu *g, char *list) {
	char *save = NULL, *item = strtok_r(list, ",", &save);
	for (; item && g->nparts < MAX_PARTS; item = strtok_r(NULL, ",", &save))
		copy(g->part[g->nparts++], sizeof g->part[0], item);
}

static void flag(struct gpu *g, const char *w) {
	if (!strcmp(w, "lost")) g->lost = 1;
	else if (!strcmp(w, "hang")) g->hang = 1;
	else if (!strcmp(w, "crash")) g->crash = 1;
	else if (!strcmp(w, "pending")) g->pending = 1;
	else if (!strcmp(w, "failed")) g->failed = 1;
}

static void set(struct gpu *g, const char *k, char *v) {
	if (!strcmp(k, "model")) copy(g->model, sizeof g->model, v);
	else if (!strcmp(k, "uuid")) copy(g->uuid, sizeof g->uuid, v);
	else if (!strcmp(k, "na")) snprintf(g->na, sizeof g->na, ",%s,", v);
	else if (!strcmp(k, "ret")) snprintf(g->ret, sizeof g->ret, ",%s,", v);
	else if (!strcmp(k, "minor")) g->minor = atoi(v);
	else if (!strcmp(k, "mem")) sscanf(v, "%llu/%llu", &g->used, &g->total);
	else if (!strcmp(k, "ecc")) sscanf(v, "%llu/%llu", &g->corrected, &g->uncorrected);
	else if (!strcmp(k, "pids")) processes(g, v);
	else if (!strcmp(k, "puse")) uses(g, v);
	else if (!strcmp(k, "mig")) parts(g, v);
	else snprintf(g->numbers + strlen(g->numbers), sizeof g->numbers - strlen(g->numbers), " %s=%s", k, v);
}

/* A number of its own for every state file, so that the GPUs of two fake nodes
 * differ. */
static unsigned mark(void) {
	const char *p = getenv("FAKENVML_STATE");
	unsigned h = 2166136261u;
	while (p && *p) h = (h ^ (unsigned char)*p++) * 16777619u;
	return h;
}

static void gpu(struct state *s, char *at) {
	char *w = word(&at), *eq;
	int i = w ? atoi(w) : -1;
	if (i < 0 || i >= MAX_GPUS) return;
	struct gpu *g = &s->gpus[i];
	memset(g, 0, sizeof *g);
	g->set = 1, g->minor = i, g->total = 81920;
	copy(g->model, sizeof g->model, "NVIDIA A100-SXM4-80GB");
	snprintf(g->uuid, sizeof g->uuid, "GPU-%08x-0000-4000-8000-%012x", mark(), i);
	while ((w = word(&at)))
		if ((eq = strchr(w, '='))) *eq = 0, set(g, w, eq + 1);
		else flag(g, w);
	if (i >= s->count) s->count = i + 1;
}

double number_of(const struct gpu *g, const char *name, double otherwise) {
	char key[64];
	snprintf(key, sizeof key, " %s=", name);
	const char *at = strstr(g->numbers, key);
	return at ? strtod(at + strlen(key), NULL) : otherwise;
}

static void driver(struct state *s, char *at) {
	char *w;
	while ((w = word(&at)))
		if (!strcmp(w, "missing")) s->missing = 1;
		else if (!strcmp(w, "hang")) s->hang = 1;
		else if (!strncmp(w, "version=", 8)) copy(s->version, sizeof s->version, w + 8);
		else if (!strncmp(w, "ret=", 4)) snprintf(s->ret, sizeof s->ret, ",%s,", w + 4);
		else if (!strncmp(w, "cuda=", 5)) s->cuda = atoi(w + 5);
}

static void load(const char *path) {
	static struct state next;
	char line[4096], *at, *w;
	FILE *f = fopen(path, "re");
	if (!f) return;
	memset(&next, 0, sizeof next);
	copy(next.version, sizeof next.version, "550.54.15");
	next.cuda = 12040;
	while (fgets(line, sizeof line, f)) {
		at = line;
		if (!(w = word(&at))) continue;
		if (!strcmp(w, "gpu")) gpu(&next, at);
		else if (!strcmp(w, "driver")) driver(&next, at);
	}
	fclose(f);
	state = next;
}

static int changed(const struct stat *a, const struct stat *b) {
	return a->st_ino != b->st_ino || a->st_size != b->st_size || a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

void refresh(int i) {
	for (;; usleep(20000)) {
		const char *path = getenv("FAKENVML_STATE");
		struct stat now;
		if (path && !stat(path, &now) && changed(&now, &seen)) {
			seen = now;
			load(path);
		}
		if (i >= 0 && state.gpus[i].crash) abort();
		if (!state.hang && !(i >= 0 && state.gpus[i].hang)) return;
	}
}
