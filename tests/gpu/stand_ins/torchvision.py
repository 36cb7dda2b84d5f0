"""Stands in for torchvision."""
__version__ = "a stand-in"
