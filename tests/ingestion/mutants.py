"""A PDF's bytes and a seed in, the bytes with a few faults of the kinds that transfers, old programs and attackers make out."""

import random
import re
import zlib
from collections.abc import Callable

OBJECT = re.compile(rb"(?<![\d])(\d{1,7}) (\d{1,5}) obj\b(.*?)\bendobj", re.DOTALL)
HEAD = re.compile(rb"(?<!\d)(\d{1,7}) (\d{1,5})(?= obj\b)")
REFERENCE = re.compile(rb"(?<!\d)(\d{1,7}) (\d{1,5})(?= R\b)")
LENGTH = re.compile(rb"(?<=/Length) ?\d+")
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
STREAM = re.compile(rb"(?<=stream\n)(?s:.)*?(?=\s*endstream)|(?<=stream\r\n)(?s:.)*?(?=\s*endstream)")
EXTREMES = (b"0", b"-1", b"1", b"65536", b"2147483647", b"-2147483648", b"99999999999999999999", b"1" + b"0" * 40, b"0.0000001")


def replaced(data: bytes, place: re.Match[bytes] | None, by: bytes) -> bytes:
    return data if place is None else data[: place.start()] + by + data[place.end() :]


def one_of(pattern: re.Pattern[bytes], data: bytes, chance: random.Random) -> re.Match[bytes] | None:
    found = list(pattern.finditer(data))
    return chance.choice(found) if found else None


def block(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) or 1)
    return start, start + int(2 ** chance.uniform(0, 12))


def flip_bytes(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(int(2 ** chance.uniform(0, 7))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def truncate(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def delete_block(data: bytes, chance: random.Random) -> bytes:
    start, end = block(data, chance)
    return data[:start] + data[end:]


def double_block(data: bytes, chance: random.Random) -> bytes:
    start, end = block(data, chance)
    return data[:end] + data[start:end] + data[end:]


def swap_objects(data: bytes, chance: random.Random) -> bytes:
    found = list(OBJECT.finditer(data))
    if len(found) < 2:
        return data
    one, other = sorted(chance.sample(found, 2), key=re.Match.start)
    between = data[one.end(3) : other.start(3)]
    return data[: one.start(3)] + other[3] + between + one[3] + data[other.end(3) :]


def renumber(data: bytes, chance: random.Random) -> bytes:
    place, other = one_of(chance.choice((HEAD, REFERENCE)), data, chance), one_of(HEAD, data, chance)
    return replaced(data, place, b"%s %s" % (other[1], place[2])) if place and other else data


def change_generation(data: bytes, chance: random.Random) -> bytes:
    place = one_of(chance.choice((HEAD, REFERENCE)), data, chance)
    return replaced(data, place, b"%s %d" % (place[1], chance.choice((1, 7, 65535)))) if place else data


def lie_about_length(data: bytes, chance: random.Random) -> bytes:
    return replaced(data, one_of(LENGTH, data, chance), b" " + chance.choice(EXTREMES))


def exaggerate_number(data: bytes, chance: random.Random) -> bytes:
    return replaced(data, one_of(NUMBER, data, chance), chance.choice(EXTREMES))


def damage_inside_stream(data: bytes, chance: random.Random) -> bytes:
    """Faults in what a stream unpacks to; flipped bytes of the packed stream only end it early."""
    place = one_of(STREAM, data, chance)
    if place is None:
        return data
    try:
        content = zlib.decompressobj().decompress(place[0], 1 << 20)
    except zlib.error:
        return data
    for _ in range(chance.randrange(1, 6) if content else 0):
        content = (
            chance.choice((flip_bytes, delete_block, double_block, exaggerate_number, exaggerate_number))(content, chance)
            or b" "
        )
    packed = zlib.compress(content, 9)
    if len(packed) <= len(place[0]):
        return replaced(data, place, packed.ljust(len(place[0])))
    return replaced(data, place, packed).replace(b"startxref", b"startover")  # readers look for the objects themselves


KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip_bytes, truncate, delete_block, double_block, swap_objects, renumber, change_generation, lie_about_length,
    exaggerate_number, damage_inside_stream,
)  # fmt: skip


def mutant(data: bytes, seed: int) -> bytes:
    """The same bytes for the same seed. Every kind of fault comes first in turn; some mutants have several."""
    chance = random.Random(seed)
    data = KINDS[seed % len(KINDS)](data, chance)
    while data and chance.random() < 0.4:
        data = chance.choice(KINDS)(data, chance)
    return data
