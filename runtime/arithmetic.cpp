#include "runtime/arithmetic.hpp"

#include <gnu/libc-version.h>

namespace troupe {
namespace {

/// Returns the name of the instruction set that functions with TROUPE_CLONES use on this processor.
const char* instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
    return "x86-64-v4";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return "x86-64-v3";
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "an unknown instruction set";
#endif
}

}  // namespace

std::string arithmetic() { return std::string(instruction_set()) + ", glibc " + ::gnu_get_libc_version(); }

}  // namespace troupe
