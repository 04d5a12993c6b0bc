#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# validate.py SCHEMA [nested]
#
# Validates each line of the standard input by a JSON schema.  With "nested", the calls are those of
# a recording without losses, and of a clock with the times of calls: the caller of a call is the
# innermost call of the task that contains the call, and the time without callees is that of these
# callers.

import json
import sys

import jsonschema

with open(sys.argv[1]) as schema:
    validator = jsonschema.Draft202012Validator(json.load(schema))
validator.check_schema(validator.schema)

nr_wrong = 0


def wrong(*what):
    global nr_wrong
    nr_wrong += 1
    if nr_wrong <= 10:
        print(*what)


calls = {}
tasks = {}
nr = 0
for nr, line in enumerate(sys.stdin, 1):
    record = json.loads(line)
    for error in validator.iter_errors(record):
        wrong(f"line {nr}: {jsonschema.exceptions.best_match([error]).message}: {line.rstrip()}")
    if (nr == 1) != (record["type"] == "recording"):
        wrong(f"line {nr}: {record['type']}")
    if record["type"] == "call":
        if record["id"] in calls:
            wrong(f"line {nr}: a second call {record['id']}")
        # An idle task never leaves its CPU
        task = record.get("instance"), record["pid"], record["pid"] or record["cpu"]
        calls[record["id"]] = record
        tasks.setdefault(task, []).append(record)
        if record.get("parent") in calls:
            wrong(f"line {nr}: after its caller")

if "nested" in sys.argv[2:]:
    for records in tasks.values():
        inner = {call["id"]: 0 for call in records}
        around = []
        for call in sorted(records, key=lambda call: (call["begin"], call["depth"])):
            end = call.get("end", call["begin"])
            while around and not (around[-1]["depth"] < call["depth"] and
                                  around[-1].get("end", float("inf")) >= end):
                around.pop()
            caller = around[-1]["id"] if around else None
            if call.get("parent") != caller:
                wrong(f"call {call['id']}: the caller is {caller}, not {call.get('parent')}")
            if caller:
                inner[caller] += call.get("duration", 0)
            around.append(call)
        for call in records:
            if "self" in call and call["self"] != max(call["duration"] - inner[call["id"]], 0):
                wrong(f"call {call['id']}: {call['self']} of {call['duration']} ns without callees")
known = sum(1 for call in calls.values() if call.get("parent"))
print(f"{nr} objects, {len(calls)} calls, {known} with a caller, {nr_wrong} wrong")
sys.exit(nr_wrong > 0 or nr < 2)
