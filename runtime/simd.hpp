#pragma once

// If TROUPE_CLONES precedes a function, the compiler makes several clones of the function, for different instruction
// sets of x86-64. When the program is loaded, the loader selects the clone with the widest instruction set that the
// processor supports. On other architectures, such as arm64, TROUPE_CLONES is empty, because the compiler uses one
// instruction set there. TROUPE_CLONES is also empty with sanitizers: the loader selects the clones before the
// sanitizer is set up, and with TSan this crashes.
#if !defined(__x86_64__) || defined(TROUPE_SANITIZED)
#define TROUPE_CLONES
#elif defined(__clang__) && __clang_major__ < 18  // these versions do not know levels such as x86-64-v3
#define TROUPE_CLONES __attribute__((target_clones("default", "avx2", "avx512bw")))
#else
#define TROUPE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

// TROUPE_INLINE precedes a function that is called by functions with TROUPE_CLONES. The compiler inlines the called
// function into each clone, and so compiles it for the clone's instruction set.
#define TROUPE_INLINE __attribute__((always_inline)) inline
