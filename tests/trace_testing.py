# SPDX-License-Identifier: BSD-3-Clause
# trace_testing.py - trace files of runs that never were, written as docs/trace-format.md says: all is known of them, to the nanosecond.

KINDS = {"MPI_Send": 1, "MPI_Recv": 2, "MPI_Waitall": 5, "MPI_Isend": 8, "MPI_Irecv": 8, "MPI_Allreduce": 9}
FUNCTIONS = list(KINDS)
PEER, ROOT, TAG, COUNT = 1, 2, 4, 8
RECEIVED = 0xFFFC


def number(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def text(value):
    value = value.encode() if isinstance(value, str) else value
    return number(len(value)) + value


def block(kind, content, thread=0, count=0, first=0):
    """Not compressed: then it is as many bytes as its content."""
    sizes = len(content).to_bytes(4, "little") * 2
    return b"CT" + bytes([kind, 0]) + sizes + thread.to_bytes(4, "little") + count.to_bytes(4, "little") + first.to_bytes(8, "little") + content


def call(function, begin, end, peer=None, tag=None, size=None, number_on=0, site=0, received=None):
    """Moments in nanoseconds; `received`: whom from, tag and bytes."""
    flags = (PEER if peer is not None else 0) | (TAG if tag is not None else 0) | (COUNT if size is not None else 0)
    return {"signature": (FUNCTIONS.index(function), flags, int(number_on != 0), site, size or 0, 1, 1, peer or 0, tag or 0),
            "begin": begin, "end": end, "number": number_on, "received": received}


def records(calls, first=0, thread=0):
    """One block of calls, in the order of time, each with what it received after it."""
    order, signatures, gaps, durations, handles, numbers = (bytearray() for _ in range(6))
    known, last_number, last_end, count = {}, {}, 0, 0

    def add(signature):
        if signature not in known:
            known[signature] = len(known)
            function, flags, has_number, site, size, communicator, datatype, peer, tag = signature
            signatures.extend(b"".join(map(number, (function, flags, has_number, site, size, communicator, datatype))) + signed(peer) + signed(tag))
        order.extend(number(known[signature]))
        handles.extend(signed(0))

    for one in calls:
        add(one["signature"])
        if one["number"]:
            numbers.extend(signed(one["number"] - last_number.get(one["signature"], 0)))
            last_number[one["signature"]] = one["number"]
        gaps.extend(signed(one["begin"] - last_end))
        durations.extend(signed(one["end"] - one["begin"]))
        last_end = one["end"]
        count += 1
        if one["received"]:
            source, tag, size = one["received"]
            add((RECEIVED, PEER | TAG | COUNT, 0, 0, size, 0, 0, source, tag))
            gaps.extend(number(1))
            count += 1
    return block(3, b"".join(map(text, map(bytes, (order, signatures, gaps, durations, handles, numbers)))), thread, count, first), count


def write_trace(folder, rank, size, blocks_of_calls):
    """rank-N.trace in the run's folder: a thread, MPI_COMM_WORLD, one datatype of a byte."""
    world = b"".join((number(1), number(0), number(77), signed(rank), signed(size), signed(0), signed(size), number(1), number(0), text("MPI_COMM_WORLD")))
    table = b"".join(bytes([kind]) + name.encode() + b"\0" for name, kind in KINDS.items())
    process = b"".join(map(signed, (rank, size, 1000 + rank, -1, -1, -2))) + b"".join(map(text, ("", "node", "boot", "/bin/app", "Open MPI"))) + text(table)
    clock = [block(4, number(moment) * 3) for moment in (1, 10**13)]
    parts, first = [], 0
    for calls in blocks_of_calls:
        made, count = records(calls, first)
        parts.append(made)
        first += count
    (folder / "trace").mkdir(parents=True, exist_ok=True)
    (folder / "trace" / f"rank-{rank}.trace").write_bytes(b"".join((
        b"CAIRNTRC", (1).to_bytes(4, "little"), block(1, process), block(2, world + number(2) + number(1) + text("MPI_BYTE") + number(4) + number(0) + signed(1)),
        *clock, *parts, block(5, number(first) + number(0) * 4 + text("")))))
