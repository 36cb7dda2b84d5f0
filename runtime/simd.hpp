#pragma once

// TROUPE_CLONES before a function compiles the function for several instruction sets of x86-64. The loader picks the
// widest one that the processor has. Other architectures, such as arm64, have one instruction set, and need no clones.
// Clones are resolved before a sanitizer is set up, and crash under TSan.
#if !defined(__x86_64__) || defined(TROUPE_SANITIZED)
#define TROUPE_CLONES
#elif defined(__clang__) && __clang_major__ < 18  // accepts no level such as x86-64-v3
#define TROUPE_CLONES __attribute__((target_clones("default", "avx2", "avx512bw")))
#else
#define TROUPE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

// For a function that TROUPE_CLONES functions call: inlined, so that each clone compiles it for its instruction set.
#define TROUPE_INLINE __attribute__((always_inline)) inline
