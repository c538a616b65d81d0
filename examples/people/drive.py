#!/usr/bin/env python3
"""Drives a loop over the standard input and output of kedge converse: ask, deploy, tell, close. Usage: drive.py ROUNDS kedge converse shop --data DIR"""
import json
import random
import subprocess
import sys

rounds = int(sys.argv[1])
kedge = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def say(verb, **body):
    kedge.stdin.write(json.dumps({verb: body}) + "\n")
    kedge.stdin.flush()
    reply = json.loads(kedge.stdout.readline())
    if "error" in reply:
        raise RuntimeError(reply["error"]["detail"])
    return reply[verb]


draw = random.Random(1)
for _ in range(rounds):
    offer = say("ask")
    k, u = offer["k"], [round(v, 2) for v in offer["u"]]
    say("deploy", k=k, u=u)
    d = [[draw.gauss(10, 1), draw.gauss(8, 1)] for _ in range(50)]
    p = [[wish - price for wish, price in zip(row, u)] for row in d]  # customers who have settled
    say("tell", k=k, batch="all", p=p, d=d)
    say("close", k=k)
print(json.dumps(say("status")["live"]["u"]))
kedge.stdin.close()
sys.exit(kedge.wait())
