"""Reads and writes safetensors files: an 8-byte length, a JSON header of that length, and the numbers."""
import json
import struct

import numpy as np

TYPES = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8")}
NAMES = {dtype: name for name, dtype in TYPES.items()}


def read(path):
    """Returns name -> array, in the order of the numbers. Raises ValueError for gaps and overlaps."""
    with open(path, "rb") as file:
        content = file.read()
    start = 8 + struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    arrays, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        dtype, shape, (begin, next_end) = TYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
        count = int(np.prod(shape, dtype=np.int64))
        if begin != end or next_end - begin != count * dtype.itemsize or start + next_end > len(content):
            raise ValueError(f"{path}: {name} of shape {shape} cannot be at {begin} to {next_end}: the one before "
                             f"ends at {end}, the file at {len(content) - start}")
        arrays[name] = np.frombuffer(content, dtype, count, start + begin).reshape(shape)
        end = next_end
    if start + end != len(content):
        raise ValueError(f"{path}: {len(content)} bytes, of which the header explains {start + end}")
    return arrays


def write(path, arrays):
    """Writes name -> array of f32 or i64, in the order of the dictionary."""
    header, end = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": NAMES[array.dtype], "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # aligns the numbers
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(array.tobytes() for array in arrays.values())
