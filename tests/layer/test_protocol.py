"""Messages between OpenCL's layer and its translator: any fields, any bytes."""

import io
import struct

import pytest
from hypothesis import given, strategies as st

from halfcl.cl._layer import protocol, serving
from halfcl.cl._layer.cache import Cache

KEYS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)
FIELDS = st.dictionaries(KEYS, st.binary(max_size=99), max_size=9)


class Piecemeal:
    """A stream that is read in pieces, as a pipe may be."""

    def __init__(self, data):
        self._stream = io.BytesIO(data)

    def read(self, size):
        return self._stream.read(min(size, 3))


@given(st.lists(FIELDS, max_size=4))
def test_messages_are_read_as_they_were_encoded(messages):
    stream = Piecemeal(b"".join(map(protocol.encode, messages)))
    assert [protocol.read_message(stream) for _ in messages] == messages
    assert protocol.read_message(stream) is None


def test_message_has_the_bytes_of_the_contract():
    expected = struct.pack("<IQ", 1, 5) + b"key\0v"
    assert protocol.encode({"key": b"v"}) == expected


@given(FIELDS, st.data())
def test_truncated_message_is_the_end_of_the_stream(fields, data):
    whole = protocol.encode(fields)
    length = data.draw(st.integers(0, len(whole) - 1))
    assert protocol.read_message(io.BytesIO(whole[:length])) is None


@given(st.binary(max_size=200))
def test_bytes_are_a_message_an_end_or_a_protocol_error(data):
    try:
        message = protocol.read_message(io.BytesIO(data))
    except protocol.ProtocolError:
        return
    assert message is None or all(isinstance(value, bytes) for value in message.values())


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<I", protocol.MOST_FIELDS + 1),
        struct.pack("<IQ", 1, protocol.MOST_BYTES + 1),
        struct.pack("<IQ", 2, protocol.MOST_BYTES - 1),  # announced, and not there
        struct.pack("<IQ", 1, 3) + b"key",
        struct.pack("<I", 2) + 2 * (struct.pack("<Q", 2) + b"k\0"),
    ],
)
def test_malformed_message_is_answered_and_ends_the_stream(data):
    writer = io.BytesIO()
    server = serving.Server(lambda request: ({"status": b"ok"}, None), Cache(None))
    serving.serve(server, io.BytesIO(data), writer)
    answers = io.BytesIO(writer.getvalue())
    answer = protocol.read_message(answers)
    assert answer is None or answer["status"] == b"failed"
    assert not answers.read()


@given(st.lists(FIELDS, max_size=3), st.binary(max_size=50))
def test_each_request_has_one_answer(requests, rest):
    writer = io.BytesIO()
    server = serving.Server(lambda request: ({"status": b"ok"}, None), Cache(None))
    serving.serve(server, io.BytesIO(b"".join(map(protocol.encode, requests)) + rest), writer)
    answers = io.BytesIO(writer.getvalue())
    for _ in requests:
        assert protocol.read_message(answers)["status"] in (b"ok", b"failed")
