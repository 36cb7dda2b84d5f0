// doctest's implementation, compiled once for all test programs.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
