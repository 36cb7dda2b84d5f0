#include "models/cpu/weights_reorder.hpp"

#include <algorithm>
#include <array>

#include "models/cpu/element.hpp"
#include "runtime/simd.hpp"

namespace troupe::cpu {

namespace {

constexpr int kBlock = 16;
constexpr std::size_t kDimensions = 4;
constexpr int kOutputAxis = 0;
constexpr int kInputAxis = 1;

/// A list of nested blocks of a layout, outermost first. Each element is (dimension, length).
template <std::size_t kCount>
using Inner = std::array<std::pair<int, dnnl_dim_t>, kCount>;

constexpr Inner<2> kStored{{{kInputAxis, 16}, {kOutputAxis, 16}}};
constexpr Inner<3> kInputPairs{{{kInputAxis, 8}, {kOutputAxis, 16}, {kInputAxis, 2}}};
constexpr Inner<3> kOutputPairs{{{kOutputAxis, 8}, {kInputAxis, 16}, {kOutputAxis, 2}}};

template <std::size_t kCount>
bool has_blocks(const BlockedLayout& layout, const Inner<kCount>& inner) {
  return layout.extents.size() == kDimensions && std::ranges::equal(layout.inner, inner);
}

using Words = Pixel<kBlock>::Words;

[[gnu::always_inline]] inline void load_rounded(const float* from, Words& to) {
  std::memcpy(&to, from, sizeof(to));
  round_to_bf16<kBlock>(to);
}

/// Converts a block of 16 inputs x 16 outputs to bfloat16, and interleaves its rows 2p and 2p + 1. The values of two
/// inputs then share a 32-bit word.
TROUPE_CLONES void pair_inputs(const float* from, std::uint32_t* to) {
  for (int pair = 0; pair < kBlock / 2; ++pair) {
    Words even;
    Words odd;
    load_rounded(from + 2 * pair * kBlock, even);
    load_rounded(from + (2 * pair + 1) * kBlock, odd);
    const Words both = (even >> 16) | (odd & 0xFFFF0000U);
    std::memcpy(to + pair * kBlock, &both, sizeof(both));
  }
}

/// Converts a block of 16 inputs x 16 outputs to bfloat16, so that the values of outputs 2p and 2p + 1 share a 32-bit
/// word. Each row of the block becomes eight words, which are written as a column.
TROUPE_CLONES void pair_outputs(const float* from, std::uint32_t* to) {
  std::uint32_t rows[kBlock][kBlock / 2];
  for (int input = 0; input < kBlock; ++input) {
    Words row;
    load_rounded(from + input * kBlock, row);
    const auto halves = __builtin_convertvector(row >> 16, Pixel<kBlock>::Halves);
    std::memcpy(rows[input], &halves, sizeof(halves));
  }
  for (int pair = 0; pair < kBlock / 2; ++pair)
    for (int input = 0; input < kBlock; ++input) to[pair * kBlock + input] = rows[input][pair];
}

}  // namespace

std::optional<BlockConversion> BlockConversion::make(const dnnl::memory::desc& stored,
                                                     const dnnl::memory::desc& wanted) {
  using Type = dnnl::memory::data_type;
  if (type_of(stored) != Type::f32 || type_of(wanted) != Type::bf16) return {};
  const BlockedLayout from = layout_of(stored);
  const BlockedLayout to = layout_of(wanted);
  const bool pairs_outputs = has_blocks(to, kOutputPairs);
  if (!has_blocks(from, kStored) || (!pairs_outputs && !has_blocks(to, kInputPairs))) return {};
  BlockConversion made;
  made.pairs_outputs_ = pairs_outputs;
  made.counts_ = from.padded;
  made.counts_[kOutputAxis] /= kBlock;
  made.counts_[kInputAxis] /= kBlock;
  made.from_strides_ = from.strides;
  made.to_strides_ = to.strides;
  return made;
}

void BlockConversion::run(const float* from, void* to) const {
  const auto convert = pairs_outputs_ ? pair_outputs : pair_inputs;
  for (dnnl_dim_t output = 0; output < counts_[0]; ++output)
    for (dnnl_dim_t input = 0; input < counts_[1]; ++input)
      for (dnnl_dim_t row = 0; row < counts_[2]; ++row)
        for (dnnl_dim_t column = 0; column < counts_[3]; ++column) {
          const auto at = [&](const dnnl::memory::dims& strides) {
            return output * strides[0] + input * strides[1] + row * strides[2] + column * strides[3];
          };
          convert(from + at(from_strides_), static_cast<std::uint32_t*>(to) + at(to_strides_) / 2);
        }
}

}  // namespace troupe::cpu
