#include "runtime/amx.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/processes/child_trial.hpp"

namespace troupe {
namespace {

/// The shapes of the tile registers, in the memory layout that the instruction LDTILECFG reads.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16};
};

/// Asks the kernel for permission to use the tile registers, because a process may not use them without it. Ends the
/// process with status 1 if the kernel refuses.
void ask_for_registers() {
  constexpr long kAskForState = 0x1023;
  constexpr long kTileData = 18;
  if (::syscall(SYS_arch_prctl, kAskForState, kTileData) != 0) ::_exit(1);
}

[[gnu::target("amx-tile,amx-bf16")]] void multiply() {
  ask_for_registers();
  const TileShapes shapes;
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_dpbf16ps(0, 1, 2);
  _tile_release();
}

}  // namespace

bool lists_amx() {
  constexpr unsigned kBfloat16 = 1U << 22;
  constexpr unsigned kTiles = 1U << 24;
  constexpr unsigned kInt8 = 1U << 25;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & (kBfloat16 | kTiles | kInt8)) != 0;
}

bool runs_amx() { return survives(multiply); }

}  // namespace troupe

#else

namespace troupe {

bool lists_amx() { return false; }
bool runs_amx() { return false; }

}  // namespace troupe

#endif
