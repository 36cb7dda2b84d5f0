#pragma once

// If TROUPE_CLONES precedes a function, the compiler makes several clones of the function, for different instruction
// sets of x86-64. When the program is loaded, the widest instruction set that the processor supports is chosen. On
// other architectures, such as arm64, there is one instruction set, and TROUPE_CLONES is empty. It is also empty with
// sanitizers: the choice is made before the sanitizer is set up, which crashes with TSan.
#if !defined(__x86_64__) || defined(TROUPE_SANITIZED)
#define TROUPE_CLONES
#elif defined(__clang__) && __clang_major__ < 18  // does not know levels such as x86-64-v3
#define TROUPE_CLONES __attribute__((target_clones("default", "avx2", "avx512bw")))
#else
#define TROUPE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

// For a function that is called by functions with TROUPE_CLONES. It is inlined into each clone, and so compiled for the
// clone's instruction set.
#define TROUPE_INLINE __attribute__((always_inline)) inline
