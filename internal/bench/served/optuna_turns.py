"""Turns a second of Optuna on its database storage: study.db, numbers a decision, seconds."""
import sys
import time

import optuna

optuna.logging.set_verbosity(optuna.logging.WARNING)
path, dim, span = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
study = optuna.create_study(storage="sqlite:///" + path, sampler=optuna.samplers.RandomSampler(seed=1))
turns, begun = 0, time.perf_counter()
while time.perf_counter() - begun < span:
    trial = study.ask()
    value = sum(trial.suggest_float(f"u{i}", 0, 20) for i in range(dim))
    study.tell(trial, value)
    turns += 1
print(turns / (time.perf_counter() - begun))
