#!/usr/bin/env python3
"""Simulated customers of a shop with two goods, for kedge simulate --population "python3 people.py".

Every customer would buy d of each good if it were free, and buys p, which follows the prices u with a lag: each turn it goes half the way to
d - u. A line of JSON comes in for every decision, and a line of JSON with people goes out.
"""
import json
import random
import sys

hello = json.loads(sys.stdin.readline())
assert hello["protocol"] == 1, hello
draw = random.Random(hello["seed"])
traits = [[draw.gauss(10, 1), draw.gauss(8, 1)] for _ in range(200)]
states = [list(d) for d in traits]

for line in sys.stdin:
    turn = json.loads(line)
    u = [round(price, 2) for price in turn["u"]]  # the shop's prices are in cents
    for p, d in zip(states, traits):
        for i in range(2):
            p[i] += 0.5 * (d[i] - u[i] - p[i])
    chosen = draw.sample(range(len(states)), turn["people"])
    print(json.dumps({"u": u, "p": [states[i] for i in chosen], "d": [traits[i] for i in chosen]}), flush=True)
