"""Stands in for the part of PyTorch that scripts/gpu calls: a device on which everything takes 20 ms."""
from types import SimpleNamespace

__version__ = "a stand-in"
uint8, bfloat16 = "uint8", "bfloat16"
backends = SimpleNamespace(cudnn=SimpleNamespace(version=lambda: 0))


class _Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        pass

    def elapsed_time(self, _end):
        return 20.0


cuda = SimpleNamespace(is_available=lambda: True, synchronize=lambda: None, Event=_Event)


class _Tensor:
    def __init__(self, *shape):
        self.shape = shape

    def numel(self):
        return self.shape[0]

    def copy_(self, other):
        assert other.shape == self.shape

    def __matmul__(self, other):
        return self


def empty(count, dtype, device):
    assert dtype == uint8 and device == "cuda"
    return _Tensor(count)


def empty_like(tensor):
    return _Tensor(*tensor.shape)


def randn(rows, columns, device, dtype):
    assert dtype == bfloat16 and device == "cuda"
    return _Tensor(rows, columns)
