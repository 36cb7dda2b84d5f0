#pragma once

// TROUPE_CLONES before a function makes g++ compile it for several instruction sets and choose at load time, so one
// binary is fast on all x86-64 machines. Clones are resolved before sanitizers are up, and crash under TSan.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TROUPE_SANITIZED)
#define TROUPE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define TROUPE_CLONES
#endif
