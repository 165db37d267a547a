"""A training program that goes on at whatever size it finds itself: the loop stands
for yours. What it shows is where state, size and reports belong."""

import json, os, random, signal, subprocess, sys, time

INITIAL_BATCH, MAX_BATCH, GPU_BATCH = 256, 4096, 256  # of the job as you chose it, at most, and what a GPU has memory for
SAMPLES = int(os.environ.get("SAMPLES", 100_000_000))  # to be trained on, in all
STATE = "checkpoint.%s.json" % os.environ.get("SLURM_JOB_ID", "none")


def number(name, otherwise):
    return int(os.environ.get(name) or otherwise)


gpus = number("FAIRBRIDGE_GPUS", 1)
batch = number("FAIRBRIDGE_BATCH", INITIAL_BATCH)  # of all GPUs together
gpu_batch = number("FAIRBRIDGE_GPU_BATCH", min(max(batch // gpus, 1), GPU_BATCH))
passes = number("FAIRBRIDGE_ACCUMULATION", -(-batch // (gpus * gpu_batch)) - 1) + 1
batch = gpus * gpu_batch * passes

# Progress is counted in samples: a step is worth another number of them at another size.
state = {"samples": 0, "loss": 9.0, "seed": 1}
if os.path.exists(STATE):
    with open(STATE) as f:
        state = json.load(f)
random.seed(state["seed"])


def save():
    """Writes a new file, then renames: a checkpoint is whole or not there."""
    state["seed"] = random.randrange(1 << 30)  # so that no run repeats the data of another
    with open(STATE + ".new", "w") as f:
        json.dump(state, f)
    os.replace(STATE + ".new", STATE)


def say(text):
    print(text, "at sample", state["samples"], flush=True)


def report(rate):
    """Tells fairbridge; a node without it is no error. The gradient's squared norm and variance
    come from your optimiser, by the differences between GPUs or passes of one step."""
    subprocess.run(
        ["fairbridge", "progress", "--optional", "--step", "%d/%d" % (state["samples"] // batch, -(-SAMPLES // batch)),
         "--rate", "%.4f" % rate, "--batch", str(batch), "--loss", "%.4f" % state["loss"],
         "--batch-range", "%d-%d" % (INITIAL_BATCH, MAX_BATCH), "--gpu-batch", "1-%d" % GPU_BATCH, "--gradient", "0.2/31.5"],
        check=False)


# Handlers only take note: the step under way is finished, and the state is one that was reached.
asked = set()
signal.signal(signal.SIGUSR1, lambda *_: asked.add("save"))
signal.signal(signal.SIGTERM, lambda *_: asked.add("end"))

say("begins on %d GPUs with batch %d (%d x %d x %d)" % (gpus, batch, gpus, gpu_batch, passes))
began, steps, pause = time.monotonic(), 0, float(os.environ.get("STEP_SECONDS", 0.02))
while state["samples"] < SAMPLES:
    time.sleep(pause)  # here you train on one batch
    state["samples"] += batch
    state["loss"] = 1 + 8 / (1 + state["samples"] / 1e6) + random.uniform(0, 0.01)
    steps += 1
    if steps % 100 == 0:
        report(steps / (time.monotonic() - began))
        save()
    if "end" in asked:
        save()
        say("stopped")
        sys.exit(0)
    if "save" in asked:
        asked.discard("save")
        save()
        say("warned, saved")
save()
say("done")
