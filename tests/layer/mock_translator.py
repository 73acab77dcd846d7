"""A translator for tests of the layer: it replaces words (csrc/layer/tests/test_programs.c)."""

import json
import os
import struct
import sys
import time
import zlib

LOG = "mock: a warning\n"


def read_exactly(size):
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        sys.exit()  # the program ended
    return data


def read_message():
    (count,) = struct.unpack("<I", read_exactly(4))
    fields = {}
    for _ in range(count):
        (size,) = struct.unpack("<Q", read_exactly(8))
        key, _, value = read_exactly(size).partition(b"\0")
        assert key not in fields
        fields[key.decode()] = value.decode()
    return fields


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_message(fields):
    parts = [key.encode() + b"\0" + value.encode() for key, value in fields.items()]
    write(struct.pack("<I", len(parts)))
    write(b"".join(struct.pack("<Q", len(part)) + part for part in parts))


def die_once():
    """End the process if no earlier one has."""
    try:
        os.close(os.open(os.environ["MOCK_MARK"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os._exit(3)


def is_first(name):
    """Return whether a device is the first whose name is seen."""
    with open(os.environ["MOCK_MARK"], "a+") as file:
        file.seek(0)
        names = file.read().splitlines()
        if not names:
            file.write(name + "\n")
    return not names or names[0] == name


def write_request(request):
    with open(os.environ["MOCK_REQUEST"], "w") as file:
        environment = {k: v for k, v in os.environ.items() if "LAYER" in k}
        arguments = sys.argv[1:]
        json.dump({"request": request, "environment": environment, "arguments": arguments}, file)


def misbehave(source):
    """Write something that is not an answer, if the source asks for it."""
    data = {
        "CUT_OFF": struct.pack("<IQ", 1, 100) + b"status",
        "TOO_LONG": struct.pack("<IQ", 1, 1 << 62),
        "TOO_MANY": struct.pack("<I", 0xFFFFFFFF),
    }
    for word, answer in data.items():
        if word in source:
            write(answer)
            os._exit(0)


def translate(request):
    source, device = request["source"], request["device.NAME"]
    misbehave(source)
    if "DIES_ONCE" in source:
        die_once()
    elif "DIES" in source:
        os._exit(3)
    if "SLOW" in source:
        time.sleep(0.5)
    if "WRITE_REQUEST" in source:
        write_request(request)
    if "UNTOUCHED" in source:
        return {"status": "ok", "passes": "untouched", "text": "wrong", "options": "-wrong"}
    if "REFUSED_BY_FIRST" in source:
        if is_first(device):
            return {"status": "refused", "log": "refused"}
    elif "REFUSED" in source:
        return {"status": "refused", "log": "program.cl:1:4: error: not translated\n"}
    answers = {
        "NO_TEXT": {"status": "ok"},
        "NO_STATUS": {"text": ""},
        "NO_VALUES": {"": "", "x": ""},
    }
    for word, answer in answers.items():
        if word in source:
            return answer
    text = source.replace("HALF_BITS", "ushort").replace("ANSWER", "42")
    return {
        "status": "ok",
        "text": text.replace("DEVICE", str(zlib.crc32(device.encode()) & 0xFFFFFF)),
        "options": request["options"].replace("ANSWER", "42"),
        "log": LOG,
        "types": "answer\t1\thalf\nother\t5\twrong\n",
        "attributes": "others\twrong\nanswer\tattributes of mock\n",
        "launches": "other\twrong\nanswer\t64\t16\t0\t0\nanswer\t32\t16\t0\t0\n",
    }


def main():
    if read_message() != {"command": "hello"}:
        sys.exit("expected hello")
    write_message({"status": "ok", "protocol": os.environ.get("MOCK_PROTOCOL", "1")})
    while True:
        request = read_message()
        assert request["command"] == "translate"
        write_message(translate(request))


main()
